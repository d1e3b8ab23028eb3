// The selected thing on the right: fields first, then why it belongs to this person, the raw JSON last and folded.
import { ask, byId, clock, copyable, day, element, fields, isTime, parsed, raw, shortened, takeTurn, time, turns } from "/_signet/parts.js";
import { words } from "/_signet/kinds.js";

// What the heading and the line below it have, and what is laid out apart.
const hiddenFields = ["event_name", "screen_name", "custom_attributes", "product_action", "source_message_id", "timestamp_unixtime_ms"];

function readable(key, value) {
  if (/unixtime_ms$/.test(key) && typeof value === "number") return time(value);
  if (Array.isArray(value)) return value.map((each) => readable("", each)).join(", ");
  if (value && typeof value === "object") return Object.entries(value).map(([name, each]) => words(name) + " " + readable(name, each)).join(", ");
  return value === null ? "none" : String(value);
}

const label = (key) => words(key.replace(/_unixtime_ms$/, ""));

function product(each) {
  const price = each.price !== undefined ? " · " + each.price : "";
  return (each.name || each.id || "product") + " × " + (each.quantity ?? 1) + price;
}

function eventRows(answer, device) {
  const data = parsed(answer.data);
  const rows = [];
  const action = data.product_action || {};
  if (action.action) rows.push(["Action", words(action.action)]);
  if (action.products) rows.push(["Products", action.products.map(product).join(", ")]);
  for (const [key, value] of Object.entries(action)) if (!["action", "products"].includes(key)) rows.push([label(key), readable(key, value)]);
  for (const [key, value] of Object.entries(data.custom_attributes || {})) rows.push([key, readable(key, value)]);
  for (const [key, value] of Object.entries(data)) if (!hiddenFields.includes(key)) rows.push([label(key), readable(key, value)]);
  if (device) rows.push(["Device", device]);
  if (answer.id) rows.push(["Event id", answer.id.length > 24 ? answer.id : copyable(answer.id)]);
  return rows;
}

const why = (steps) => element("ol", { class: "why" }, ...steps.map((step) => element("li", { class: step.kind },
  element("span", {}, ...shortened(step.title)),
  element("small", {}, ...(step.time !== undefined ? [clock(step.time, true) + (step.detail ? " · " : "")] : []), ...shortened(step.detail)))));

// The head stays while fields and reasons come; what is focused there keeps the focus.
function show(title, subtitle, link, children) {
  const article = byId("detail");
  article.replaceChildren(element("button", { type: "button", class: "close", onclick: () => closeDetails(true) }, "Close"),
    element("h3", { tabindex: "-1" }, title), element("p", { class: "sub" }, ...shortened(subtitle),
      ...(link ? [" ", element("button", { type: "button", class: "id", "data-copy": link }, "Copy link")] : [])),
    element("div", { id: "detail-fields" }, ...children), element("div", { id: "detail-reasons" }));
  article.hidden = false;
  byId("details-empty").hidden = true;
  byId("details").scrollTop = 0;
}

let onClose = () => {};
export const whenClosed = (action) => { onClose = action; };

// Asked for by the reader, or because something else is shown.
export function closeDetails(isAsked, goesBack = isAsked) {
  takeTurn("details");
  byId("detail").hidden = true;
  byId("detail").replaceChildren();
  byId("details-empty").hidden = false;
  onClose(isAsked);
  if (goesBack) byId("event-list").focus();
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || byId("detail").hidden || event.target.closest("dialog, input")) return;
  closeDetails(true, byId("details").contains(document.activeElement));
});

const moment = (at) => isTime(at) ? day(at) + " " + clock(at, true) : String(at);

// Says that a link names an entry that is not there.
export const showMissing = () => show("Not there", "", "", [element("p", {}, "The emulator does not keep this entry any more, or the link is of another emulator.")]);

// What the row knows already, until the whole event is there.
const rowFields = ({ event, lane }) => fields([["Session", event.session], ["Device", lane], ["Copied from", event.from]].filter(([, value]) => value));

export async function showItem(item, person, title, link) {
  const turn = takeTurn("details");
  if (!item.event) {
    const from = item.fact || item.join;
    show(item.label, moment(item.time), link, [fields([[item.fact ? "Request" : "What", from.title || "none"], ["Outcome", from.detail],
      ...(from.from ? [["Of", from.from]] : []), ...(from.received && from.received !== from.time ? [["Received", time(from.received)]] : [])]),
    raw("Raw JSON", JSON.stringify(from))]);
    return;
  }
  show(item.label + (item.text ? " · " + item.text : ""), moment(item.time), link, [rowFields(item)]);
  const reasons = (...children) => byId("detail-reasons").replaceChildren(element("h4", {}, "Why it belongs to " + title), ...children);
  reasons(element("p", { class: "sub" }, "Loading …"));
  const query = "user=" + encodeURIComponent(person.name);
  // The reasons may take seconds for a long history: the fields do not wait for them.
  const [asked, explained] = [ask("events/" + item.event.number + "?" + query), ask("explain?event=" + item.event.number + "&" + query)];
  explained.catch(() => {});
  try {
    const answer = await asked;
    if (turn !== turns.details) return;
    byId("detail-fields").replaceChildren(fields(eventRows(answer, item.lane)));
    byId("detail").append(raw("Raw JSON", answer.data));
    const { steps } = await explained;
    if (turn === turns.details) reasons(why(steps));
  } catch (error) {
    if (turn !== turns.details) return;
    byId("detail-reasons").replaceChildren(element("p", { class: "bad" },
      error.status === 404 ? "The emulator does not keep this event any more." : error.message));
  }
}
