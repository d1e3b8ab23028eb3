// The drawer of faults.
import { ask, byId, element, refresh, say } from "/_signet/parts.js";
import { guarded } from "/_signet/status.js";

let isFilled = false;

const sentence = (entry) => [entry.fault === "status" ? "Status " + entry.status : entry.fault,
  "for " + (entry.share ? Math.round(entry.share * 1e4) / 100 + " % of " : "") + (entry.route || "all requests"),
  entry.times ? entry.times + (entry.times === 1 ? " time" : " times") : "until cleared",
  entry.seconds !== undefined ? entry.seconds + " s" : "", entry.retryAfter !== undefined ? "Retry-After " + entry.retryAfter + " s" : "",
].filter(Boolean).join(" · ");

function row(entry) {
  const text = sentence(entry);
  return element("li", { "data-key": entry.number }, element("span", {}, text),
    element("button", { type: "button", "data-remove": entry.number, "aria-label": "Remove " + text }, "Remove"));
}

export function showFaults(faults) {
  if (!isFilled) {
    isFilled = true;
    byId("fault").append(...faults.faults.map((name) => element("option", {}, name)));
    byId("route").append(...faults.routes.map((name) => element("option", { value: name }, name)));
  }
  refresh(byId("standing"), faults.standing.map(row), () => byId("standing").querySelector("button") || byId("fault"));
  byId("fault-count").textContent = faults.standing.length ? faults.standing.length + " active" : "";
}

const limits = [
  ["status", "The status must be a whole number from 200 to 599.", (entry) => entry.fault === "status"],
  ["seconds", "The seconds must be a number from 0 to 86400.", (entry) => entry.fault === "status" || entry.fault === "delay"],
  ["times", "The times must be a whole number from 1 to 1000000, or empty.", () => true],
];

// The first field with a value that no fault may have; the server would refuse it, too.
function wrongField(entry) {
  const isWrong = ([id, , isUsed]) => isUsed(entry)
    && (!byId(id).validity.valid || id === "status" && byId(id).value === "" || id === "seconds" && entry.fault === "delay" && byId(id).value === "");
  const wrong = limits.find(isWrong);
  for (const [id] of limits) byId(id).setAttribute("aria-invalid", String(Boolean(wrong) && id === wrong[0]));
  return wrong;
}

byId("faults-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const entry = { fault: byId("fault").value };
  const wrong = wrongField(entry);
  if (wrong) {
    say(byId("faults-message"), wrong[1], true);
    byId(wrong[0]).focus();
    return;
  }
  const seconds = byId("seconds").value;
  if (byId("route").value) entry.route = byId("route").value;
  if (entry.fault === "status") entry.status = Number(byId("status").value);
  if (entry.fault === "status" && seconds) entry.retryAfter = Number(seconds);
  if (entry.fault === "delay") entry.seconds = Number(seconds);
  if (byId("times").value) entry.times = Number(byId("times").value);
  guarded(async () => {
    showFaults(await ask("faults", "POST", entry));
    say(byId("faults-message"), "Set.");
  }, byId("faults-message"));
});

byId("standing").addEventListener("click", (event) => {
  const button = event.target.closest("[data-remove]");
  if (!button) return;
  guarded(async () => {
    showFaults(await ask("faults/" + button.dataset.remove, "DELETE", {}));
    say(byId("faults-message"), "Removed.");
  }, byId("faults-message"));
});

byId("clear").addEventListener("click", () => guarded(async () => {
  showFaults(await ask("faults", "DELETE", {}));
  say(byId("faults-message"), "No fault is set.");
}, byId("faults-message")));
