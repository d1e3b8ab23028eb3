// How the entries of a timeline are called, the mark of each kind, which is a shape and a colour, and which kinds are shown.
import { brief, byId } from "/_signet/parts.js";

const events = {
  screen_view: ["screen", "Screen"], custom_event: ["custom", "Event"], commerce_event: ["purchase", "Commerce"],
  session_start: ["life", "Session begins"], session_end: ["life", "Session ends"],
  application_state_transition: ["life", "Application"], crash_report: ["refused", "Crash"],
  user_identity_change: ["login", "Identity"], user_attribute_change: ["other", "Attribute"], opt_out: ["other", "Opt-out"],
  push_message: ["other", "Push"], breadcrumb: ["other", "Breadcrumb"], network_performance: ["other", "Network"],
};
const transitions = {
  application_initialized: "Launch", application_exit: "Exit", application_background: "Background", application_foreground: "Foreground",
};
const facts = {
  login: ["login", "Log-in"], logout: ["login", "Log-out"], identify: ["login", "Identify"], modify: ["login", "Modify"],
  refused: ["refused", "Refused"], refusedCall: ["refused", "Refused call"],
};

export const words = (name) => { const text = String(name).replace(/^\$/, "").replace(/_/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2").replace(/^customerid$/, "customer id"); return text.charAt(0).toUpperCase() + text.slice(1); };

export function ofEvent(event) {
  const [mark, label] = events[event.type] || ["other", words(event.type)];
  const item = { key: "e" + event.number, time: event.time, mark, label, text: event.name || "", event };
  if (transitions[event.name] && event.type === "application_state_transition") Object.assign(item, { label: transitions[event.name], text: "" });
  if (event.type === "commerce_event" && event.name) {
    const [action, ...rest] = event.name.split(", ");
    Object.assign(item, { label: words(action), text: rest.join(", ") });
  }
  if (event.from) item.text += (item.text ? " · " : "") + "copied by an alias";
  return item;
}

export function ofFact(fact) {
  const [mark, label] = facts[fact.kind] || ["other", words(fact.kind)];
  return { key: "f" + fact.number, time: fact.time, mark, label, text: brief(["→ " + fact.detail, fact.title].filter(Boolean).join(" · ")), fact,
    isSwitch: fact.kind === "login" || fact.kind === "logout", isPlatforms: fact.time === fact.received };
}

export const ofJoin = (join, index) => ({ key: "j" + index + join.kind, time: join.time, mark: "alias", label: words(join.kind),
  text: brief(join.title), join, isPlatforms: true });

// Devices

// In the order in which they are looked for: most browsers also have the names of others.
const browsers = [["Edg(?:e|A|iOS)?", "Edge"], ["OPR", "Opera"], ["SamsungBrowser", "Samsung Internet"], ["Firefox|FxiOS", "Firefox"],
  ["HeadlessChrome|Chrome|CriOS", "Chrome"], ["Version(?=.*Safari)", "Safari"], ["curl", "curl"]];
const systems = [["iPhone|iPad", "iOS"], ["Android", "Android"], ["CrOS", "ChromeOS"], ["Windows", "Windows"], ["Macintosh", "macOS"], ["Linux", "Linux"]];

// A browser by the name that it gives itself.
function browserName(agent) {
  const found = browsers.map(([pattern, name]) => [new RegExp("(?:" + pattern + ")/(\\d+)").exec(agent), name]).find(([match]) => match);
  const system = systems.find(([pattern]) => new RegExp(pattern).test(agent));
  const name = found ? found[1] + " " + found[0][1] : agent.split(/[\s/(]/)[0];
  return name + (system ? " on " + system[1] : "");
}

// The name of the device of a batch; `web` alone names none.
export const deviceName = (batch) => batch.agent && ["", "web"].includes(batch.label || "") ? browserName(batch.agent) : batch.label || "";

// The legend: its buttons choose the kinds that are shown, all of them if none is pressed.

const shown = new Set();
export const isShown = (item) => shown.size === 0 || shown.has(item.mark);

export function countKinds(items) {
  const counts = {};
  for (const item of items) counts[item.mark] = (counts[item.mark] || 0) + 1;
  for (const button of byId("legend").querySelectorAll("[data-kind]")) {
    const count = counts[button.dataset.kind] || 0;
    button.parentElement.hidden = count === 0 && !shown.has(button.dataset.kind);
    button.querySelector("b").textContent = count;
  }
}

function showKinds() {
  for (const button of byId("legend").querySelectorAll("[data-kind]")) button.setAttribute("aria-pressed", String(shown.has(button.dataset.kind)));
  byId("all-kinds").hidden = shown.size === 0;
}

export function showAllKinds() {
  shown.clear();
  showKinds();
}

export function startLegend(onChange) {
  byId("legend").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const kind = button.dataset.kind;
    if (!kind) {
      shown.clear();
      byId("legend").querySelector("li:not([hidden]) [data-kind]").focus();
    } else if (!shown.delete(kind)) shown.add(kind);
    showKinds();
    onChange();
  });
}
