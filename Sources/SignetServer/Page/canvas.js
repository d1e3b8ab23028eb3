// Canvases in the colours of the theme and the resolution of the screen.
let colors = {};
const scheme = matchMedia("(prefers-color-scheme: dark)");

export const color = (name) => colors[name] ||= getComputedStyle(document.documentElement).getPropertyValue(name).trim();
export function onTheme(redraw) {
  scheme.addEventListener("change", () => { colors = {}; redraw(); });
}

// The canvas cleared, at one unit per pixel of the page.
export function sharp(canvas, height) {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  if (canvas.height !== Math.round(height * ratio) || canvas.width !== Math.round(width * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = height + "px";
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

const size = 4.5;
const shapes = {
  screen: (path, x, y) => path.arc(x, y, size, 0, 7),
  custom: (path, x, y) => path.rect(x - 4, y - 4, 8, 8),
  purchase: (path, x, y) => { path.moveTo(x, y - 6.5); path.lineTo(x + 6.5, y); path.lineTo(x, y + 6.5); path.lineTo(x - 6.5, y); },
  refused: (path, x, y) => { path.moveTo(x, y - 6); path.lineTo(x + 6, y + 5); path.lineTo(x - 6, y + 5); },
  login: (path, x, y) => { path.rect(x - 1, y - 8, 2, 16); path.moveTo(x, y - 8); path.lineTo(x + 11, y - 8); path.lineTo(x + 8, y - 4); path.lineTo(x + 11, y); path.lineTo(x, y); },
  alias: (path, x, y) => { path.moveTo(x - 6, y - 6); path.lineTo(x - 3, y - 6); path.lineTo(x, y - 2); path.lineTo(x + 3, y - 6); path.lineTo(x + 6, y - 6); path.lineTo(x + 1.5, y + 1); path.lineTo(x + 1.5, y + 6); path.lineTo(x - 1.5, y + 6); path.lineTo(x - 1.5, y + 1); },
  other: (path, x, y) => path.rect(x - 2.5, y - 2.5, 5, 5),
};
const markColors = { screen: "--blue", custom: "--teal", purchase: "--green", refused: "--red", login: "--violet", alias: "--amber", other: "--gray" };

// Marks of one kind in one path: thousands are two calls.
export function drawMarks(context, kind, places) {
  context.beginPath();
  if (kind === "life") {
    for (const [x, y] of places) { context.moveTo(x + 4, y); context.arc(x, y, 4, 0, 7); }
    context.lineWidth = 2;
    context.strokeStyle = color("--gray");
    context.stroke();
    return;
  }
  for (const [x, y] of places) { context.moveTo(x, y); (shapes[kind] || shapes.other)(context, x, y); context.closePath(); }
  context.fillStyle = color(markColors[kind] || "--gray");
  context.fill();
}
