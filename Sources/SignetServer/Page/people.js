// The people on the left: one for the users of all services that share an identity.
import { ago, askLast, brief, byId, element, refresh, say } from "/_signet/parts.js";

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

export function subtitleOf(person) {
  const title = titleOf(person);
  const isUnknown = person.members.every((each) => each.state === "unknown");
  const seen = new Set([title]);
  return identities(person).filter((each) => !seen.has(each.value) && seen.add(each.value))
    .map((each) => (customerTypes.includes(each.type) ? (isUnknown ? "user " : "customer ") : each.type === "email" ? "" : each.type.replace(/_/g, " ") + " ") + brief(each.value))
    .join(" · ");
}

export function avatar(person) {
  const title = titleOf(person);
  const isNamed = !/^(Visitor|Unknown user|Lead) /.test(title);
  const letters = isNamed ? title.split(/[\s._-]+/).filter((each) => /^[\p{L}\d]/u.test(each)).slice(0, 2).map((each) => [...each][0].toUpperCase()).join("") : "?";
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

function emptyState(query) {
  if (query) {
    return [element("strong", {}, "No person matches"), element("p", {}, "Search for a part of a name, e-mail, user id or number, or clear the search.")];
  }
  return [element("strong", {}, "Nobody yet"),
    element("p", {}, "Set the base URL of your client to ", element("code", {}, location.origin), " and send a request. The person appears here at once."),
    element("p", {}, "The key of this workspace is ", element("code", {}, byId("people").dataset.workspace || "shown by the command"), ".")];
}

export async function refreshPeople(choice, chosen) {
  const query = byId("query").value;
  const answer = await askLast("people", "people?q=" + encodeURIComponent(query) + "&" + choice);
  if (!answer) return null;
  say(byId("found"), answer.people.length === 0 ? "" : "· " + (answer.found > answer.people.length
    ? answer.people.length + " of " + answer.found : answer.found) + ", last seen first");
  byId("people-empty").hidden = answer.people.length > 0;
  if (answer.people.length === 0) byId("people-empty").replaceChildren(...emptyState(query));
  refresh(byId("people-list"), answer.people.map((person) => element("li", { "data-key": person.name }, element("button", {
    type: "button", class: "person", "data-person": person.name, "aria-current": String(person.name === chosen),
  }, avatar(person), element("strong", {}, titleOf(person)), element("time", {}, ago(lastSeen(person))),
    element("small", {}, subtitleOf(person) || "user " + brief(person.name)), badges(person)))), () => byId("query"));
  return answer.people;
}
