// The drawer of requests: all that arrived, with bodies and answers.
import { ask, askLast, byId, close, element, open, pretty, time } from "/_signet/parts.js";
import { countRequest, forgetRequests } from "/_signet/rate.js";
import { complaint, guarded } from "/_signet/status.js";

const shownRequests = 200;
let server = "";
let isPaused = false;
let held = 0;
let lastNumber = 0;
let lastCounted = 0;
let isListing = false;
let isListDue = false;
// What is told while the list is asked for.
const early = [];

export const serverName = () => server;

function count(exchange) {
  if (exchange.number <= lastCounted) return;
  lastCounted = exchange.number;
  countRequest(exchange);
}

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
  while (list.children.length > shownRequests && !list.lastChild.contains(document.activeElement)) list.lastChild.remove();
}

// Asks for the last requests: once at a time, and again when there is a gap between them and what was told meanwhile.
export async function listRequests() {
  isListDue = true;
  if (isListing) return;
  isListing = true;
  try {
    while (isListDue) {
      isListDue = false;
      const asked = server;
      const list = await ask("exchanges");
      if (asked !== server) continue;
      list.forEach(count);
      early.forEach(count);
      if (isPaused) continue;
      list.slice(-shownRequests).forEach(addRequest);
      for (const exchange of early.splice(0).sort((one, other) => one.number - other.number)) {
        if (exchange.number > lastNumber + 1) isListDue = true;
        else addRequest(exchange);
      }
    }
  } finally {
    isListing = false;
  }
}

export function hear(exchange) {
  if (!isListing) count(exchange);
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

// Another emulator counts its requests from 1.
export function begin(id) {
  if (server !== "" && byId("request-list").contains(document.activeElement)) byId("pause").focus();
  server = id;
  lastNumber = 0;
  lastCounted = 0;
  early.length = 0;
  held = 0;
  forgetRequests();
  byId("held").textContent = "";
  byId("request-list").replaceChildren();
}

async function showRequest(number, opener) {
  const headers = (list) => list.length === 0 ? "" : element("pre", { tabindex: "0" }, list.map((field) => field.name + ": " + field.value).join("\n"));
  const body = (text) => element("pre", { tabindex: "0", class: "body" }, text === "" ? "(empty)" : pretty(text));
  try {
    const exchange = await askLast("request", "exchanges/" + number);
    if (!exchange) return;
    open(byId("request"), opener, exchange.method + " " + exchange.path, [
      element("h3", {}, "Request"), headers(exchange.requestHeaders), body(exchange.requestBody),
      element("h3", {}, exchange.status === undefined ? "No answer: " + exchange.failure : "Answer " + exchange.status),
      headers(exchange.responseHeaders), body(exchange.responseBody),
    ]);
  } catch (error) {
    open(byId("request"), opener, "#" + number, complaint(error.status === 404
      ? new Error("The emulator does not remember this request any more.") : error));
  }
}

byId("request").addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  // Escape closes the request, and the drawer only when none is open.
  event.preventDefault();
  close(byId("request"), true);
});

byId("pause").addEventListener("click", () => {
  isPaused = !isPaused;
  byId("pause").setAttribute("aria-pressed", String(isPaused));
  if (isPaused) return;
  held = 0;
  byId("held").textContent = "";
  guarded(listRequests);
});
