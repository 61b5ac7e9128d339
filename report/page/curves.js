"use strict";
// Small things that the whole page needs, and the charts of curves (uPlot).

/** An element with attributes and children; texts are never read as HTML. */
function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function svgEl(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value != null) node.setAttribute(name, value);
  }
  // One by one: a call takes no more than some 100,000 arguments.
  for (const child of children.flat()) if (child != null) node.append(child);
  return node;
}

/** A text of the data, whichever way it is written. */
const bdi = (text) => el("bdi", {}, text);

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

const roundings = {};
/** A number for people, of so many significant digits. */
function number(value, digits = 4) {
  if (value == null || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return value.toExponential(Math.min(2, digits - 1));
  if (size >= 10 ** digits) return Math.round(value).toLocaleString("en");
  roundings[digits] ??= new Intl.NumberFormat("en", { maximumSignificantDigits: digits });
  return roundings[digits].format(value);
}

/** The largest of any number of values, and at least `least`. */
function largest(values, least) {
  let most = least;
  for (const value of values) if (value > most) most = value;
  return most;
}

/** Runs `work`; what goes wrong is told in `holder`, and the rest of the page stays. */
function guarded(holder, work) {
  try {
    return work();
  } catch (error) {
    console.error(error);
    holder.replaceChildren(el("p", { class: "failed", role: "alert" }, "This could not be shown: " + error.message));
  }
}

const pen = document.createElement("canvas").getContext("2d");
/** How wide a label of 13 pixels is. */
function widthOf(text) {
  pen.font = "13px system-ui, sans-serif";
  return pen.measureText(text).width;
}
/** As much of a label as is at most so wide. */
function fitted(text, width) {
  if (widthOf(text) <= width) return text;
  const letters = [...text];
  let [from, to] = [0, letters.length];
  while (from < to) {
    const middle = (from + to + 1) >> 1;
    if (widthOf(letters.slice(0, middle).join("") + "…") <= width) from = middle;
    else to = middle - 1;
  }
  return letters.slice(0, from).join("") + "…";
}

const scheme = matchMedia("(prefers-color-scheme: dark)");

/**
 * A uPlot in `holder` as wide as that, made anew when the colours change. `describe()` gives its options and data.
 * Returns what makes it anew.
 */
function plot(holder, describe) {
  let shown = null, width = 0;
  const make = () => guarded(holder, () => {
    shown?.destroy();
    shown = null;
    width = Math.floor(holder.clientWidth);
    if (width === 0) return; // it is folded away, and made when it is seen
    const { options, data } = describe();
    shown = new uPlot({ ...options, width }, data, holder);
  });
  new ResizeObserver(() => {
    const now = Math.floor(holder.clientWidth);
    if (now === width || now === 0) return;
    if (!shown) return make();
    width = now;
    shown.setSize({ width, height: shown.height });
  }).observe(holder);
  scheme.addEventListener("change", make);
  return make;
}

// The room that an axis needs for its numbers.
function roomFor(u, values, axis, cycle) {
  const own = u.axes[axis];
  if (cycle > 2) return own._size;
  const longest = (values ?? []).reduce((a, b) => (b && b.length > a.length ? b : a), "");
  u.ctx.font = own.font[0];
  return Math.ceil(own.ticks.size + own.gap + u.ctx.measureText(longest).width / devicePixelRatio) + 6;
}

function axis(label, more = {}) {
  const font = "12px system-ui, sans-serif", rule = colour("rule");
  return {
    stroke: colour("faint"), font, labelFont: font, label, labelSize: label ? 18 : 0, labelGap: 0,
    grid: { stroke: rule, width: 1 }, ticks: { stroke: rule, width: 1, size: 5 },
    values: (u, splits) => splits.map((value) => (value == null ? "" : number(value, 6))), ...more,
  };
}

const dashes = [[], [7, 4], [2, 3]], borders = ["solid", "dashed", "dotted"];
const dashOf = (curve) => Math.floor(curve.look / 8) % 3;

/** Of a curve whose points are not all shown those without a neighbour, which no line shows. */
function lonely(u, index, all) {
  if (all) return null;
  const values = u.data[index], found = [];
  let last = null, before = null; // of what this curve has at all: elsewhere it is undefined
  for (let i = 0; i <= values.length; ++i) {
    if (i < values.length && values[i] === undefined) continue;
    const here = i < values.length ? values[i] : null;
    if (last != null && values[last] != null && before == null && here == null) found.push(last);
    before = last == null ? null : values[last];
    last = i;
  }
  return found;
}

function chartCard(chart) {
  const holder = el("div");
  const data = uPlot.join(chart.curves.map((curve) => [curve.x, curve.y]));
  const values = chart.curves.flatMap((curve) => curve.y).filter((value) => value != null);
  const range = values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
  // A number that never changes stands in the middle, and 0 at the foot.
  const [level, about] = [range[0], Math.abs(range[0]) / 10];
  const still = range[0] === range[1] ? { range: level === 0 ? [0, 1] : [level - about, level + about] } : {};
  let logarithmic = false;
  const make = plot(holder, () => ({
    data,
    options: {
      height: 230,
      cursor: { sync: { key: "step" }, drag: { x: true, y: false } },
      scales: { x: { time: false }, y: logarithmic ? { distr: 3 } : still },
      axes: [axis("step", { size: 28 }), axis(chart.unit || null, { size: roomFor })],
      legend: { markers: { dash: (u, i) => borders[i > 0 ? dashOf(chart.curves[i - 1]) : 0] } },
      series: [
        { label: "step", value: (u, value) => number(value, 9) },
        ...chart.curves.map((curve) => ({
          label: curve.name, stroke: colour("line" + (curve.look % 8)), dash: dashes[dashOf(curve)], width: 1.6,
          points: { show: curve.x.length < 60, size: 5, filter: lonely }, spanGaps: false, value: (u, value) => number(value),
        })),
      ],
    },
  }));
  const toggle = el("button", {
    type: "button", "aria-pressed": "false",
    click: () => {
      logarithmic = !logarithmic;
      toggle.setAttribute("aria-pressed", logarithmic);
      make();
    },
  }, "log scale");
  const spread = values.length > 1 && values.every((value) => value > 0);
  return el("section", { class: "card chart" },
    el("div", { class: "bar" }, el("h3", {}, bdi(chart.title), chart.unit ? el("span", { class: "faint" }, ", " + chart.unit) : null),
      spread ? toggle : null),
    holder);
}
