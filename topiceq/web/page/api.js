/**
 * Questions to the server. What goes wrong comes back as an `ApiError` with the library's
 * own words. Behind a static server (topiceq serve --export) the answers that need no model are
 * files.
 */

const meta = document.querySelector('meta[name="topiceq-static"]');
export const isStatic = meta?.content === "true";

const JSON_LINES = "application/x-ndjson";
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

/** Send an article; the answer is a page of HTML, `begun` is given one of how it begins. */
export async function annotate(file, signal, begun) {
  const body = new FormData();
  body.append("file", file);
  return page("api/annotate", { method: "POST", body, signal }, begun);
}

/** The same of an article of arXiv, by its id. */
export async function annotateArticle(article, signal, begun) {
  return page(`api/annotate?article=${encodeURIComponent(article)}`, { method: "POST", signal }, begun);
}

async function page(url, options, begun) {
  const answer = await request(url, { ...options, headers: { Accept: JSON_LINES } });
  if (!answer.headers.get("content-type")?.includes(JSON_LINES)) return answer.text();
  for await (const told of lines(answer.body)) {
    if (told.error !== undefined) throw new ApiError(answer.status, told);
    if (told.page !== undefined) return told.page;
    begun(told.begins);
  }
  throw new ApiError(0, { error: "The answer broke off." });
}

/** The JSON lines of a body, each as soon as it is there. */
async function* lines(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value = "", done } = await reader.read();
    const whole = (text += value).split("\n");
    text = whole.pop();
    yield* whole.filter(Boolean).map((line) => JSON.parse(line));
    if (done) return;
  }
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
