// The address of what is shown, so that it can be reloaded, gone back to, and sent to somebody.
import { byId } from "/_signet/parts.js";

const names = ["project", "application", "person", "tab", "event"];

// What the address names: a person, a tab or an event of theirs, and the project and application if they are not the first.
export function addressed() {
  const given = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries(names.filter((name) => given.get(name)).map((name) => [name, given.get(name)]));
}

function hashOf(place) {
  const whole = { ...place };
  for (const name of ["project", "application"]) if (byId(name).selectedIndex > 0) whole[name] = byId(name).value;
  const given = new URLSearchParams(names.filter((name) => whole[name]).map((name) => [name, whole[name]]));
  return given.size === 0 ? "" : "#" + given;
}

export const linkTo = (place) => location.origin + location.pathname + hashOf(place);

// A step is one that the button "back" undoes; the rest replaces the address.
export function address(place, isStep) {
  const link = linkTo(place);
  if (link === location.href) return;
  if (isStep) history.pushState(null, "", link);
  else history.replaceState(null, "", link);
}
