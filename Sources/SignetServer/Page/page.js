"use strict";
// The live page of `signet emulator`. Everything that came from a client is put in by textContent, never as markup.
(() => {
  const api = "/_signet/";
  const shownRequests = 200;
  const refreshEvery = 500;
  const byId = (id) => document.getElementById(id);
  const time = (milliseconds) => new Date(milliseconds).toISOString().replace("T", " ").slice(0, 23);

  // An element with attributes and children; a child that is no node becomes text.
  function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name === "onclick") made.addEventListener("click", value);
      else if (value !== undefined && value !== null) made.setAttribute(name, value);
    }
    for (const child of children) {
      made.append(child instanceof Node ? child : document.createTextNode(String(child)));
    }
    return made;
  }

  async function ask(path, method, body) {
    const options = { method: method || "GET", headers: {} };
    if (method) options.headers["Content-Type"] = "application/json";
    if (body !== undefined) options.body = JSON.stringify(body);
    const answer = await fetch(api + path, options);
    const value = await answer.json();
    if (!answer.ok) throw new Error(value.message || "status " + answer.status);
    return value;
  }

  function pretty(text) {
    try {
      // Through JSON.parse, numbers beyond 2^53 would change: only such texts are laid out as come back the same.
      const laidOut = JSON.stringify(JSON.parse(text), null, 2);
      return laidOut.replace(/\s/g, "") === text.replace(/\s/g, "") ? laidOut : text;
    } catch {
      return text;
    }
  }

  function say(target, text, isBad) {
    target.textContent = text;
    target.className = isBad ? "bad" : "";
  }

  // Details: one opener at a time, focus goes in and, with Escape, back out.
  function open(panel, opener, title, children, isQuiet) {
    panel.replaceChildren(
      element("h3", { id: panel.id + "-title", tabindex: "-1" }, title),
      element("button", { type: "button", onclick: () => close(panel) }, "Close"),
      ...children);
    panel.hidden = false;
    if (opener) {
      for (const other of document.querySelectorAll("[aria-controls=" + panel.id + "]")) other.setAttribute("aria-expanded", "false");
      opener.setAttribute("aria-expanded", "true");
    }
    if (!isQuiet) panel.querySelector("h3").focus();
  }

  function close(panel) {
    const opener = document.querySelector("[aria-controls=" + panel.id + "][aria-expanded=true]");
    panel.hidden = true;
    panel.dataset.name = "";
    if (opener) {
      opener.setAttribute("aria-expanded", "false");
      opener.focus();
    }
  }

  for (const panel of document.querySelectorAll(".detail")) {
    panel.addEventListener("keydown", (event) => { if (event.key === "Escape") close(panel); });
  }

  // Counts and users

  const countNames = {
    users: "users", events: "events", batches: "batches", repetitions: "repetitions", refusedBatches: "refused batches",
    aliases: "aliases", visitors: "visitors", unknownUsers: "unknown users", people: "people", installations: "installations",
    exchanges: "requests",
  };

  async function refreshCounts() {
    const state = await ask("state");
    const rows = Object.entries(countNames).map(([key, name]) =>
      element("div", {}, element("dt", {}, name), element("dd", { id: "count-" + key }, state[key])));
    rows.unshift(element("div", {}, element("dt", {}, "strategy"), element("dd", {}, state.strategy)));
    byId("counts").replaceChildren(...rows);
  }

  let lastSearch = 0;
  async function refreshUsers() {
    const search = ++lastSearch;
    const answer = await ask("users?q=" + encodeURIComponent(byId("query").value));
    if (search !== lastSearch) return;
    say(byId("found"), answer.found + (answer.found === 1 ? " user" : " users")
      + (answer.found > answer.users.length ? ", the " + answer.users.length + " last seen are shown" : ""));
    const focused = document.activeElement && document.activeElement.dataset.user;
    const shown = byId("user").dataset.name;
    byId("user-list").replaceChildren(...answer.users.map((user) => {
      const identities = user.identities.map((identity) => identity.type + " " + identity.value).join(", ");
      const button = element("button", {
        type: "button", "data-user": user.name, "aria-controls": "user",
        "aria-expanded": String(user.name === shown), onclick: () => showUser(user.name, button),
      }, user.name, " ", element("small", {}, user.service + ", " + user.state), element("br"), element("small", {}, identities));
      return element("li", {}, button);
    }));
    if (focused) {
      const again = [...document.querySelectorAll("[data-user]")].find((button) => button.dataset.user === focused);
      (again || byId("query")).focus();
    }
  }

  async function showUser(name, opener, isQuiet) {
    const user = await ask("users/" + encodeURIComponent(name));
    const panel = byId("user");
    const openEvents = new Set([...panel.querySelectorAll("details[open]")].map((details) => details.dataset.key));
    if (isQuiet && panel.contains(document.activeElement) && document.activeElement.tagName === "SUMMARY") return;
    panel.dataset.name = name;
    const table = (headings, rows) => element("table", {},
      element("thead", {}, element("tr", {}, ...headings.map((heading) => element("th", { scope: "col" }, heading)))),
      element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, cell))))));
    open(panel, opener, user.name, [
      element("p", {}, user.service + ", " + user.state + ", first seen " + time(user.firstSeen) + ", last seen " + time(user.lastSeen)),
      element("h3", {}, "Identities"),
      table(["Type", "Value"], user.identities.map((identity) => [identity.type, identity.value])),
      element("h3", {}, "Attributes"),
      element("pre", { tabindex: "0" }, pretty(user.attributes)),
      element("h3", {}, "Sessions"),
      table(["Session", "From", "To", "Events", ""], user.sessions.map((session) =>
        [session.id, time(session.first), time(session.last), session.events, session.isEnded ? "ended" : "open"])),
      element("h3", {}, "Events (" + user.eventCount + ")"),
      ...user.events.map((event, index) => {
        const key = String(user.eventCount - index);
        const details = element("details", { "data-key": key },
          element("summary", {}, time(event.time) + " " + event.type + (event.name ? " " + event.name : "")),
          element("pre", { tabindex: "0" }, pretty(event.data)));
        details.open = openEvents.has(key);
        return details;
      }),
    ], isQuiet);
  }

  byId("search").addEventListener("submit", (event) => { event.preventDefault(); guarded(refreshUsers); });
  byId("query").addEventListener("input", () => guarded(refreshUsers));

  // Requests

  let isPaused = false;
  let lastNumber = 0;
  const waiting = [];

  function requestRow(exchange) {
    const status = exchange.status === undefined ? "closed" : String(exchange.status);
    const isGood = exchange.status >= 200 && exchange.status < 300;
    const button = element("button", {
      type: "button", "data-number": exchange.number, "aria-controls": "request", "aria-expanded": "false",
      onclick: () => guarded(() => showRequest(exchange.number, button)),
    }, element("span", { class: isGood ? "good" : "bad" }, status), " " + exchange.method + " " + exchange.path + " ",
      element("small", {}, "#" + exchange.number + ", " + time(exchange.time)));
    return element("li", {}, button);
  }

  function addRequest(exchange) {
    if (exchange.number <= lastNumber) return;
    lastNumber = exchange.number;
    const list = byId("request-list");
    list.prepend(requestRow(exchange));
    while (list.children.length > shownRequests) list.lastElementChild.remove();
  }

  async function refreshRequests() {
    for (const exchange of await ask("exchanges")) addRequest(exchange);
  }

  async function showRequest(number, opener) {
    const exchange = await ask("exchanges/" + number);
    const fields = (list) => element("pre", { tabindex: "0" }, list.map((field) => field.name + ": " + field.value).join("\n"));
    const body = (text) => element("pre", { tabindex: "0", class: "body" }, text === "" ? "(empty)" : pretty(text));
    open(byId("request"), opener, exchange.method + " " + exchange.path, [
      element("h3", {}, "Request"), fields(exchange.requestHeaders), body(exchange.requestBody),
      element("h3", {}, exchange.status === undefined ? "No answer: " + exchange.failure : "Answer " + exchange.status),
      fields(exchange.responseHeaders), body(exchange.responseBody),
    ]);
  }

  byId("pause").addEventListener("click", () => {
    isPaused = !isPaused;
    byId("pause").setAttribute("aria-pressed", String(isPaused));
    if (!isPaused) {
      waiting.splice(0).forEach(addRequest);
      byId("held").textContent = "";
    }
  });

  // Weather

  function showWeather(weather) {
    if (byId("fault").children.length === 0) {
      byId("fault").append(...weather.faults.map((name) => element("option", {}, name)));
      byId("route").append(...weather.routes.map((name) => element("option", { value: name }, name)));
    }
    byId("standing").replaceChildren(...weather.standing.map((entry) => element("li", {}, JSON.stringify(entry))));
    if (weather.remaining > 0) {
      byId("standing").append(element("li", {}, weather.remaining + " requests are still to meet a fault"));
    }
  }

  byId("weather-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const entry = { fault: byId("fault").value };
    const seconds = byId("seconds").value;
    if (byId("route").value) entry.route = byId("route").value;
    if (entry.fault === "status") entry.status = Number(byId("status").value);
    if (entry.fault === "status" && seconds) entry.retryAfter = Number(seconds);
    if (entry.fault === "delay") entry.seconds = Number(seconds);
    if (byId("times").value) entry.times = Number(byId("times").value);
    guarded(async () => {
      showWeather(await ask("weather", "POST", entry));
      say(byId("weather-message"), "Set.");
    }, byId("weather-message"));
  });

  byId("clear").addEventListener("click", () => guarded(async () => {
    showWeather(await ask("weather", "DELETE", {}));
    say(byId("weather-message"), "The weather is clear.");
  }, byId("weather-message")));

  // Criteria

  async function loadCriteria() {
    byId("document").value = pretty((await ask("criteria")).criteria);
  }

  byId("load").addEventListener("click", () => guarded(loadCriteria, byId("match")));
  byId("criteria-form").addEventListener("submit", (event) => {
    event.preventDefault();
    guarded(async () => {
      await ask("criteria", "PUT", { criteria: byId("document").value });
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
    byId("connection").className = state;
    byId("connection").textContent = text;
  }

  let isDue = false;
  function refreshSoon() {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      guarded(async () => {
        await Promise.all([refreshCounts(), refreshUsers(), ask("weather").then(showWeather)]);
        const shown = byId("user").dataset.name;
        if (shown && !byId("user").hidden) await showUser(shown, null, true);
      });
    }, refreshEvery);
  }

  const feed = new EventSource(api + "feed");
  feed.addEventListener("open", () => {
    connection("on", "live");
    guarded(refreshRequests);
    refreshSoon();
  });
  feed.addEventListener("error", () => connection("off", "not connected; trying again"));
  feed.addEventListener("message", (event) => {
    const exchange = JSON.parse(event.data);
    if (isPaused) {
      waiting.push(exchange);
      if (waiting.length > shownRequests) waiting.shift();
      byId("held").textContent = waiting.length + " more";
    } else if (lastNumber > 0 && exchange.number > lastNumber + 1) {
      // The server let some go for a page that did not keep up.
      guarded(refreshRequests).then(() => addRequest(exchange));
    } else {
      addRequest(exchange);
    }
    refreshSoon();
  });
  guarded(loadCriteria);
  guarded(async () => showWeather(await ask("weather")));
})();
