// The live page of `signet emulator`. Everything that came from a client is put in by textContent, never as markup.
import { api, ask, askLast, byId, close, element, frame, open, pretty, refresh, say, settle, time, turns } from "/_signet/parts.js";

const shownRequests = 200;
const refreshEvery = 500;

for (const panel of document.querySelectorAll(".detail")) {
  panel.addEventListener("keydown", (event) => { if (event.key === "Escape") close(panel, true); });
}

// Counts and users

const countNames = {
  users: "users", events: "events", batches: "batches", repetitions: "repetitions", refusedBatches: "refused batches",
  aliases: "aliases", visitors: "visitors", unknownUsers: "unknown users", people: "people", installations: "installations",
  exchanges: "requests",
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
  const wishes = ["project", "application"].map((name) => byId(name).value);
  const state = await askLast("choice", "state");
  if (!state) return;
  const hasProjects = fillChoice("project", state.projects, wishes[0]);
  const hasApplications = fillChoice("application", state.applications, wishes[1]);
  byId("choice").hidden = !hasProjects && !hasApplications;
  isChoiceFilled = true;
}

async function refreshCounts() {
  const state = await askLast("counts", "state?" + chosen());
  if (!state) return;
  byId("criteria-project").textContent = state.project;
  const rows = Object.entries(countNames).map(([key, name]) =>
    element("div", {}, element("dt", {}, name), element("dd", { id: "count-" + key }, state[key])));
  rows.unshift(element("div", {}, element("dt", {}, "strategy"), element("dd", {}, state.strategy)));
  settle(byId("counts"), rows);
}

async function refreshUsers() {
  const answer = await askLast("users", "users?q=" + encodeURIComponent(byId("query").value) + "&" + chosen());
  if (!answer) return;
  say(byId("found"), answer.found + (answer.found === 1 ? " user" : " users")
    + (answer.found > answer.users.length ? ", the " + answer.users.length + " last seen are shown" : ""));
  const shown = byId("user").dataset.name;
  refresh(byId("user-list"), answer.users.map((user) => {
    const identities = user.identities.map((identity) => identity.type + " " + identity.value).join(", ");
    return element("li", { "data-key": user.name }, element("button", {
      type: "button", "data-user": user.name, "aria-controls": "user", "aria-expanded": String(user.name === shown),
    }, user.name, " ", element("small", {}, user.service + ", " + user.state), element("br"), element("small", {}, identities)));
  }), () => byId("query"));
}

function details(user) {
  const table = (headings, rows) => element("table", {},
    element("thead", {}, element("tr", {}, ...headings.map((heading) => element("th", { scope: "col" }, heading)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, cell))))));
  // An event is known by what it is, and by its turn among those that are alike: older ones may be forgotten.
  const alike = {};
  const keys = [...user.events].reverse().map((event) => {
    const key = [event.time, event.type, event.name, event.data].join(" ");
    return key + " " + (alike[key] = (alike[key] || 0) + 1);
  }).reverse();
  return [
    element("p", {}, user.service + ", " + user.state + ", first seen " + time(user.firstSeen) + ", last seen " + time(user.lastSeen)),
    element("h3", {}, "Identities"),
    table(["Type", "Value"], user.identities.map((identity) => [identity.type, identity.value])),
    element("h3", {}, "Attributes"),
    element("pre", { tabindex: "0" }, pretty(user.attributes)),
    element("h3", {}, "Sessions"),
    table(["Session", "From", "To", "Events", ""], user.sessions.map((session) =>
      [session.id, time(session.first), time(session.last), session.events, session.isEnded ? "ended" : "open"])),
    element("h3", {}, "Devices"),
    table(["Last seen", "Device", "IP", "Application", "Events"], user.devices.map((device) =>
      [time(device.last), device.device || "not reported", device.ip || "", device.application, device.events])),
    element("h3", {}, "Events (" + user.eventCount + ")"),
    ...user.events.map((event, index) => element("details", { "data-key": keys[index] },
      element("summary", {}, time(event.time) + " " + event.type + (event.name ? " " + event.name : "")),
      element("pre", { tabindex: "0" }, pretty(event.data)))),
  ];
}

const complaint = (error) => [element("p", { class: "bad" }, error.message)];
const userPath = (name) => "users/" + encodeURIComponent(name) + "?" + chosen();

