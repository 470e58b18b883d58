/**
 * A region of the page that shows the answer to the latest question. It waits until the typing
 * pauses, gives up the question before, shows that it is loading, and says what went wrong.
 */

import { pause } from "./api.js";
import { el } from "./dom.js";

export class Region {
  /** `waiting` is what stands there while the first answer is on its way. */
  constructor(waiting, attributes = {}) {
    this.waiting = waiting;
    this.element = el("div", { ...attributes, class: `region ${attributes.class ?? ""}` });
  }

  /**
   * Ask `work(signal)` after a delay, show `draw(answer)`, then call `shown(answer)`. If it fails,
   * the reader may try again; if something else is asked meanwhile, nothing of this happens.
   */
  async ask(work, draw, { delay = 0, shown = () => {} } = {}) {
    this.stop();
    const { signal } = (this.controller = new AbortController());
    try {
      this.fade();
      if (delay) await pause(delay, signal);
      this.load();
      const answer = await work(signal);
      if (signal.aborted) return;
      this.show(draw(answer));
      shown(answer);
    } catch (error) {
      if (!signal.aborted) this.fail(error, () => this.ask(work, draw, { shown }));
    }
  }

  /** What stands here is the answer before: another one is on its way. */
  fade() {
    if (this.element.childElementCount) this.element.setAttribute("aria-busy", "true");
  }

  /** Give up what is being asked. */
  stop() {
    this.controller?.abort();
    this.element.removeAttribute("aria-busy");
  }

  /** Show these, and nothing else. */
  show(...children) {
    this.element.removeAttribute("aria-busy");
    this.element.replaceChildren(...children.flat());
  }

  /** Give up what is being asked, and show these. */
  clear(...children) {
    this.stop();
    this.show(...children);
  }

  load() {
    this.element.setAttribute("aria-busy", "true");
    const [first] = this.element.children;
    if (first && !first.matches(".failure")) return; // the answer before stays until the next comes
    this.element.replaceChildren(el("p", { class: "waiting" }, this.waiting));
  }

  fail(error, again) {
    if (error.status === undefined) console.error(error); // a fault of the page itself
    this.show(failure(error, again));
  }
}

/** What went wrong, in words; with a way to try again where that may help. */
function failure(error, again) {
  if (error.status === 501) return el("p", { class: "note" }, error.message);
  const retry = el("button", { type: "button", onclick: again }, "Try again");
  const told = el("p", {}, error.message);
  return el("div", { class: "failure", role: "alert" }, told, error.passes !== false && retry);
}
