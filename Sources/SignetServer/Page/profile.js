// The tabs of a person other than the events: what each service knows.
import { ask, byId, clock, day, element, fields, isTime, parsed, raw, refresh, shortened, takeTurn, time, turns } from "/_signet/parts.js";
import { words } from "/_signet/kinds.js";
import { member } from "/_signet/people.js";

const missing = {
  visitors: ["Iterable does not know this person", "It does once the app tracks, updates or merges a user with the same user id or e-mail. Criteria decide when an unknown visitor becomes a user."],
  people: ["Infobip does not know this person", "It does once the app personalizes an installation with the same external user id or e-mail."],
  identity: ["mParticle does not know this person", "It does once the app identifies a user with the same customer id or e-mail."],
};

const empty = (service) => [element("div", { class: "empty" }, element("strong", {}, missing[service][0]), element("p", {}, missing[service][1]))];

function attributeRows(text) {
  try {
    return Object.entries(parsed(text)).map(([key, value]) =>
      [words(key), value === null ? "tag" : typeof value === "object" ? JSON.stringify(value) : String(value)]);
  } catch {
    return [];
  }
}

const identityRows = (user) => user.identities.map((each) => [words(each.type), each.value]);
const listed = (title, children) => children.length === 0 ? [] : [element("h4", {}, title), ...children];

function eventsOf(user) {
  const alike = {};
  return [...user.events].reverse().map((event) => {
    const name = [event.time, event.type, event.name, event.data].join(" ");
    alike[name] = (alike[name] || 0) + 1;
    const node = raw((isTime(event.time) ? day(event.time) + " " + clock(event.time) : event.time) + " · " + words(event.type)
      + (event.name ? " · " + event.name : ""), event.data);
    node.dataset.key = name + " " + alike[name];
    return node;
  }).reverse();
}

function content(user, others) {
  const joined = others.joined.length ? [["Joined from", others.joined.join(", ")]] : [];
  return [
    fields([["State", words(user.state)], ["First seen", time(user.firstSeen)], ["Last seen", time(user.lastSeen)], ...identityRows(user), ...joined]),
    ...listed("Consent", user.consent.length ? [fields(user.consent.map((each) => [each.purpose, each.isGranted ? "given" : "refused"]))] : []),
    ...listed("Attributes", attributeRows(user.attributes).length ? [fields(attributeRows(user.attributes))] : []),
    ...listed("Devices", user.devices.map((device) => element("p", { class: "device" },
      ...shortened([device.device || "not named", device.application, device.ip].filter(Boolean).join(" · ")),
      element("small", {}, " · last used " + time(device.last) + " · " + device.events + " events")))),
    ...(user.service === "identity" ? [] : listed("Events (" + user.eventCount + ")", eventsOf(user))),
    ...(user.service !== "identity" && user.eventCount === 0 ? [element("div", { class: "empty" }, element("strong", {}, "No event yet"),
      element("p", {}, "Events that the app sends to this service appear here."))] : []),
    raw("Raw attributes", user.attributes),
  ];
}

// Fills the tab that is shown; an answer that comes after another was asked for is let be.
export async function showTab(tab, person, choice) {
  const service = { iterable: "visitors", infobip: "people", profile: "identity" }[tab];
  if (!service) return;
  const panel = byId("panel-" + tab);
  const turn = takeTurn("tab");
  const known = member(person, service);
  const isOther = panel.dataset.of !== person.name;
  panel.dataset.of = person.name;
  if (!known) {
    panel.replaceChildren(...empty(service));
    return;
  }
  if (isOther) panel.replaceChildren(element("div", { class: "empty" }, element("strong", {}, "Loading …")));
  const users = person.members.filter((each) => each.service === service);
  const answers = await Promise.all(users.map((each) => ask("users/" + encodeURIComponent(each.name) + "?" + choice)));
  if (turn !== turns.tab) return;
  refresh(panel, answers.flatMap((user, index) => content(user, users[index])), () => panel);
}
