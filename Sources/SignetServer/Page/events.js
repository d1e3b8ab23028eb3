// The list of events: only the rows that are seen exist, so that 10,000 are as quick as ten.
import { byId, clock, day, element, isTime } from "/_signet/parts.js";

const rowHeight = 34;
const list = byId("event-list");
const rows = byId("event-rows");
// Items, and a row before the first of each day.
let items = [];
let days = [];
let selected = "";
let select = () => {};
let isDue = false;
const made = new Map();

const weekday = new Intl.DateTimeFormat("en", { weekday: "long" });
function dayText(time) {
  if (!isTime(time)) return "No date: the client's time is a number beyond all dates";
  return weekday.format(time) + ", " + day(time) + (day(time) === day(Date.now()) ? ", today" : "");
}

// The bounds are those of the clock on the wall: a day may have 23 hours.
function dayOf(time) {
  if (!isTime(time)) return { isDay: true, key: "d?", time, from: -Infinity, to: Infinity };
  const date = new Date(time);
  const bounds = [0, 1].map((next) => new Date(date.getFullYear(), date.getMonth(), date.getDate() + next).getTime());
  return { isDay: true, key: "d" + day(time), time, from: bounds[0], to: bounds[1] };
}

function withDays(sorted) {
  days = [];
  const all = [];
  let current = null;
  for (const item of sorted) {
    if (!current || isTime(item.time) !== isTime(current.time) || item.time < current.from || item.time >= current.to) {
      current = Object.assign(dayOf(item.time), { index: all.length, count: 0 });
      days.push(current);
      all.push(current);
    }
    current.count += 1;
    all.push(item);
  }
  return all;
}

// Items in descending order of time. What is at the top of the view stays there while others arrive above it.
export function setRows(next, isNew) {
  const anchor = Math.floor(list.scrollTop / rowHeight);
  const key = list.scrollTop > 0 && items[anchor] ? items[anchor].key : "";
  const rest = list.scrollTop - anchor * rowHeight;
  items = withDays(next);
  rows.style.height = items.length * rowHeight + "px";
  if (isNew) list.scrollTop = 0;
  else if (key) {
    const place = items.findIndex((item) => item.key === key);
    if (place >= 0) list.scrollTop = place * rowHeight + rest;
  }
  spare.push(...made.values());
  made.clear();
  fillDays();
  draw();
}

export function setSelectedRow(key, isShown) {
  selected = key;
  const place = items.findIndex((item) => item.key === key);
  if (isShown && place >= 0) {
    const y = place * rowHeight;
    // The row of the day before an entry is shown with it.
    if (y < list.scrollTop) list.scrollTop = y - (items[place - 1]?.isDay ? rowHeight : 0);
    else if (y + rowHeight > list.scrollTop + list.clientHeight) list.scrollTop = y + rowHeight - list.clientHeight;
  }
  for (const node of made.values()) if (node.role === "option") node.setAttribute("aria-selected", String(node.id === "row-" + selected));
  draw();
}

export function step(count) {
  const place = items.findIndex((item) => item.key === selected);
  let next = place < 0 ? (count < items.length ? 0 : items.length - 1) : Math.min(items.length - 1, Math.max(0, place + count));
  // The first row is a day and the last one is none.
  while (items[next]?.isDay) next += next > 0 && count < 0 ? -1 : 1;
  if (items[next]) select(items[next].key);
}

// Days

const dayOptions = (each) => element("option", { value: each.key }, (isTime(each.time) ? day(each.time) : "no date") + " · " + each.count);
let filled = "";

function fillDays() {
  byId("day-choice").hidden = days.length < 2;
  const text = days.map((each) => each.key + " " + each.count).join();
  if (text === filled) return;
  filled = text;
  byId("day").replaceChildren(...days.map(dayOptions));
}

function dayAt(place) {
  let low = 0;
  let high = days.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (days[middle].index <= place) low = middle; else high = middle - 1;
  }
  return low;
}

// A row that left the view is filled anew: to make one costs more than to change its words.
const spare = [];

function row(item, place) {
  const node = spare.pop() || element("div", { class: "row" }, element("time", {}, ""), element("i", {}), element("span", {}, ""), element("span", {}, ""));
  const [time, mark, label, text] = node.children;
  node.id = "row-" + item.key;
  node.style.top = place * rowHeight + "px";
  node.className = item.isDay ? "row day" : "row";
  if (item.isDay) {
    time.firstChild.data = dayText(item.time);
    label.firstChild.data = text.firstChild.data = node.title = "";
    for (const name of ["role", "aria-selected", "aria-posinset", "aria-setsize"]) node.removeAttribute(name);
    // The description of each entry has its day.
    node.setAttribute("aria-hidden", "true");
    return node;
  }
  const when = isTime(item.time) ? clock(item.time) : "?";
  time.firstChild.data = when;
  mark.className = "mark " + item.mark;
  label.firstChild.data = item.label;
  text.firstChild.data = item.text;
  node.title = isTime(item.time) ? day(item.time) + " " + when : "";
  node.removeAttribute("aria-hidden");
  node.setAttribute("role", "option");
  node.setAttribute("aria-selected", String(item.key === selected));
  node.setAttribute("aria-posinset", place - dayAt(place));
  node.setAttribute("aria-setsize", items.length - days.length);
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
  // The choice of the day follows the list, except while it is used: the last days cannot be scrolled to the top.
  if (days.length > 1 && document.activeElement !== byId("day")) byId("day").value = days[dayAt(Math.ceil(list.scrollTop / rowHeight))].key;
}

export function startList(onSelect, onDay) {
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
  byId("day").addEventListener("change", () => {
    const chosen = days.find((each) => each.key === byId("day").value);
    if (!chosen) return;
    list.scrollTop = chosen.index * rowHeight;
    onDay(items[chosen.index + chosen.count].time, items[chosen.index + 1].time);
  });
  new ResizeObserver(draw).observe(list);
}
