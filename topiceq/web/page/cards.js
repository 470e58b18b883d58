/**
 * Cards for the symbols of an annotated article. Saved as a file it has a script of its own for this
 * (tasks/annotate/page.js); in the reader's frame no script may run, so this page listens instead.
 */

const GAP = 6; // pixels between a symbol and its card

/** Pointing at, focusing or tapping a symbol shows what the glossary beside it says. */
export function cards(inside) {
  const card = inside.getElementById("card");
  if (!card) return;
  const open = (event) => show(inside, card, symbolAt(event));
  for (const kind of ["pointerover", "focusin", "click"]) inside.addEventListener(kind, open);
  inside.addEventListener("focusout", () => show(inside, card, null));
  inside.addEventListener("keydown", ({ key }) => key === "Escape" && show(inside, card, null));
}

function symbolAt({ target }) {
  return target.closest?.("figure [data-symbol]") ?? null;
}

function show(inside, card, symbol) {
  inside.querySelectorAll(".on").forEach((one) => one.classList.remove("on"));
  const alike = symbol ? same(symbol) : [];
  alike.forEach((one) => one.classList.add("on"));
  const told = alike.map((one) => one.querySelector(":scope > dd")).find(Boolean);
  card.hidden = !told;
  if (!told) return;
  card.replaceChildren(...told.cloneNode(true).childNodes);
  place(card, symbol, inside.defaultView);
}

function same(symbol) {
  const number = Number(symbol.dataset.symbol);
  return [...symbol.closest("figure").querySelectorAll(`[data-symbol="${number}"]`)];
}

/** Below the symbol, or above it where there is no room, and never over the edge. */
function place(card, symbol, { innerWidth, innerHeight, scrollX, scrollY }) {
  const [box, own] = [symbol, card].map((one) => one.getBoundingClientRect());
  const left = Math.min(Math.max(box.left, 8), innerWidth - own.width - 8);
  const below = box.bottom + GAP + own.height < innerHeight || box.top < own.height + GAP;
  const top = below ? box.bottom + GAP : box.top - own.height - GAP;
  card.style.left = `${left + scrollX}px`;
  card.style.top = `${top + scrollY}px`;
}
