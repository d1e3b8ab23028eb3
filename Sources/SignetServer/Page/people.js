// The people on the left: one for the users of all services that share an identity.
import { ago, askLast, brief, byId, copyable, element, refresh, say } from "/_signet/parts.js";

const services = { identity: "mParticle", visitors: "Iterable", people: "Infobip" };
const customerTypes = ["customerid", "userId", "externalUserId"];

export const member = (person, service) => person.members.find((each) => each.service === service);
const identities = (person) => person.members.flatMap((each) => each.identities);

function attributes(person) {
  const found = {};
  for (const each of person.members) {
    try {
      for (const [key, value] of Object.entries(JSON.parse(each.attributes))) {
        found[key.toLowerCase().replace(/[$_]/g, "")] ??= value;
      }
    } catch { /* A text that is no JSON names nobody. */ }
  }
  return found;
}

// What a person would say: a name, else an id of the app, else an address, else a short form of the number.
export function titleOf(person) {
  const known = attributes(person);
  const name = [known.firstname, known.lastname].filter((each) => typeof each === "string" && each).join(" ");
  if (name) return name;
  const all = identities(person);
  const isUnknown = person.members.every((each) => each.state === "unknown");
  const customer = !isUnknown && all.find((each) => customerTypes.includes(each.type)) || all.find((each) => each.type === "email");
  if (customer) return customer.value;
  if (isUnknown && all[0]) return "Unknown user " + all[0].value.slice(0, 4);
  if (/^person-/.test(person.name)) return "Lead " + person.name.slice(7);
  return "Visitor " + person.name.slice(-4);
}

// What tells people apart comes first: addresses and ids of the app. The stamp of a device is cut, and comes last.
const ranks = { email: 0, phone: 1, mobile_number: 1, customerid: 2, userId: 2, externalUserId: 2, installation: 8, device_application_stamp: 9 };
const rank = (each) => ranks[each.type] ?? 5;

function identityText(each, isUnknown) {
  if (customerTypes.includes(each.type)) return (isUnknown ? "user " : "customer ") + brief(each.value);
  return (each.type === "email" ? "" : each.type.replace(/_/g, " ") + " ") + brief(each.value);
}

export function subtitleOf(person) {
  const title = titleOf(person);
  const isUnknown = person.members.every((each) => each.state === "unknown");
  const seen = new Set([title]);
  return identities(person).filter((each) => !seen.has(each.value) && seen.add(each.value))
    .sort((one, other) => rank(one) - rank(other)).map((each) => identityText(each, isUnknown)).join(" · ");
}

// The first letters of a name. Ids that are counted begin alike: the last two characters.
function initials(title) {
  const name = title.split("@")[0];
  const signs = [...name].filter((each) => /[\p{L}\d]/u.test(each));
  if (/\d/.test(name)) return signs.slice(-2).join("").toUpperCase();
  const parts = name.split(/[\s._-]+/).filter((each) => /^\p{L}/u.test(each));
  return parts.slice(0, 2).map((each) => [...each][0].toUpperCase()).join("");
}

export function avatar(person) {
  const title = titleOf(person);
  const isNamed = !/^(Visitor|Unknown user|Lead) /.test(title);
  const letters = isNamed ? initials(title) : "?";
  const hash = [...title].reduce((sum, each) => (sum * 31 + each.codePointAt(0)) % 997, 7);
  return element("span", { class: "avatar" + (isNamed ? " a" + hash % 5 : ""), "aria-hidden": "true" }, letters || "?");
}

export function badges(person) {
  const shown = person.members.map((each) => element("span", { class: "badge " + services[each.service].toLowerCase() },
    services[each.service] + (each.service === "identity" && each.state !== "known" || each.state === "unknown" || each.state === "lead" ? " · " + each.state : "")));
  const consents = person.members.flatMap((each) => each.consent)
    .map((each) => element("span", { class: "badge " + (each.isGranted ? "yes" : "no"), title: each.isGranted ? "consent given" : "consent refused" }, each.purpose));
  if (person.members.some((each) => each.isOptedOut)) consents.push(element("span", { class: "badge no" }, "opted out"));
  return element("span", { class: "badges" }, ...shown, ...consents);
}