async function showUser(name, opener) {
  const panel = byId("user");
  let content;
  let since = "";
  try {
    const user = await askLast("user", userPath(name));
    if (!user) return;
    content = details(user);
    since = user.firstSeen;
  } catch (error) {
    content = complaint(error);
  }
  Object.assign(panel.dataset, { name, since, server });
  open(panel, opener, name, content);
  // It may have changed since it was asked for.
  refreshSoon();
}

// Brings an open user up to date; one that was closed, or exchanged for another, meanwhile is let be.
async function followUser() {
  const panel = byId("user");
  const name = panel.dataset.name;
  if (panel.hidden || !name) return;
  const turn = turns.user;
  const gone = complaint(new Error("This user is not there any more: merged with another, or of an emulator that has ended."));
  let content;
  try {
    const user = await ask(userPath(name));
    // Another emulator may call somebody else so.
    const isSame = panel.dataset.server === server || panel.dataset.since === String(user.firstSeen);
    content = isSame ? details(user) : gone;
  } catch (error) {
    if (error.status !== 404) throw error;
    content = gone;
  }
  if (turn === turns.user) refresh(panel, frame(panel, name, content), () => panel.querySelector("h3"));
}

byId("user-list").addEventListener("click", (event) => {
  const opener = event.target.closest("[data-user]");
  if (opener) showUser(opener.dataset.user, opener);
});

byId("choice").addEventListener("submit", (event) => event.preventDefault());
byId("choice").addEventListener("change", (event) => {
  // Of another project or application, an open visitor or person would be somebody else.
  if (/^(visitor|person)-/.test(byId("user").dataset.name || "")) close(byId("user"), false);
  guarded(refreshCounts);
  guarded(refreshUsers);
  if (event.target.id === "project") {
    byId("document").value = "";
    guarded(loadCriteria, byId("match"));
  }
});

byId("search").addEventListener("submit", (event) => { event.preventDefault(); guarded(refreshUsers); });
byId("query").addEventListener("input", () => guarded(refreshUsers));

// Requests

let server = "";
let isPaused = false;
let held = 0;
let lastNumber = 0;
let isListing = false;
let isListDue = false;
// What is told while the list is asked for.
const early = [];

function addRequest(exchange) {
  if (exchange.number <= lastNumber) return;
  lastNumber = exchange.number;
  const status = exchange.status === undefined ? "closed" : String(exchange.status);
  const isGood = exchange.status >= 200 && exchange.status < 300;
  const button = element("button", {
    type: "button", "data-number": exchange.number, "aria-controls": "request", "aria-expanded": "false",
    onclick: () => showRequest(exchange.number, button),
  }, element("span", { class: isGood ? "good" : "bad" }, status), " " + exchange.method + " " + exchange.path + " ",
    element("small", {}, "#" + exchange.number + ", " + time(exchange.time)));
  const list = byId("request-list");
  list.prepend(element("li", {}, button));
  for (const old of [...list.children].slice(shownRequests)) if (!old.contains(document.activeElement)) old.remove();
}

// Asks for the last requests: once at a time, and again when there is a gap between them and what was told meanwhile.
async function listRequests() {
  isListDue = true;
  if (isListing) return;
  isListing = true;
  try {
    while (isListDue) {
      isListDue = false;
      const asked = server;
      const list = await ask("exchanges");
      if (asked !== server || isPaused) continue;
      list.forEach(addRequest);
      for (const exchange of early.splice(0).sort((one, other) => one.number - other.number)) {
        if (exchange.number > lastNumber + 1) isListDue = true;
        else addRequest(exchange);
      }
    }
  } finally {
    isListing = false;
  }
}

function hear(exchange) {
  if (isPaused) {
    held += 1;
    byId("held").textContent = held + " more";
  } else if (isListing || exchange.number > lastNumber + 1) {
    // The server lets some go for a page that does not keep up.
    early.push(exchange);
    if (early.length > shownRequests) early.shift();
    if (!isListing) guarded(listRequests);
  } else {
    addRequest(exchange);
  }
}

// Another emulator counts its requests from 1, and has users and projects of its own.
function begin(id) {
  if (server !== "" && byId("request-list").contains(document.activeElement)) byId("pause").focus();
  server = id;
  lastNumber = 0;
  early.length = 0;
  held = 0;
  byId("held").textContent = "";
  byId("request-list").replaceChildren();
  isChoiceFilled = false;
}

