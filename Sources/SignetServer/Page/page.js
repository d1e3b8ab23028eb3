// The live page of `signet emulator`. Everything that came from a client is put in by textContent, never as markup.
import { api, ask, askLast, byId, element, settle, takeTurn } from "/_signet/parts.js";
import { connection, guarded } from "/_signet/status.js";
import { refreshPeople, turnPage } from "/_signet/people.js";
import { address, addressed } from "/_signet/address.js";
import { showFaults } from "/_signet/faults.js";
import { chooseBy, loadCriteria } from "/_signet/criteria.js";
import { begin, hear, listRequests, serverName } from "/_signet/requests.js";
import { choosePerson, chosenName, follow, leavePerson, sayMissing, sayNobody, showAddressed, startStory, tellGone } from "/_signet/story.js";
import { drawRate } from "/_signet/rate.js";
import { onTheme } from "/_signet/canvas.js";
import "/_signet/copy.js";

const refreshEvery = 500;
const countNames = {
  users: "users", events: "events", batches: "batches", repetitions: "repetitions", refusedBatches: "refused batches",
  aliases: "aliases", visitors: "visitors", unknownUsers: "unknown users", people: "people", installations: "installations",
};

// What the selects say; nothing until they are filled, which is the first of each.
function chosen() {
  return ["project", "application"].filter((name) => byId(name).value !== "")
    .map((name) => name + "=" + encodeURIComponent(byId(name).value)).join("&");
}

// What there is to choose among is filled in once for each emulator that answers; what was chosen stays if it can.
function fillChoice(name, names, wish) {
  const select = byId(name);
  select.replaceChildren(...names.map((each) => element("option", { value: each }, each)));
  if (names.includes(wish)) select.value = wish;
  byId("choose-" + name).hidden = names.length < 2;
  return names.length > 1;
}

let isChoiceFilled = false;
async function loadChoice() {
  const given = addressed();
  const wishes = ["project", "application"].map((name) => byId(name).value || given[name]);
  const state = await askLast("choice", "state");
  if (!state) return;
  const hasProjects = fillChoice("project", state.projects, wishes[0]);
  const hasApplications = fillChoice("application", state.applications, wishes[1]);
  byId("choice").hidden = !hasProjects && !hasApplications;
  Object.assign(byId("people").dataset, { workspace: state.key, projects: state.projects.join(", "), applications: state.applications.join(", ") });
  isChoiceFilled = true;
}

async function refreshCounts() {
  const state = await askLast("counts", "state?" + chosen());
  if (!state) return;
  byId("criteria-project").textContent = state.project;
  byId("count-exchanges").textContent = state.exchanges;
  const rows = Object.entries(countNames).map(([key, name]) =>
    element("div", {}, element("dt", {}, name), element("dd", { id: "count-" + key }, state[key])));
  rows.unshift(element("div", {}, element("dt", {}, "strategy"), element("dd", {}, state.strategy)));
  settle(byId("counts"), rows);
}

// People

let people = [];
let chosenIn = "";
let hasChosen = false;

async function refreshList() {
  const answer = await refreshPeople(chosen(), chosenName());
  if (!answer) return;
  people = answer;
  if (chosenName() || hasChosen) return;
  // A newcomer sees whom the address names, else somebody at once; later ones do not push away whom the reader looks at.
  if (addressed().person) await chooseAddressed();
  else if (people.length === 0) sayNobody();
  else {
    address({ person: people[0].name }, false);
    await choose(people[0]);
  }
}

// The person, the tab and the entry that the address names.
async function chooseAddressed() {
  const given = addressed();
  if (!given.person) return;
  if (given.person !== chosenName()) {
    hasChosen = true;
    const person = people.find((each) => each.name === given.person) || await asked(given.person);
    if (!person) { sayMissing(); return; }
    await choose(person);
  }
  showAddressed(given);
}

// Somebody who is not on this page of the list. A visitor may have become part of another person since.
async function asked(name) {
  try {
    const person = await askLast("person", "people/" + encodeURIComponent(name) + "?" + chosen());
    if (person && person.name !== name) address({ ...addressed(), person: person.name }, false);
    return person;
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}

async function choose(person) {
  hasChosen = true;
  chosenIn = serverName();
  await choosePerson(person, chosen(), chosenIn);
  for (const button of document.querySelectorAll("[data-person]")) {
    button.setAttribute("aria-current", String(button.dataset.person === chosenName()));
  }
}

async function followPerson() {
  if (!chosenName()) return;
  // Another emulator may call somebody else so.
  if (chosenIn !== serverName()) { tellGone(); return; }
  const person = people.find((each) => each.name === chosenName());
  if (person) await choosePerson(person, chosen(), chosenIn);
  else await follow(chosen());
}

byId("people-list").addEventListener("click", (event) => {
  const button = event.target.closest("[data-person]");
  if (!button) return;
  guarded(async () => {
    const person = people.find((each) => each.name === button.dataset.person);
    if (!person) return;
    if (person.name !== chosenName()) address({ person: person.name }, true);
    await choose(person);
    if (matchMedia("(max-width: 60rem)").matches) byId("story").scrollIntoView({ block: "start" });
  });
});
byId("people-list").addEventListener("keydown", (event) => {
  const buttons = [...document.querySelectorAll("[data-person]")];
  const shift = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!shift) return;
  event.preventDefault();
  buttons[Math.min(buttons.length - 1, Math.max(0, buttons.indexOf(document.activeElement) + shift))]?.focus();
});