export const lastSeen = (person) => Math.max(...person.members.map((each) => each.lastSeen));

// A request that needs no secret, as a web page's SDK sends it.
function curl(key) {
  const body = { environment: "development", user_identities: { customer_id: "ada" },
    events: [{ event_type: "custom_event", data: { event_name: "Hello", custom_event_type: "other" } }] };
  const path = "/webevents/v3/JS/" + encodeURIComponent(key).replace(/'/g, "%27") + "/events";
  return "curl -H 'Content-Type: application/json' -d '" + JSON.stringify(body) + "' '" + location.origin + path + "'";
}

function emptyState(query) {
  if (query) {
    return [element("strong", {}, "No person matches"), element("p", {}, "Search for a part of a name, e-mail, user id or number, or clear the search.")];
  }
  const { workspace, projects, applications } = byId("people").dataset;
  if (!workspace) return [element("strong", {}, "Nobody yet")];
  return [element("strong", {}, "Nobody yet"),
    element("p", {}, "Set the base URL of your client to ", element("code", {}, location.origin), " and send a request. The person appears here at once."),
    element("dl", { class: "keys" }, ...[["mParticle key", workspace], ["Iterable project", projects], ["Infobip application", applications]]
      .flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, copyable(value))])),
    element("p", {}, "The secret of the key is in the terminal. Or make a first person with this line:"),
    element("p", {}, element("button", { type: "button", "data-copy": curl(workspace) }, "Copy the line")),
    element("pre", { tabindex: "0" }, curl(workspace))];
}

// A page of the list: those before it, and the search that it is of.
const pageSize = 100;
let first = 0;
let searched = "";

export function turnPage(count) {
  first = Math.max(0, first + count * pageSize);
}

export async function refreshPeople(choice, chosen) {
  const query = byId("query").value;
  if (query !== searched) first = 0;
  searched = query;
  const asked = first;
  const answer = await askLast("people", "people?q=" + encodeURIComponent(query) + "&from=" + asked + "&" + choice);
  if (!answer) return null;
  // Another emulator, project or application has fewer.
  if (answer.people.length === 0 && asked > 0 && first === asked) {
    first = Math.floor(Math.max(0, answer.found - 1) / pageSize) * pageSize;
    if (first < asked) return refreshPeople(choice, chosen);
  }
  const last = asked + answer.people.length;
  say(byId("found"), answer.people.length === 0 ? "" : "· " + (answer.found > answer.people.length
    ? asked + 1 + " to " + last + " of " + answer.found : answer.found) + ", last seen first");
  showPager(asked > 0, answer.found > last);
  byId("people-empty").hidden = answer.people.length > 0;
  if (answer.people.length === 0) refresh(byId("people-empty"), emptyState(query), () => byId("query"));
  refresh(byId("people-list"), answer.people.map((person) => element("li", { "data-key": person.name }, element("button", {
    type: "button", class: "person", "data-person": person.name, "aria-current": String(person.name === chosen),
  }, avatar(person), element("strong", {}, titleOf(person)), element("time", {}, ago(lastSeen(person))),
    element("small", {}, subtitleOf(person) || "user " + brief(person.name)), badges(person)))), () => byId("query"));
  return answer.people;
}

function showPager(hasBefore, hasAfter) {
  const focused = document.activeElement;
  byId("pager").hidden = !hasBefore && !hasAfter;
  byId("people-before").disabled = !hasBefore;
  byId("people-after").disabled = !hasAfter;
  // A button that is disabled loses the focus.
  if (focused === byId("people-after") && !hasAfter) byId("people-before").focus();
  if (focused === byId("people-before") && !hasBefore) byId("people-after").focus();
}
