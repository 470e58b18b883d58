/**
 * Questions to the server. What goes wrong comes back as an `ApiError` with the library's
 * own words. Behind a static server (topiceq serve --export) the answers that need no model are
 * files.
 */

const meta = document.querySelector('meta[name="topiceq-static"]');
export const isStatic = meta?.content === "true";

const PATIENCE = 2; // times that a busy server is asked again
const kept = new Map(); // answers that do not change while the page is open

/** What went wrong, and where. */
export class ApiError extends Error {
  constructor(status, { error, kind = null, position = null } = {}) {
    super(error ?? `The server answered with status ${status}.`);
    Object.assign(this, { status, kind, position });
  }

  /** Whether the same question may get an answer another time. */
  get passes() {
    return this.status === 0 || this.status === 408 || (this.status >= 500 && this.status !== 501);
  }
}

/** An answer that never changes: asked once. */
export function get(name) {
  if (!kept.has(name)) kept.set(name, fetchJson(place(name)).catch((error) => forget(name, error)));
  return kept.get(name);
}

function forget(name, error) {
  kept.delete(name);
  throw error;
}

function place(name) {
  return isStatic ? `api/${name}.json` : `api/${name}`;
}

/** An answer in bytes. */
export async function bytes(name) {
  return (await request(isStatic ? `api/${name}.bin` : `api/${name}`, {})).arrayBuffer();
}

/** Ask a question in JSON. */
export function ask(verb, question, signal) {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify(question);
  return fetchJson(`api/${verb}?page=true`, { method: "POST", headers, body, signal });
}

/** Send an article; the answer is a page of HTML, as text. */
export async function annotate(file, signal) {
  const body = new FormData();
  body.append("file", file);
  return (await request("api/annotate", { method: "POST", body, signal })).text();
}

/** The same of an article of arXiv, by its id. */
export async function annotateArticle(article, signal) {
  const url = `api/annotate?article=${encodeURIComponent(article)}`;
  return (await request(url, { method: "POST", signal })).text();
}

/** An answer in JSON. */
export async function fetchJson(url, options = {}) {
  const answer = await request(url, options);
  try {
    return await answer.json();
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError(answer.status, { error: "The answer is no JSON. Is it a TopicEq server?" });
  }
}

async function request(url, options) {
  for (let again = 0; ; again++) {
    const answer = await fetch(url, options).catch((error) => unreachable(error, options.signal));
    if (answer.ok) return answer;
    if (answer.status !== 503 || again === PATIENCE) throw await told(answer);
    await pause(1000 * Math.min(Number(answer.headers.get("retry-after")) || 1, 5), options.signal);
  }
}

function unreachable(error, signal) {
  if (signal?.aborted) throw error;
  throw new ApiError(0, { error: "The server does not answer. Is it still running?" });
}

async function told(answer) {
  return new ApiError(answer.status, await answer.json().catch(() => ({})));
}

/** Wait, unless the signal says that nobody waits any more. */
export function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