for (const [id, count] of [["people-before", -1], ["people-after", 1]]) {
  byId(id).addEventListener("click", () => guarded(async () => {
    turnPage(count);
    await refreshList();
    byId("people").scrollTop = 0;
  }));
}

// Back, forward, and an address that was changed by hand.
addEventListener("popstate", () => guarded(async () => {
  const given = addressed();
  let isOther = false;
  for (const name of ["project", "application"]) {
    const select = byId(name);
    const wish = given[name] || select.options[0]?.value;
    if (wish === select.value || ![...select.options].some((each) => each.value === wish)) continue;
    select.value = wish;
    isOther = true;
  }
  if (isOther) await Promise.all([refreshCounts(), refreshList(), loadCriteria()]);
  await chooseAddressed();
}));

// The skip links go to what they name, and leave the address to the person.
for (const link of document.querySelectorAll(".skip")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const target = byId(link.hash.slice(1));
    if (target.closest("#panel-events") && !byId("tabs").hidden) byId("tab-events").click();
    (target.checkVisibility() ? target : byId("story-title")).focus();
  });
}

byId("choice").addEventListener("submit", (event) => event.preventDefault());
byId("choice").addEventListener("change", (event) => {
  // Of another project or application, a visitor or person would be somebody else.
  if (/^(visitor|person)-/.test(chosenName())) leavePerson();
  address(chosenName() ? { ...addressed(), person: chosenName() } : {}, false);
  guarded(refreshCounts);
  guarded(async () => { await refreshList(); await followPerson(); });
  if (event.target.id === "project") {
    byId("document").value = "";
    guarded(loadCriteria, byId("match"));
  }
});
byId("search").addEventListener("submit", (event) => { event.preventDefault(); guarded(refreshList); });
byId("query").addEventListener("input", () => guarded(refreshList));
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.closest("input, textarea, select, dialog")) return;
  event.preventDefault();
  byId("query").focus();
});

// What arrives

let isDue = false;
let isRefreshing = false;
function refreshSoon() {
  isDue = true;
  if (isRefreshing) return;
  isRefreshing = true;
  setTimeout(refreshAll, refreshEvery);
}

async function refreshAll() {
  isDue = false;
  await guarded(async () => {
    if (!isChoiceFilled) await loadChoice();
    await Promise.all([refreshCounts(), refreshList(), ask("faults").then(showFaults)]);
    await followPerson();
    if (feed.readyState === EventSource.OPEN) connection("on", "live");
  });
  isRefreshing = false;
  if (isDue) refreshSoon();
}

chooseBy(chosen);
startStory(chosen, guarded);
let feed;
function listen() {
  feed = new EventSource(api + "feed");
  feed.addEventListener("open", () => connection("on", "live"));
  feed.addEventListener("server", (event) => {
    if (event.data !== serverName()) {
      isChoiceFilled = false;
      takeTurn("people");
      begin(event.data);
    }
    guarded(listRequests);
    refreshSoon();
  });
  feed.addEventListener("error", () => {
    connection("off", "not connected; trying again");
    // After an answer that is no stream (too many pages are open, or a proxy answers), a browser does not try again by itself.
    if (feed.readyState === EventSource.CLOSED) setTimeout(listen, 5000);
  });
  feed.addEventListener("message", (event) => {
    hear(JSON.parse(event.data));
    refreshSoon();
  });
}
listen();
for (const opener of document.querySelectorAll("[data-drawer]")) {
  opener.addEventListener("click", () => byId(opener.dataset.drawer).showModal());
}
for (const drawer of document.querySelectorAll("dialog")) {
  drawer.querySelector("[data-close]").addEventListener("click", () => drawer.close());
  drawer.addEventListener("click", (event) => { if (event.target === drawer && event.offsetX < 0) drawer.close(); });
}
byId("rate").addEventListener("click", () => byId("requests").showModal());
// Ages and the strip go on while nothing arrives.
setInterval(drawRate, 1000);
setInterval(() => { if (!document.hidden && people.length > 0 && !isRefreshing) guarded(refreshList); }, 15000);
onTheme(drawRate);
guarded(loadCriteria, byId("match"));
