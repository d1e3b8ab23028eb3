// The selected thing on the right: fields first, then why it belongs to this person, the raw JSON last and folded.
import { ask, byId, clock, day, element, fields, isTime, parsed, raw, shortened, takeTurn, time, turns } from "/_signet/parts.js";
import { words } from "/_signet/kinds.js";

const hiddenFields = ["event_name", "screen_name", "custom_attributes", "product_action", "source_message_id"];

function readable(key, value) {
  if (/unixtime_ms$/.test(key) && typeof value === "number") return time(value);
  if (Array.isArray(value)) return value.map((each) => readable("", each)).join(", ");
  if (value && typeof value === "object") return Object.entries(value).map(([name, each]) => words(name) + " " + readable(name, each)).join(", ");
  return value === null ? "none" : String(value);
}

const label = (key) => key === "timestamp_unixtime_ms" ? "Time" : words(key.replace(/_unixtime_ms$/, ""));

function product(each) {
  const price = each.price !== undefined ? " · " + each.price : "";
  return (each.name || each.id || "product") + " × " + (each.quantity ?? 1) + price;
}

function eventRows(answer) {
  const data = parsed(answer.data);
  const rows = [];
  const action = data.product_action || {};
  if (action.action) rows.push(["Action", words(action.action)]);
  if (action.products) rows.push(["Products", action.products.map(product).join(", ")]);
  for (const [key, value] of Object.entries(action)) if (!["action", "products"].includes(key)) rows.push([label(key), readable(key, value)]);
  for (const [key, value] of Object.entries(data.custom_attributes || {})) rows.push([key, readable(key, value)]);
  for (const [key, value] of Object.entries(data)) if (!hiddenFields.includes(key)) rows.push([label(key), readable(key, value)]);
  if (answer.id) rows.push(["Event id", answer.id]);
  return rows;
}

const why = (steps) => element("ol", { class: "why" }, ...steps.map((step) => element("li", { class: step.kind },
  element("span", {}, ...shortened(step.title)),
  element("small", {}, ...(step.time !== undefined ? [clock(step.time, true) + (step.detail ? " · " : "")] : []), ...shortened(step.detail)))));

function show(title, subtitle, children) {
  const article = byId("detail");
  article.replaceChildren(element("button", { type: "button", class: "close", onclick: () => closeDetails(true) }, "Close"),
    element("h3", { tabindex: "-1" }, title), element("p", { class: "sub" }, ...shortened(subtitle)), ...children);
  article.hidden = false;
  byId("details-empty").hidden = true;
  byId("details").scrollTop = 0;
}

let onClose = () => {};
export const whenClosed = (action) => { onClose = action; };

export function closeDetails(goesBack) {
  takeTurn("details");
  byId("detail").hidden = true;
  byId("detail").replaceChildren();
  byId("details-empty").hidden = false;
  onClose();
  if (goesBack) byId("event-list").focus();
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || byId("detail").hidden || event.target.closest("dialog, input")) return;
  closeDetails(byId("details").contains(document.activeElement));
});

const moment = (at) => isTime(at) ? day(at) + " " + clock(at, true) : String(at);

export async function showItem(item, person, title) {
  const turn = takeTurn("details");
  if (!item.event) {
    const from = item.fact || item.join;
    show(item.label, moment(item.time), [fields([[item.fact ? "Request" : "What", from.title || "none"], ["Outcome", from.detail],
      ...(from.from ? [["Of", from.from]] : [])]), raw("Raw JSON", JSON.stringify(from))]);
    return;
  }
  const heading = item.label + (item.text ? " · " + item.text : "");
  let children;
  try {
    const answer = await ask("explain?event=" + item.event.number + "&user=" + encodeURIComponent(person.name));
    if (turn !== turns.details) return;
    children = [fields(eventRows(answer)), element("h4", {}, "Why it belongs to " + title), why(answer.steps), raw("Raw JSON", answer.data)];
  } catch (error) {
    if (turn !== turns.details) return;
    children = [element("p", { class: "bad" }, error.status === 404 ? "The emulator does not keep this event any more." : error.message)];
  }
  show(heading, moment(item.time), children);
}
