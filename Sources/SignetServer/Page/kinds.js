// How the entries of a timeline are called, and the mark of each kind: a shape and a colour.
import { brief } from "/_signet/parts.js";

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
  return { key: "f" + fact.number, time: fact.time, mark, label, text: brief([fact.title, fact.detail].filter(Boolean).join(" → ")), fact,
    isSwitch: fact.kind === "login" || fact.kind === "logout" };
}

export const ofJoin = (join, index) => ({ key: "j" + index + join.kind, time: join.time, mark: "alias", label: words(join.kind),
  text: brief(join.title), join });
