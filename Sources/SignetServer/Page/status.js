// What the page says of its connection, and of work that fails.
import { byId, element, say } from "/_signet/parts.js";

export const complaint = (error) => [element("p", { class: "bad" }, error.message)];

export function connection(state, text) {
  say(byId("connection"), text);
  byId("connection").className = state;
}

export async function guarded(work, target) {
  try {
    await work();
  } catch (error) {
    if (target) say(target, error.message, true);
    else connection("off", error.message);
  }
}
