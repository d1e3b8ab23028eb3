// The timeline: a lane for identity, and one per device with sessions as bars and events as marks.
import { brief, byId, clock, day, isTime, span } from "/_signet/parts.js";
import { isShown } from "/_signet/kinds.js";
import { color, drawMarks, onTheme, sharp } from "/_signet/canvas.js";

const top = 26;
const laneHeight = 62;
const maximumLanes = 8;
// What is drawn later lies on top.
const order = ["life", "other", "screen", "custom", "purchase", "refused", "login", "alias"];
const canvas = byId("timeline");

let items = [];
// Those that the view is fitted to.
let fitted = [];
let lanes = [];
let view = { from: 0, to: 1 };
let isFollowing = true;
let selected = "";
let drawn = [];
let isDue = false;
let select = () => {};

export function redraw() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(draw);
}

// Items in ascending order of time; each event has the device of its batch.
export function setItems(sorted, isNew) {
  items = sorted.filter((item) => isTime(item.time));
  fitted = nearEvents(items);
  lanes = makeLanes(items);
  if (isNew) isFollowing = true;
  if (isFollowing) fit(latest(), isNew);
  redraw();
}

export function setSelected(key, isShown) {
  selected = key;
  const item = items.find((each) => each.key === key);
  if (item && isShown && (item.time < view.from || item.time > view.to)) {
    const half = (view.to - view.from) / 2;
    move({ from: item.time - half, to: item.time + half });
  }
  redraw();
}

function makeLanes(all) {
  const byDevice = new Map();
  for (const item of all) {
    if (!item.event) continue;
    const device = item.device || "";
    if (!byDevice.has(device)) byDevice.set(device, { device, label: item.lane, sessions: new Map(), last: 0 });
    const lane = byDevice.get(device);
    lane.last = Math.max(lane.last, item.time);
    const id = item.event.session;
    if (id === undefined) continue;
    const session = lane.sessions.get(id);
    if (session) { session.to = Math.max(session.to, item.time); session.count += 1; }
    else lane.sessions.set(id, { from: item.time, to: item.time, count: 1 });
    if (item.event.type === "session_end") lane.sessions.get(id).isEnded = true;
  }
  const recent = [...byDevice.values()].sort((one, other) => other.last - one.last);
  const shown = recent.slice(0, maximumLanes);
  shown.forEach((lane, index) => { lane.index = index; });
  // What is beyond the lanes that fit is drawn in the last one.
  const last = shown[shown.length - 1];
  for (const lane of recent.slice(maximumLanes)) {
    lane.index = last.index;
    last.label = "other devices";
    for (const [id, session] of lane.sessions) last.sessions.set(id, session);
  }
  for (const item of all) if (item.event) item.place = byDevice.get(item.device || "").index;
  return shown;
}

// The clocks of client and platform may be a year apart, as in a replay: what only the platform has stamped does not widen the view by
// more than a day.
function nearEvents(all) {
  const stamped = all.filter((item) => !item.isPlatforms);
  if (stamped.length === 0) return all;
  const from = stamped[0].time - 86400e3;
  const to = stamped[stamped.length - 1].time + 86400e3;
  return all.filter((item) => item.time >= from && item.time <= to);
}

// As many of the latest as have room to be told apart.
const latest = () => Math.max(0, fitted.length - Math.max(40, Math.floor(canvas.clientWidth / 6)));

// Shows the items from an index on; a view that follows grows in steps, so that it does not jump at each event.
function fit(first, isNew) {
  if (fitted.length === 0) return;
  const from = fitted[first].time;
  const to = fitted[fitted.length - 1].time;
  const width = Math.max(10000, to - from);
  if (!isNew && from >= view.from && to <= view.to && width > (view.to - view.from) * 0.5) return;
  view = { from: from - width * 0.04, to: to + width * 0.12 };
}

function move(wanted, keepsFollowing) {
  const width = Math.min(1e13, Math.max(50, wanted.to - wanted.from));
  view = { from: wanted.from, to: wanted.from + width };
  isFollowing = Boolean(keepsFollowing);
  byId("zoom-live").setAttribute("aria-pressed", String(isFollowing));
  redraw();
}

function zoom(factor, at = (view.from + view.to) / 2) {
  move({ from: at - (at - view.from) * factor, to: at + (view.to - at) * factor });
}

