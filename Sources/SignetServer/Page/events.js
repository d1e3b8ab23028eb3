// The list of events: only the rows that are seen exist, so that 10,000 are as quick as ten.
import { byId, clock, day, element, isTime } from "/_signet/parts.js";

const rowHeight = 34;
const list = byId("event-list");
const rows = byId("event-rows");
let items = [];
let selected = "";
let select = () => {};
let isDue = false;
const made = new Map();

// Items in descending order of time. What is at the top of the view stays there while others arrive above it.
export function setRows(next, isNew) {
  const anchor = Math.floor(list.scrollTop / rowHeight);
  const key = list.scrollTop > 0 && items[anchor] ? items[anchor].key : "";
  const rest = list.scrollTop - anchor * rowHeight;
  items = next;
  rows.style.height = items.length * rowHeight + "px";
  if (isNew) list.scrollTop = 0;
  else if (key) {
    const place = items.findIndex((item) => item.key === key);
    if (place >= 0) list.scrollTop = place * rowHeight + rest;
  }
  spare.push(...made.values());
  made.clear();
  draw();
}

export function setSelectedRow(key, isShown) {
  selected = key;
  const place = items.findIndex((item) => item.key === key);
  if (isShown && place >= 0) {
    const y = place * rowHeight;
    if (y < list.scrollTop) list.scrollTop = y;
    else if (y + rowHeight > list.scrollTop + list.clientHeight) list.scrollTop = y + rowHeight - list.clientHeight;
  }
  for (const node of made.values()) node.setAttribute("aria-selected", String(node.id === "row-" + selected));
  draw();
}

export function step(count) {
  const place = items.findIndex((item) => item.key === selected);
  const next = place < 0 ? 0 : Math.min(items.length - 1, Math.max(0, place + count));
  if (items[next]) select(items[next].key);
}

// A row that left the view is filled anew: to make one costs more than to change its words.
const spare = [];

function row(item, place) {
  const when = isTime(item.time) ? clock(item.time) : "?";
  const node = spare.pop() || element("div", { class: "row", role: "option" }, element("time", {}, ""), element("i", {}), element("span", {}, ""), element("span", {}, ""));
  const [time, mark, label, text] = node.children;
  time.firstChild.data = when;
  mark.className = "mark " + item.mark;
  label.firstChild.data = item.label;
  text.firstChild.data = item.text;
  node.id = "row-" + item.key;
  node.title = isTime(item.time) ? day(item.time) + " " + when : "";
  node.setAttribute("aria-selected", String(item.key === selected));
  node.setAttribute("aria-posinset", place + 1);
  node.setAttribute("aria-setsize", items.length);
  node.style.top = place * rowHeight + "px";
  return node;
}

function draw() {
  const first = Math.max(0, Math.floor(list.scrollTop / rowHeight) - 6);
  const last = Math.min(items.length, Math.ceil((list.scrollTop + list.clientHeight) / rowHeight) + 6);
  const wanted = new Set();
  for (let place = first; place < last; place += 1) wanted.add(items[place].key);
  for (const [key, node] of made) {
    if (wanted.has(key)) continue;
    spare.push(node);
    made.delete(key);
  }
  for (let place = first; place < last; place += 1) {
    const item = items[place];
    if (made.has(item.key)) continue;
    const node = row(item, place);
    made.set(item.key, node);
    if (!node.isConnected) rows.append(node);
  }
  for (const node of spare.splice(0)) node.remove();
  if (made.has(selected)) list.setAttribute("aria-activedescendant", "row-" + selected);
  else list.removeAttribute("aria-activedescendant");
}

export function startList(onSelect) {
  select = onSelect;
  list.addEventListener("scroll", () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => { isDue = false; draw(); });
  }, { passive: true });
  list.addEventListener("click", (event) => {
    const node = event.target.closest(".row");
    if (node) select(node.id.slice(4));
  });
  list.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(list.clientHeight / rowHeight) - 1);
    const count = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -items.length, End: items.length }[event.key];
    if (count === undefined) return;
    event.preventDefault();
    step(count);
  });
  new ResizeObserver(draw).observe(list);
}
