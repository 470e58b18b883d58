// Hovering, focusing or tapping a symbol shows what the glossary beside it says.
(() => {
  const card = document.getElementById("card");
  let shown = null;
  const of = (target) => target.closest ? target.closest("[data-symbol]") : null;
  const same = (symbol) => symbol.closest("figure")
    .querySelectorAll(`[data-symbol="${symbol.getAttribute("data-symbol")}"]`);
  const hide = () => {
    if (shown) same(shown).forEach((each) => each.classList.remove("on"));
    card.hidden = true;
    shown = null;
  };
  const show = (symbol) => {
    if (symbol === shown) return;
    hide();
    shown = symbol;
    const all = same(symbol);
    all.forEach((each) => each.classList.add("on"));
    const entry = [...all].find((each) => each.tagName === "DIV");
    if (!entry) return;
    card.replaceChildren(...entry.cloneNode(true).querySelector("dd").childNodes);
    card.hidden = false;
    const box = symbol.getBoundingClientRect(), own = card.getBoundingClientRect();
    const formula = symbol.closest(".formula"), whole = formula && formula.getBoundingClientRect();
    const around = whole && whole.height < 140 ? whole : box;  // leave the formula in sight
    const left = Math.min(Math.max(box.left, 8), innerWidth - own.width - 8);
    const below = around.bottom + own.height < innerHeight || around.top < own.height;
    card.style.left = `${left + scrollX}px`;
    card.style.top = `${(below ? around.bottom : around.top - own.height) + scrollY}px`;
  };
  addEventListener("pointerover", (event) => {
    const symbol = of(event.target);
    if (symbol) show(symbol);
    else if (event.pointerType === "mouse") hide();
  });
  addEventListener("focusin", (event) => { const symbol = of(event.target); if (symbol) show(symbol); });
  addEventListener("focusout", hide);
  addEventListener("click", (event) => { const symbol = of(event.target); symbol ? show(symbol) : hide(); });
  addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
})();
