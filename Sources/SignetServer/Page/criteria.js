// The drawer of criteria.
import { ask, askLast, byId, element, pretty, say } from "/_signet/parts.js";
import { guarded } from "/_signet/status.js";

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
