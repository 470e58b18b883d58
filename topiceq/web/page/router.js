/**
 * Addresses: #/view/id?name=value. All that a view shows is in them, so they can be shared, and
 * they work behind any static server. `go` adds a step to the history, `settle` only corrects the
 * current one: for what changes with every letter typed or every move of a slider.
 */

/** The parts of an address. */
export function parse(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [view = "", id] = path.split("/");
  return { view: view || "topics", id, params: new URLSearchParams(query) };
}

/** An address; what is empty is left out. */
export function address(view, id, params = {}) {
  const given = Object.entries(params).filter(([, value]) => value != null && value !== "");
  const query = new URLSearchParams(given).toString();
  return `#/${view}${id == null ? "" : `/${id}`}${query && `?${query}`}`;
}

/** Go to an address. */
export function go(to) {
  if (location.hash !== to) location.hash = to;
}

/** Correct the address in place. */
export function settle(to) {
  if (location.hash !== to) history.replaceState(history.state, "", to);
}

/** Call `show` with the route now, and whenever it changes. */
export function follow(show) {
  addEventListener("hashchange", () => show(parse(location.hash)));
  show(parse(location.hash));
}
