// The strip of requests per second, coloured by status: a fault is seen before it is read.
import { byId } from "/_signet/parts.js";
import { color, sharp } from "/_signet/canvas.js";

const shown = 90;
const seconds = new Map();
const kindOf = (status) => status === undefined || status >= 500 ? 2 : status >= 400 ? 1 : 0;

export function countRequest(exchange) {
  const second = Math.floor(exchange.time / 1000);
  if (!seconds.has(second)) {
    seconds.set(second, [0, 0, 0]);
    for (const old of seconds.keys()) if (old < second - 2 * shown) seconds.delete(old);
  }
  seconds.get(second)[kindOf(exchange.status)] += 1;
}

export const forgetRequests = () => seconds.clear();

// On a phone the strip has a line of its own, which it has only while there is something to see.
const isEmpty = () => seconds.size === 0;

export function drawRate() {
  byId("rate").classList.toggle("quiet", isEmpty());
  if (document.hidden || byId("rate").offsetParent === null) return;
  const now = Math.floor(Date.now() / 1000);
  const { context, width, height } = sharp(byId("rate-bars"), 30);
  const bars = Array.from({ length: shown }, (_, index) => seconds.get(now - shown + 1 + index) || [0, 0, 0]);
  const highest = Math.max(4, ...bars.map((bar) => bar[0] + bar[1] + bar[2]));
  const step = width / shown;
  context.fillStyle = color("--line");
  context.fillRect(0, height - 1, width, 1);
  bars.forEach((bar, index) => {
    let top = height - 1;
    ["--edge", "--amber", "--red"].forEach((name, kind) => {
      const size = bar[kind] === 0 ? 0 : Math.max(2, bar[kind] / highest * (height - 2));
      context.fillStyle = color(name);
      context.fillRect(index * step, top - size, Math.max(1, step - 1), size);
      top -= size;
    });
  });
  const last = bars.slice(-6, -1);
  const rate = last.reduce((sum, bar) => sum + bar[0] + bar[1] + bar[2], 0) / 5;
  const failed = last.reduce((sum, bar) => sum + bar[1] + bar[2], 0);
  const text = (rate === 0 ? "quiet" : rate.toFixed(rate < 10 ? 1 : 0) + "/s") + (failed > 0 ? " · " + failed + " failed" : "");
  if (byId("rate-text").textContent !== text) byId("rate-text").textContent = text;
}
