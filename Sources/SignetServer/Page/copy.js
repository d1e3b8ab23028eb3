// Copies the id or link that a button names, from a click, the keyboard or a finger.
import { byId, element } from "/_signet/parts.js";

let hiding = 0;

function notice(text) {
  byId("notice").textContent = text;
  byId("notice").classList.add("shown");
  clearTimeout(hiding);
  hiding = setTimeout(() => byId("notice").classList.remove("shown"), 2000);
}

async function copy(text) {
  // Browsers have no clipboard for pages of another machine over HTTP; the old way works there.
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return true;
  }
  const focused = document.activeElement;
  const field = element("textarea", { class: "unseen", "aria-hidden": "true" }, text);
  document.body.append(field);
  field.select();
  const isDone = document.execCommand("copy");
  field.remove();
  focused.focus({ preventScroll: true });
  return isDone;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const text = button.dataset.copy;
  try {
    notice(await copy(text) ? "Copied " + (text.length > 60 ? text.slice(0, 59) + "…" : text) : "The browser does not let this page copy.");
  } catch {
    notice("The browser does not let this page copy.");
  }
});
