// The person in the middle: who it is, the timeline, the list and the tabs; asks only for what is new.
import { ask, brief, byId, copyable, element, refresh, takeTurn, turns } from "/_signet/parts.js";
import { avatar, badges, member, subtitleOf, titleOf } from "/_signet/people.js";
import { countKinds, deviceName, isShown, ofEvent, ofFact, ofJoin, showAllKinds, startLegend } from "/_signet/kinds.js";
import { redraw, setItems, setSelected, showSpan, start } from "/_signet/timeline.js";
import { setRows, setSelectedRow, startList, step } from "/_signet/events.js";
import { closeDetails, showItem, showMissing, whenClosed } from "/_signet/details.js";
import { showTab } from "/_signet/profile.js";
import { address, linkTo } from "/_signet/address.js";

const tabs = ["events", "iterable", "infobip", "profile"];
let person = null;
let server = "";
let tab = "events";
let known = null;
let isGone = false;

const fresh = () => ({ events: new Map(), facts: new Map(), joins: [], batches: {}, lastEvent: 0, lastFact: 0, asked: 0, taken: 0, items: [],
  selected: "", wanted: "" });
export const chosenName = () => person ? person.name : "";
// What the address names of this person.
const place = (event) => ({ person: person.name, tab: tab === "events" ? "" : tab, event });

function select(key) {
  const item = known.items.find((each) => each.key === key);
  if (!item) return;
  // Back closes an entry; it does not go through all that the arrow keys have passed.
  address(place(key), !known.selected);
  showSelected(item);
}

function showSelected(item) {
  known.selected = item.key;
  setSelected(item.key, true);
  // A filter does not hide what a link names.
  if (!isShown(item)) { showAllKinds(); showItems(false); }
  setSelectedRow(item.key, true);
  showItem(item, person, titleOf(person), linkTo(place(item.key)));
}

// Shows the tab and the entry that an address names, the entry as soon as it is there.
export function showAddressed(given) {
  if (!person || !known) return;
  tab = tabs.includes(given.tab) ? given.tab : "events";
  showPanels();
  if (tab === "events") redraw();
  known.wanted = given.event || "";
  if (!known.wanted) closeDetails(false);
  else showWanted();
}

function showWanted() {
  if (!known.wanted || known.taken === 0 && member(person, "identity")) return;
  const item = known.items.find((each) => each.key === known.wanted);
  if (item && item.key !== known.selected) showSelected(item);
  if (!item) showMissing();
  known.wanted = "";
}

export async function choosePerson(next, choice, from) {
  const isOther = !person || person.name !== next.name || server !== from;
  person = next;
  server = from;
  isGone = false;
  if (isOther) {
    known = null;
    takeTurn("story");
    closeDetails(false);
    known = fresh();
    showAllKinds();
  }
  showPerson();
  await follow(choice);
}

export function leavePerson() {
  person = null;
  known = null;
  takeTurn("story");
  closeDetails(false);
  byId("who").replaceChildren(element("h2", { id: "story-title", tabindex: "-1" }, "Timeline"));
  byId("tabs").hidden = true;
  for (const name of tabs) byId("panel-" + name).hidden = true;
  sayNobody();
}

export const sayNobody = () => sayEmpty("Nobody is chosen", "Send a first request, then choose the person to see sessions, events and log-ins on a timeline.");

function sayEmpty(title, text) {
  byId("story-empty").hidden = !title;
  byId("story-empty").replaceChildren(...(title ? [element("strong", {}, title), element("p", {}, text)] : []));
}

function showPerson() {
  const user = member(person, "identity");
  const line = subtitleOf(person);
  const id = user ? [line ? " · user " : "user ", copyable(user.name, brief(user.name))] : [];
  refresh(byId("who"), [avatar(person), element("div", {}, element("h2", { id: "story-title", tabindex: "-1" }, titleOf(person)),
    element("p", {}, line, ...id), badges(person)),
    element("button", { type: "button", class: "link", "data-copy": linkTo(place("")) }, "Copy link")], () => byId("story-title"));
  byId("tabs").hidden = false;
  const services = { iterable: "visitors", infobip: "people" };
  for (const [name, service] of Object.entries(services)) {
    byId("tab-" + name).querySelector("b").textContent = member(person, service)?.state || "";
  }
  showPanels();
}

