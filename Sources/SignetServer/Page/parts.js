// What the live page is made of: questions to the emulator, elements, and parts that change in place.

export const api = "/_signet/";
export const byId = (id) => document.getElementById(id);
// The times of events are the client's: what is beyond all dates is shown as the number that it is.
const pad = (number, digits = 2) => String(number).padStart(digits, "0");
export const isTime = (milliseconds) => Math.abs(milliseconds) <= 8.64e15;
const local = (milliseconds) => new Date(milliseconds);
export function day(milliseconds) {
  const date = local(milliseconds);
  return date.getFullYear() + "-" + pad(date.getMonth() + 1) + "-" + pad(date.getDate());
}
export function clock(milliseconds, isExact) {
  if (!isTime(milliseconds)) return String(milliseconds);
  const date = local(milliseconds);
  return pad(date.getHours()) + ":" + pad(date.getMinutes()) + ":" + pad(date.getSeconds())
    + (isExact ? "." + pad(date.getMilliseconds(), 3) : "");
}
export const time = (milliseconds) => isTime(milliseconds) ? day(milliseconds) + " " + clock(milliseconds, true) : String(milliseconds);
export function ago(milliseconds) {
  const seconds = Math.max(0, (Date.now() - milliseconds) / 1000);
  if (seconds < 5) return "now";
  for (const [unit, size] of [["d", 86400], ["h", 3600], ["min", 60]]) if (seconds >= size) return Math.floor(seconds / size) + " " + unit;
  return Math.floor(seconds) + " s";
}
export function span(milliseconds) {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 1) return Math.round(milliseconds) + " ms";
  const parts = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  let rest = seconds;
  const words = parts.map(([size, unit]) => { const count = Math.floor(rest / size); rest -= count * size; return count ? count + " " + unit : ""; });
  return words.filter(Boolean).slice(0, 2).join(" ");
}

// A text that a click or the Enter key copies.
export const copyable = (text, short = text) => element("button", { type: "button", class: "id", "data-copy": text, title: "Copy " + text, "aria-label": "Copy " + text }, short);

// Long numbers and ids as their ends; what is copied is the whole. A word joiner keeps a line from ending after the dots.
const long = /-?\d{14,}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{24,}/gi;
export const brief = (text) => String(text).replace(long, (whole) => "…\u2060" + whole.slice(-6));
export function shortened(text) {
  const nodes = [];
  let end = 0;
  for (const match of String(text).matchAll(long)) {
    nodes.push(String(text).slice(end, match.index), copyable(match[0], "…" + match[0].slice(-6)));
    end = match.index + match[0].length;
  }
  nodes.push(String(text).slice(end));
  return nodes.filter((node) => node !== "");
}
export const fields = (rows) => element("dl", { class: "fields" }, ...rows.flatMap(([name, value]) =>
  [element("dt", {}, name), element("dd", {}, ...(value instanceof Node ? [value] : shortened(value)))]));
export const raw = (title, text) => element("details", {}, element("summary", {}, title), element("pre", { tabindex: "0" }, pretty(text)));

// An element with attributes and children; a child that is no node becomes text.
export function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "onclick") made.addEventListener("click", value);
    else if (value !== undefined && value !== null) made.setAttribute(name, value);
  }
  for (const child of children) {
    made.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return made;
}

export async function ask(path, method, body) {
  const options = { method: method || "GET", headers: {} };
  if (method) options.headers["Content-Type"] = "application/json";
  if (body !== undefined) options.body = JSON.stringify(body);
  const answer = await fetch(api + path, options).catch(() => { throw new Error("The emulator does not answer. Is it still running?"); });
  const value = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(value.message || "status " + answer.status), { status: answer.status });
  return value;
}

// Answers come in any order: nothing is what comes after a later question of the same kind was asked.
export const turns = {};
export const takeTurn = (kind) => turns[kind] = (turns[kind] || 0) + 1;
export async function askLast(kind, path) {
  const turn = takeTurn(kind);
  const value = await ask(path);
  return turn === turns[kind] ? value : null;
}

// Reads JSON; whole numbers beyond 2^53 stay as they are, as texts. Texts that contain digits are skipped as a whole.
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
export const parsed = (text) => JSON.parse(text.replace(tokens, (token) => /^-?\d{16,}$/.test(token) ? '"' + token + '"' : token));

export function pretty(text) {
  try {
    // Through JSON.parse, numbers beyond 2^53 would change: only such texts are laid out as come back the same.
    const laidOut = JSON.stringify(JSON.parse(text), null, 2);
    return laidOut.replace(/\s/g, "") === text.replace(/\s/g, "") ? laidOut : text;
  } catch {
    return text;
  }
}

export function say(target, text, isBad) {
  if (target.textContent !== text) target.textContent = text;
  target.className = isBad ? "bad" : "";
}

// Makes the children of an element like others, in place: what is focused, opened, selected or scrolled stays so.
export function settle(parent, wanted) {
  const keys = (nodes) => {
    const seen = {};
    return nodes.map((node) => node.nodeName + (node.dataset && node.dataset.key !== undefined ? " key " + node.dataset.key
      : " " + (seen[node.nodeName] = (seen[node.nodeName] || 0) + 1)));
  };
  const had = [...parent.childNodes];
  const kept = new Map(keys(had).map((key, index) => [key, had[index]]));
  const wantedKeys = keys(wanted);
  const isWanted = new Set(wantedKeys);
  for (const [key, node] of kept) if (!isWanted.has(key)) node.remove();
  let place = parent.firstChild;
  wanted.forEach((child, index) => {
    const old = kept.get(wantedKeys[index]);
    if (old) alter(old, child);
    if (old && old === place) place = place.nextSibling;
    else parent.insertBefore(old || child, place);
  });
}

function alter(old, wanted) {
  if (!(old instanceof Element)) {
    if (old.data !== wanted.data) old.data = wanted.data;
    return;
  }
  for (const name of old.getAttributeNames()) if (name !== "open" && !wanted.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of wanted.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  settle(old, [...wanted.childNodes]);
}

// Settles a part; focus that was in it stays, or goes to what is still there.
export function refresh(part, children, fallback) {
  const focused = part.contains(document.activeElement) ? document.activeElement : null;
  settle(part, children);
  if (!focused || focused === document.activeElement) return;
  (part.contains(focused) ? focused : fallback()).focus({ preventScroll: true });
}

// Details: one opener at a time, focus goes in and, with Escape, back out.
export const frame = (panel, title, children) => [
  element("h3", { id: panel.id + "-title", tabindex: "-1" }, title),
  element("button", { type: "button", onclick: () => close(panel, true) }, "Close"),
  ...children,
];

export function open(panel, opener, title, children) {
  panel.replaceChildren(...frame(panel, title, children));
  panel.hidden = false;
  for (const other of document.querySelectorAll("[aria-controls=" + panel.id + "]")) other.setAttribute("aria-expanded", "false");
  opener.setAttribute("aria-expanded", "true");
  panel.querySelector("h3").focus();
}

export function close(panel, goesBack) {
  const opener = document.querySelector("[aria-controls=" + panel.id + "][aria-expanded=true]");
  takeTurn(panel.id);
  panel.hidden = true;
  panel.dataset.name = "";
  if (opener) opener.setAttribute("aria-expanded", "false");
  if (goesBack) (opener || byId(panel.dataset.back)).focus();
}
