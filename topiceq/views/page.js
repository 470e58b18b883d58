/**
 * An annotated article, brought to life. The saved page does it for itself; in the reader's frame no
 * script may run, so the explorer does it from outside. Without any of this the page can be read:
 * what a card tells also stands beside the displays and at the end.
 */

const GAP = 6; // pixels between something and its card
const SYMBOL = "figure [data-symbol], p [data-symbol]"; // of a display, of a sentence
const POINTER = 'main a[href^="#"]'; // to an equation, a figure, a reference

/** Cards, faded edges and the place in the timeline, in a document that is loaded. */
export function enliven(page) {
  cards(page);
  edges(page);
  timeline(page);
}

// -- cards: what a symbol means, what a reference points to ---------------------------------------

function cards(page) {
  const card = page.getElementById("card");
  if (!card) return;
  const open = ({ target }) => show(page, card, target.closest?.(`${SYMBOL}, ${POINTER}`) ?? null);
  for (const kind of ["pointerover", "focusin"]) page.addEventListener(kind, open);
  page.addEventListener("click", ({ target, pointerType }) => {
    const symbol = target.closest?.(SYMBOL) ?? null;
    show(page, card, symbol);
    const there = symbol && !card.hidden && card.querySelector(".there");
    if (!there || pointerType !== "mouse") return; // a tap shows the card
    page.getElementById(there.hash.slice(1))?.scrollIntoView({ block: "center" });
  });
  page.addEventListener("focusout", () => show(page, card, null));
  page.addEventListener("keydown", ({ key }) => key === "Escape" && show(page, card, null));
}

function show(page, card, pointed) {
  page.querySelectorAll(".on").forEach((one) => one.classList.remove("on"));
  const told = pointed ? tellOf(page, pointed) : [];
  card.hidden = !told.length;
  if (card.hidden) return;
  card.replaceChildren(...told);
  place(card, pointed, page.defaultView);
}

/** Copies of what a card shows: of a glossary's entry, or of what a link leads to. */
function tellOf(page, pointed) {
  if (!pointed.matches(SYMBOL)) return aim(page.getElementById(pointed.hash?.slice(1)), pointed);
  const alike = same(pointed);
  const own = alike.find((one) => one.dataset.term);
  const term = pointed.closest("figure") ? own?.dataset.term : pointed.dataset.symbol;
  const all = [...alike, ...(term ? usages(page, Number(term)) : [])];
  all.forEach((one) => one.classList.add("on"));
  const entry = all.map((one) => one.querySelector(":scope > dd")).find(Boolean)
    ?? page.querySelector(`#m${Number(term)} > dd`);
  return entry ? copies(entry) : [];
}

/** Wherever the article uses a symbol with one meaning: in sentences, and in displays. */
function usages(page, term) {
  const entries = [...page.querySelectorAll(`figure [data-term="${term}"]`)];
  return [...page.querySelectorAll(`p [data-symbol="${term}"]`), ...entries.flatMap(same)];
}

function aim(target, link) {
  if (!target || target.contains(link) || link.closest(".timeline, nav")) return [];
  if (target.matches("figure")) {
    const shown = target.querySelector(".formula .body, figcaption");
    return shown ? copies(shown) : [];
  }
  return target.matches("li, p") ? copies(target) : [];
}

function copies(element) {
  const whole = element.cloneNode(true);
  whole.querySelectorAll("[id], [tabindex], [data-symbol]").forEach((one) => {
    for (const name of ["id", "tabindex", "data-symbol"]) one.removeAttribute(name);
  });
  return [...whole.childNodes];
}

/** The same symbol in the display, and its entry beside it; in a sentence, itself. */
function same(symbol) {
  const figure = symbol.closest("figure");
  if (!figure) return [symbol];
  return [...figure.querySelectorAll(`[data-symbol="${Number(symbol.dataset.symbol)}"]`)];
}

/** Below, or above where there is no room; beside a formula that is not too high, not upon it. */
function place(card, pointed, { innerWidth, innerHeight, scrollX, scrollY }) {
  const [box, own] = [pointed, card].map((one) => one.getBoundingClientRect());
  const whole = pointed.closest(".formula")?.getBoundingClientRect();
  const around = whole && whole.height < 140 ? whole : box;
  const left = Math.min(Math.max(box.left, 8), innerWidth - own.width - 8);
  const below = around.bottom + GAP + own.height < innerHeight || around.top < own.height + GAP;
  const top = below ? around.bottom + GAP : around.top - own.height - GAP;
  card.style.left = `${Math.max(left, 8) + scrollX}px`;
  card.style.top = `${top + scrollY}px`;
}

// -- edges: what is wider than the page fades where it goes on ------------------------------------

const FADING = ".formula, .long, .table, pre";

function edges(page) {
  const sizes = new ResizeObserver((seen) => seen.forEach(({ target }) => fade(target)));
  for (const one of page.querySelectorAll(FADING)) {
    sizes.observe(one);
    one.addEventListener("scroll", () => fade(one), { passive: true });
  }
}

function fade(one) {
  const hidden = one.scrollWidth - one.clientWidth;
  one.classList.toggle("goes-on", hidden - one.scrollLeft > 2);
  one.classList.toggle("began", hidden > 2 && one.scrollLeft > 2);
  if (hidden > 2) one.tabIndex = 0; // so that the keyboard can scroll it
  else one.removeAttribute("tabindex");
}

// -- timeline: where in the article one is --------------------------------------------------------

function timeline(page) {
  const here = page.querySelector(".timeline .here");
  if (!here) return;
  const view = page.defaultView;
  const places = [...page.querySelectorAll(".timeline a[href]")].map((link) => [
    page.getElementById(link.getAttribute("href").slice(1)),
    link.querySelector("rect").x.baseVal.value,
  ]);
  const move = () => {
    const reached = places.filter(([at]) => at && at.getBoundingClientRect().top < view.innerHeight / 2);
    here.setAttribute("x", reached.length ? reached.at(-1)[1] : 0);
  };
  let waiting = 0;
  view.addEventListener("scroll", () => {
    waiting ||= setTimeout(() => { waiting = 0; move(); }, 80);
  }, { passive: true });
  move();
}