const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 15e3, 30e3, 60e3, 120e3, 300e3, 900e3, 1800e3, 3600e3, 7200e3, 21600e3, 43200e3, 86400e3,
  172800e3, 604800e3, 2592000e3, 7776000e3, 31536000e3, 315360000e3];

function drawAxis(context, width, height, x) {
  const step = steps.find((each) => each / (view.to - view.from) * width > 86) || Math.ceil((view.to - view.from) / 8);
  const shift = new Date(view.from).getTimezoneOffset() * 60000 || 0;
  context.textAlign = "center";
  for (let even = Math.ceil((view.from - shift) / step) * step; even + shift < view.to; even += step) {
    // Days begin at midnight also after the clocks have been changed.
    const tick = even + (step < 86400e3 ? shift : new Date(even + shift).getTimezoneOffset() * 60000 || 0);
    context.fillStyle = color("--line");
    context.fillRect(Math.round(x(tick)), top - 6, 1, height - top);
    context.fillStyle = color("--mute");
    const text = step >= 86400e3 ? day(tick) : step < 1000 ? clock(tick, true).slice(3) : step < 60000 ? clock(tick) : clock(tick).slice(0, 5);
    if (x(tick) > 30 && x(tick) < width - 30) context.fillText(text, x(tick), 12);
  }
  context.textAlign = "left";
}

function drawLanes(context, width, x) {
  lanes.forEach((lane, index) => {
    const y = laneY(index);
    context.fillStyle = color("--line");
    context.fillRect(0, y, width, 1);
    let free = 0;
    for (const session of lane.sessions.values()) {
      const left = Math.max(-20, x(session.from) - 9);
      const right = Math.min(width + 20, x(session.to) + 9);
      if (right < 0 || left > width) continue;
      context.beginPath();
      context.roundRect(left, y - 12, Math.max(6, right - left), 24, 6);
      context.fillStyle = color("--bar");
      context.fill();
      context.strokeStyle = color("--edge");
      context.lineWidth = 1;
      context.stroke();
      const text = (session.isEnded ? "session · " : "session, no end here · ") + span(session.to - session.from) + " · " + session.count + (session.count === 1 ? " event" : " events");
      const start = Math.max(4, left + 3);
      if (start > free && right - start > 24 && start + context.measureText(text).width < Math.max(right + 60, start)) {
        context.fillStyle = color("--mute");
        context.fillText(text, start, y + 25);
        free = start + context.measureText(text).width + 12;
      }
    }
    context.fillStyle = color("--text");
    context.fillText(brief(lane.label || "device not named").slice(0, 40), 0, y - 17);
  });
}

const laneY = (index) => top + 92 + laneHeight * index;
const factY = (item) => top + (item.join ? 38 : 16);

function draw() {
  isDue = false;
  if (canvas.offsetParent === null) return;
  const height = laneY(Math.max(1, lanes.length)) - laneHeight + 40;
  const { context, width } = sharp(canvas, height);
  const x = (time) => (time - view.from) / (view.to - view.from) * width;
  context.font = "12px system-ui, 'Noto Sans', 'DejaVu Sans', sans-serif";
  drawAxis(context, width, height, x);
  drawLanes(context, width, x);
  place(context, width, height, x);
}

// Marks of a kind that fall on the same two pixels are one: what is drawn is bounded by the width, not by the number of events.
function place(context, width, height, x) {
  const kinds = new Map(order.map((kind) => [kind, []]));
  const lastAt = new Map();
  const copies = new Map();
  drawn = [];
  for (let index = firstAt(view.from - (view.to - view.from) * 0.02); index < items.length && items[index].time <= view.to; index += 1) {
    const item = items[index];
    if (!isShown(item)) continue;
    const lane = item.event ? item.place : item.join ? -1 : -2;
    const left = x(item.time);
    const y = lane < 0 ? factY(item) : laneY(lane);
    const key = lane * 16 + order.indexOf(item.mark);
    if (item.event && item.event.from && !copies.has(lane)) copies.set(lane, [left, y]);
    if (left - lastAt.get(key) < 2) continue;
    lastAt.set(key, left);
    kinds.get(item.mark)?.push([left, y]);
    drawn.push({ item, x: left, y });
  }
  drawSwitches(context, height);
  drawJoins(context, copies);
  for (const [kind, places] of kinds) if (places.length > 0) drawMarks(context, kind, places);
  drawLabels(context, width);
  const chosen = items.find((each) => each.key === selected);
  if (!chosen) return;
  const y = chosen.event ? laneY(chosen.place) : factY(chosen);
  context.beginPath();
  context.arc(x(chosen.time), y, 11, 0, 7);
  context.strokeStyle = color("--text");
  context.lineWidth = 2;
  context.stroke();
}