function showPanels() {
  for (const name of tabs) {
    byId("panel-" + name).hidden = !person || isGone || name !== tab || name === "events" && known.items.length === 0;
    byId("tab-" + name).setAttribute("aria-selected", String(name === tab));
    byId("tab-" + name).tabIndex = name === tab ? 0 : -1;
  }
  if (isGone) return;
  if (tab === "events" && known && known.items.length === 0) {
    if (known.taken === 0 && member(person, "identity")) sayEmpty("Loading …", "");
    else sayEmpty("No event yet", member(person, "identity") ? "Log an event in your client. It appears here as soon as its batch arrives."
      : "mParticle does not know this person. Look at the other tabs, or identify a user with the same id or e-mail.");
  } else sayEmpty("");
}

// Brings the shown person up to date; one that was exchanged for another meanwhile is let be.
export async function follow(choice) {
  if (!person || isGone) return;
  const turn = turns.story;
  const store = known;
  const asked = store.asked += 1;
  if (member(person, "identity")) {
    try {
      const answer = await ask("users/" + encodeURIComponent(person.name) + "/timeline?after=" + store.lastEvent + "&facts=" + store.lastFact + "&" + choice);
      // An earlier answer that comes late has nothing that is not there, and a total that is too low.
      if (turn !== turns.story || store !== known || asked < store.taken) return;
      const isNew = store.taken === 0;
      store.taken = asked;
      take(answer, isNew);
    } catch (error) {
      if (error.status !== 404) throw error;
      if (turn === turns.story) tellGone();
      return;
    }
  }
  showPanels();
  showWanted();
  if (tab !== "events") await showTab(tab, person, choice);
}

export function tellGone() {
  isGone = true;
  for (const name of tabs) byId("panel-" + name).hidden = true;
  byId("tabs").hidden = true;
  sayEmpty("This person is not there any more", "Merged with another, or of an emulator that has ended. Choose another person.");
}

// Says that a link names nobody.
export function sayMissing() {
  leavePerson();
  sayEmpty("This person is not there", "The link may be of another emulator, or of another project or application. Choose another person.");
}

function take(answer, isNew) {
  const joins = JSON.stringify(answer.joins);
  const isSame = answer.events.length === 0 && answer.facts.length === 0 && joins === known.joinText;
  Object.assign(known.batches, answer.batches);
  for (const event of answer.events) {
    const batch = known.batches[event.batch] || {};
    known.events.set(event.number, Object.assign(ofEvent(event), { device: batch.device, lane: deviceName(batch) }));
    known.lastEvent = event.number;
  }
  for (const fact of answer.facts) {
    known.facts.set(fact.number, ofFact(fact));
    known.lastFact = Math.max(known.lastFact, fact.number);
  }
  known.joinText = joins;
  if (isSame && !isNew) return;
  known.joins = answer.joins.map(ofJoin);
  // The emulator may have forgotten the oldest.
  if (known.events.size > answer.total) {
    for (const number of [...known.events.keys()].slice(0, known.events.size - answer.total)) known.events.delete(number);
  }
  // At the same time, an identity call comes before the events of its user.
  known.items = [...known.facts.values(), ...known.events.values(), ...known.joins].sort((one, other) => one.time - other.time);
  const wasEmpty = byId("panel-events").hidden;
  showPanels();
  setItems(known.items, isNew || wasEmpty);
  countKinds(known.items);
  showItems(isNew);
}

// The rows of the chosen kinds; the badge counts them.
function showItems(isNew) {
  const rows = known.items.filter(isShown).reverse();
  byId("tab-events").querySelector("b").textContent = rows.length === known.items.length ? rows.length : rows.length + " of " + known.items.length;
  setRows(rows, isNew);
}

function showChosenTab(name, choice, work) {
  tab = name;
  address(place(known.selected), false);
  showPanels();
  if (name === "events") redraw();
  work(() => showTab(tab, person, choice()));
}

export function startStory(choice, work) {
  known = null;
  start(select, step);
  startList(select, showSpan);
  startLegend(() => { if (known) { redraw(); showItems(true); } });
  whenClosed((isAsked) => {
    if (!known) return;
    if (isAsked) address(place(""), false);
    known.selected = "";
    known.wanted = "";
    setSelected("");
    setSelectedRow("");
  });
  byId("tabs").addEventListener("click", (event) => {
    const button = event.target.closest("[role=tab]");
    if (button) showChosenTab(button.id.slice(4), choice, work);
  });
  byId("tabs").addEventListener("keydown", (event) => {
    const shift = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!shift) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(tab) + shift + tabs.length) % tabs.length];
    showChosenTab(next, choice, work);
    byId("tab-" + next).focus();
  });
  leavePerson();
  sayEmpty("Loading …", "");
}