async function showRequest(number, opener) {
  const fields = (list) => element("pre", { tabindex: "0" }, list.map((field) => field.name + ": " + field.value).join("\n"));
  const body = (text) => element("pre", { tabindex: "0", class: "body" }, text === "" ? "(empty)" : pretty(text));
  try {
    const exchange = await askLast("request", "exchanges/" + number);
    if (!exchange) return;
    open(byId("request"), opener, exchange.method + " " + exchange.path, [
      element("h3", {}, "Request"), fields(exchange.requestHeaders), body(exchange.requestBody),
      element("h3", {}, exchange.status === undefined ? "No answer: " + exchange.failure : "Answer " + exchange.status),
      fields(exchange.responseHeaders), body(exchange.responseBody),
    ]);
  } catch (error) {
    open(byId("request"), opener, "#" + number, complaint(error.status === 404
      ? new Error("The emulator does not remember this request any more.") : error));
  }
}

byId("pause").addEventListener("click", () => {
  isPaused = !isPaused;
  byId("pause").setAttribute("aria-pressed", String(isPaused));
  if (isPaused) return;
  held = 0;
  byId("held").textContent = "";
  guarded(listRequests);
});

// Faults

function showFaults(faults) {
  if (byId("fault").children.length === 0) {
    byId("fault").append(...faults.faults.map((name) => element("option", {}, name)));
    byId("route").append(...faults.routes.map((name) => element("option", { value: name }, name)));
  }
  byId("standing").replaceChildren(...faults.standing.map((entry) => element("li", {}, JSON.stringify(entry))));
  if (faults.remaining > 0) {
    byId("standing").append(element("li", {}, faults.remaining + " requests are still to meet a fault"));
  }
}

byId("faults-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const entry = { fault: byId("fault").value };
  const seconds = byId("seconds").value;
  if (byId("route").value) entry.route = byId("route").value;
  if (entry.fault === "status") entry.status = Number(byId("status").value);
  if (entry.fault === "status" && seconds) entry.retryAfter = Number(seconds);
  if (entry.fault === "delay" && seconds) entry.seconds = Number(seconds);
  if (byId("times").value) entry.times = Number(byId("times").value);
  guarded(async () => {
    showFaults(await ask("faults", "POST", entry));
    say(byId("faults-message"), "Set.");
  }, byId("faults-message"));
});

byId("clear").addEventListener("click", () => guarded(async () => {
  showFaults(await ask("faults", "DELETE", {}));
  say(byId("faults-message"), "No fault is set.");
}, byId("faults-message")));

// Criteria

async function loadCriteria() {
  const answer = await askLast("criteria", "criteria?" + chosen());
  if (answer) byId("document").value = pretty(answer.criteria);
}

byId("load").addEventListener("click", () => guarded(loadCriteria, byId("match")));
byId("criteria-form").addEventListener("submit", (event) => {
  event.preventDefault();
  guarded(async () => {
    await ask("criteria?" + chosen(), "PUT", { criteria: byId("document").value });
    say(byId("match"), "Saved: clients get these from now on.");
  }, byId("match"));
});
byId("check").addEventListener("click", () => guarded(async () => {
  const results = await ask("criteria/check", "POST", { criteria: byId("document").value, events: byId("events").value });
  byId("match").className = "";
  byId("match").replaceChildren(...results.flatMap((result) => {
    const verdict = result.error ? "refused" : result.matched === null ? "no match" : "matches " + result.matched;
    return [element("h3", { class: result.error ? "bad" : result.matched === null ? "" : "good" }, result.dialect + ": " + verdict),
      element("pre", { tabindex: "0" }, result.error || result.why)];
  }));
}, byId("match")));

// What arrives

async function guarded(work, target) {
  try {
    await work();
  } catch (error) {
    if (target) say(target, error.message, true);
    else connection("off", error.message);
  }
}

function connection(state, text) {
  say(byId("connection"), text);
  byId("connection").className = state;
}

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
    await Promise.all([refreshCounts(), refreshUsers(), ask("faults").then(showFaults)]);
    await followUser();
    if (feed.readyState === EventSource.OPEN) connection("on", "live");
  });
  isRefreshing = false;
  if (isDue) refreshSoon();
}

const feed = new EventSource(api + "feed");
feed.addEventListener("open", () => connection("on", "live"));
feed.addEventListener("server", (event) => {
  if (event.data !== server) begin(event.data);
  guarded(listRequests);
  refreshSoon();
});
feed.addEventListener("error", () => connection("off", "not connected; trying again"));
feed.addEventListener("message", (event) => {
  hear(JSON.parse(event.data));
  refreshSoon();
});
guarded(loadCriteria);
guarded(async () => showFaults(await ask("faults")));