function drawSwitches(context, height) {
  context.strokeStyle = color("--violet");
  context.setLineDash([3, 4]);
  context.lineWidth = 1;
  context.beginPath();
  for (const { item, x, y } of drawn) if (item.isSwitch) { context.moveTo(x, y + 8); context.lineTo(x, height - 12); }
  context.stroke();
  context.setLineDash([]);
}

function drawJoins(context, copies) {
  const join = drawn.find(({ item }) => item.join && item.join.kind === "alias");
  if (!join) return;
  context.strokeStyle = color("--amber");
  context.lineWidth = 2;
  for (const [x, y] of copies.values()) {
    context.beginPath();
    context.moveTo(x, y - 12);
    context.quadraticCurveTo(x, join.y + 14, join.x, join.y + 6);
    context.stroke();
  }
}

// Labels of the identity lane, as long as they do not collide; the latest win.
function drawLabels(context, width) {
  const ends = new Map();
  for (const { item, x, y } of [...drawn].reverse()) {
    if (item.event) continue;
    const free = ends.get(y) ?? width;
    const text = item.label;
    const start = x + 14;
    const end = start + context.measureText(text).width;
    if (end < free) {
      context.fillStyle = color(item.mark === "alias" ? "--amber" : item.mark === "refused" ? "--red" : "--violet");
      context.fillText(text, start, y + 4);
    }
    ends.set(y, Math.min(free, x - 8));
  }
}

function firstAt(time) {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle].time < time) low = middle + 1; else high = middle;
  }
  return low;
}

function hit(event) {
  const box = canvas.getBoundingClientRect();
  const x = event.clientX - box.left;
  const y = event.clientY - box.top;
  let best = null;
  let distance = event.pointerType === "touch" ? 24 : 12;
  for (const each of drawn) {
    const away = Math.hypot(each.x - x, each.y - y);
    if (away < distance) { best = each.item; distance = away; }
  }
  return best;
}

export function start(onSelect, onStep) {
  select = onSelect;
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => { drag = { x: event.clientX, view, moved: false }; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) {
      const item = hit(event);
      byId("hover").textContent = item ? clock(item.time) + " " + item.label + " " + item.text : "";
      return;
    }
    const shift = event.clientX - drag.x;
    if (Math.abs(shift) < 4 && !drag.moved) return;
    drag.moved = true;
    const time = shift / canvas.clientWidth * (drag.view.to - drag.view.from);
    move({ from: drag.view.from - time, to: drag.view.to - time });
  });
  canvas.addEventListener("pointerup", (event) => {
    const item = drag && !drag.moved ? hit(event) : null;
    drag = null;
    if (item) select(item.key);
  });
  canvas.addEventListener("pointercancel", () => { drag = null; });
  canvas.addEventListener("wheel", (event) => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      zoom(event.deltaY > 0 ? 1.25 : 0.8, view.from + event.offsetX / canvas.clientWidth * (view.to - view.from));
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      const time = event.deltaX / canvas.clientWidth * (view.to - view.from);
      move({ from: view.from + time, to: view.to + time });
    }
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const actions = { ArrowLeft: () => onStep(1), ArrowRight: () => onStep(-1), "+": () => zoom(0.6), "-": () => zoom(1.6), 0: showAll };
    if (!actions[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    actions[event.key]();
  });
  byId("zoom-in").addEventListener("click", () => zoom(0.6));
  byId("zoom-out").addEventListener("click", () => zoom(1.6));
  byId("zoom-all").addEventListener("click", showAll);
  byId("zoom-live").addEventListener("click", () => {
    move(view, true);
    fit(latest(), true);
  });
  new ResizeObserver(redraw).observe(byId("plot"));
  onTheme(redraw);
}

// Shows the entries of a day, from its first to its last.
export function showSpan(from, to) {
  const margin = Math.max(30000, (to - from) * 0.06);
  move({ from: from - margin, to: to + 2 * margin });
}

function showAll() {
  fit(0, true);
  move(view);
}
