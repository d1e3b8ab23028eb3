// The drawers of faults and criteria.
import { ask, askLast, byId, element, pretty, say } from "/_signet/parts.js";
import { guarded } from "/_signet/status.js";

let isFilled = false;

const sentence = (entry) => [entry.fault === "status" ? "Status " + entry.status : entry.fault,
  "for " + (entry.share ? Math.round(entry.share * 1e4) / 100 + " % of " : "") + (entry.route || "all requests"),
  entry.times ? entry.times + (entry.times === 1 ? " time" : " times") : "until cleared",
  entry.seconds !== undefined ? entry.seconds + " s" : "", entry.retryAfter !== undefined ? "Retry-After " + entry.retryAfter + " s" : "",
].filter(Boolean).join(" · ");

export function showFaults(faults) {
  if (!isFilled) {
    isFilled = true;
    byId("fault").append(...faults.faults.map((name) => element("option", {}, name)));
    byId("route").append(...faults.routes.map((name) => element("option", { value: name }, name)));
  }
  const rows = faults.standing.map((entry) => element("li", {}, sentence(entry)));
  if (faults.remaining > 0) rows.push(element("li", {}, faults.remaining + (faults.remaining === 1 ? " request is" : " requests are") + " still to meet a fault"));
  byId("standing").replaceChildren(...rows);
  byId("fault-count").textContent = rows.length ? rows.length + " active" : "";
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

// What the drawer is opened with is loaded by `loadCriteria`; the choice is that of the page.
let choice = () => "";
export const chooseBy = (source) => { choice = source; };

export async function loadCriteria() {
  const answer = await askLast("criteria", "criteria?" + choice());
  if (answer) byId("document").value = pretty(answer.criteria);
}

byId("load").addEventListener("click", () => guarded(loadCriteria, byId("match")));
byId("criteria-form").addEventListener("submit", (event) => {
  event.preventDefault();
  guarded(async () => {
    await ask("criteria?" + choice(), "PUT", { criteria: byId("document").value });
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

for (const opener of document.querySelectorAll("[data-drawer]")) {
  opener.addEventListener("click", () => byId(opener.dataset.drawer).showModal());
}
for (const drawer of document.querySelectorAll("dialog")) {
  drawer.querySelector("[data-close]").addEventListener("click", () => drawer.close());
  drawer.addEventListener("click", (event) => { if (event.target === drawer && event.offsetX < 0) drawer.close(); });
}
byId("rate").addEventListener("click", () => byId("requests").showModal());
