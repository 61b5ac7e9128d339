// What a model does with single items: heat maps, forecasts, weighted texts, rankings.

const shades = 21, deep = 11;
const shade = (weight) => (weight > 0 ? Math.round(Math.min(weight, 1) * (shades - 1)) : 0);

/** The weight that has the darkest shade: 1, or the largest where nothing could be seen (likewise in colours.cpp). */
const darkest = (most) => (most > 0 && most < 0.2 ? most : 1);

/** A bar of the shades from 0 to `most`. */
function ramp(most, words = "weight") {
  const stops = Array.from({ length: shades }, (_, i) => `var(--w${i})`).join(",");
  return el("span", { class: "ramp" }, "0", el("i", { style: `background:linear-gradient(to right,${stops})` }), `${number(most, 3)} ${words}`);
}

/** Weights as page_json.cpp packs them. */
function unpacked({ most, steps }) {
  const bytes = atob(steps), weights = new Float32Array(bytes.length / 2);
  for (let i = 0; i < weights.length; ++i) weights[i] = ((bytes.charCodeAt(2 * i) | (bytes.charCodeAt(2 * i + 1) << 8)) / 65535) * most;
  return weights;
}

/** The cells of one head, a pixel each. */
function painted(map, head) {
  const rows = map.rows.length, columns = map.columns.length, top = darkest(head.most);
  const canvas = el("canvas", { width: columns, height: rows }), context = canvas.getContext("2d");
  const palette = Array.from({ length: shades }, (_, i) => colour("w" + i)).map((hex) => {
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
    return (255 << 24) | (blue << 16) | (green << 8) | red;
  });
  const image = context.createImageData(columns, rows), pixels = new Int32Array(image.data.buffer);
  head.weights.forEach((weight, k) => (pixels[k] = palette[shade(weight / top)]));
  context.putImageData(image, 0, 0);
  return canvas;
}

const entropyOf = (weights) => weights.reduce((sum, w) => (w > 0 ? sum - w * Math.log(w) : sum), 0);

const cells_as_rects = 10000; // above these many they are one image

/** The cells of one head. `tell(row, column)` is called for the one that is pointed at, or with nothing. */
function heatSvg(map, head, cell, tell) {
  const { weights } = head, rows = map.rows.length, columns = map.columns.length, top = darkest(head.most);
  const short = (token) => ([...token].length > 14 ? [...token].slice(0, 13).join("") + "…" : token);
  const wide = (tokens) => largest(tokens.map((token) => widthOf(short(token))), 0);
  // Names stand upright where one is wider than its cell (likewise in svg_heat.cpp).
  const longest = wide(map.columns), upright = longest > cell - 4;
  const left = 30 + wide(map.rows), above = 22 + (upright ? 10 + longest : 22);
  const x = (column) => left + column * cell, y = (row) => above + row * cell;
  const name = (token, attributes) => svgEl("text", { class: "token", ...attributes }, short(token), svgEl("title", {}, token));
  const columnNames = map.columns.map((token, j) => upright
    ? name(token, { transform: `translate(${x(j) + cell / 2 + 4} ${above - 6}) rotate(-90)` })
    : name(token, { x: x(j) + cell / 2, y: above - 7, "text-anchor": "middle" }));
  const rowNames = map.rows.map((token, i) => name(token, { x: left - 8, y: y(i) + cell / 2 + 4.5, "text-anchor": "end" }));
  const cells = svgEl("g", { "shape-rendering": "crispEdges" }), values = svgEl("g");
  const many = rows * columns > cells_as_rects;
  if (many)
    cells.append(svgEl("image", { x: left, y: above, width: columns * cell, height: rows * cell, preserveAspectRatio: "none",
      style: "image-rendering:pixelated", href: painted(map, head).toDataURL() }));
  for (let i = 0; i < rows && !many; ++i) {
    for (let j = 0; j < columns; ++j) {
      const weight = weights[i * columns + j], at = shade(weight / top);
      if (at > 0) cells.append(svgEl("rect", { x: x(j), y: y(i), width: cell, height: cell, style: `fill:var(--w${at})` }));
      if (cell >= 26 && weight >= 0.01)
        values.append(svgEl("text", { class: at >= deep ? "value deep" : "value", x: x(j) + cell / 2, y: y(i) + cell / 2 + 4 },
          weight >= 0.995 ? "1" : weight.toFixed(2).slice(1)));
    }
  }
  const mark = svgEl("rect", { class: "mark", width: cell, height: cell, visibility: "hidden" });
  const svg = svgEl("svg", {
    width: x(columns) + 8, height: y(rows) + 8, viewBox: `0 0 ${x(columns) + 8} ${y(rows) + 8}`, role: "img", tabindex: "0",
    "aria-label": `weights of ${rows} ${map.rowAxis} tokens over ${columns} ${map.columnAxis} tokens; arrow keys read them out`,
  },
    svgEl("text", { class: "axis", x: x(columns / 2), y: 14, "text-anchor": "middle" }, map.columnAxis + " →"),
    svgEl("text", { class: "axis", transform: `translate(12 ${y(rows / 2)}) rotate(-90)`, "text-anchor": "middle" }, "← " + map.rowAxis),
    columnNames, rowNames, cells, values,
    svgEl("rect", { class: "frame", x: left, y: above, width: columns * cell, height: rows * cell }), mark);
  let at = null;
  const point = (next) => {
    for (const lit of svg.querySelectorAll(".lit")) lit.classList.remove("lit");
    at = next;
    mark.setAttribute("visibility", at ? "visible" : "hidden");
    if (!at) return tell(null);
    mark.setAttribute("x", x(at.column));
    mark.setAttribute("y", y(at.row));
    rowNames[at.row].classList.add("lit");
    columnNames[at.column].classList.add("lit");
    tell(at);
  };
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const row = Math.floor((event.clientY - box.top - above) / cell), column = Math.floor((event.clientX - box.left - left) / cell);
    point(row >= 0 && row < rows && column >= 0 && column < columns ? { row, column } : null);
  });
  svg.addEventListener("pointerleave", () => point(null));
  svg.addEventListener("keydown", (event) => {
    const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? [0, 0];
    if (!down && !right) return;
    event.preventDefault();
    const hold = (value, size) => Math.max(0, Math.min(size - 1, value));
    point(at ? { row: hold(at.row + down, rows), column: hold(at.column + right, columns) } : { row: 0, column: 0 });
  });
  return svg;
}

function thumbnail(map, head) {
  const holder = el("span"), paint = () => holder.replaceChildren(painted(map, head));
  paint();
  scheme.addEventListener("change", paint);
  return holder;
}

function heatMap(map) {
  const told = map.leftOut ? `${map.leftOut} of ${map.leftOut + map.heads.length} heads are left out: a page has not room for all` : null;
  if (!map.heads.length) return [el("p", { class: "faint" }, told ?? "nothing was looked at")];
  for (const head of map.heads) head.weights = unpacked(head);
  const holder = el("div", { class: "scroll" }), readout = el("output", { class: "readout" }), rule = el("div");
  const columns = map.columns.length;
  let chosen = 0;
  const tell = (at) => {
    if (!at) return readout.replaceChildren("Point at a cell, or walk with the arrow keys.");
    const row = map.heads[chosen].weights.slice(at.row * columns, (at.row + 1) * columns);
    readout.replaceChildren(el("b", {}, bdi(map.rows[at.row])), ` (${at.row + 1}) looks at `, el("b", {}, bdi(map.columns[at.column])),
      ` (${at.column + 1}) with `, el("b", {}, row[at.column].toFixed(3)), `; entropy of the row ${entropyOf(row).toFixed(2)} nats`);
  };
  let drawn = 0;
  const cellNow = () => Math.round(Math.max(12, Math.min(34, (holder.clientWidth - 140) / columns)));
  const draw = () => guarded(holder, () => {
    const head = map.heads[chosen], top = darkest(head.most);
    drawn = cellNow();
    holder.replaceChildren(heatSvg(map, head, drawn, tell));
    rule.replaceChildren(ramp(top, top < 1 ? "weight, the largest here" : "weight"));
    tell(null);
  });
  new ResizeObserver(() => {
    if (cellNow() !== drawn) draw();
  }).observe(holder);
  scheme.addEventListener("change", draw);
  const picker = el("select", { "aria-label": "attention and head", change: () => choose(Number(picker.value)) },
    map.heads.map((head, i) => el("option", { value: i, title: head.path }, head.name)));
  const buttons = map.heads.map((head, i) =>
    el("button", { type: "button", title: head.path, "aria-label": head.path, "aria-pressed": i === 0, click: () => choose(i) },
      thumbnail(map, head)));
  const choose = (i) => {
    chosen = i;
    picker.value = i;
    buttons.forEach((button, k) => button.setAttribute("aria-pressed", k === i));
    draw();
  };
  const many = map.heads.length > 1;
  return [
    el("div", { class: "tools" }, many ? el("label", {}, "attention ", picker) : map.heads[0].name, told ? el("span", {}, told) : null),
    many ? el("div", { class: "thumbs" }, buttons) : null, holder, rule, readout];
}

/** The kinds of attention of an item: from what is written to what is read, and among each of them. */
function heatMaps({ maps }) {
  const holder = el("div"), made = [];
  const show = (i) => {
    made[i] ??= guarded(holder, () => el("div", {}, heatMap(maps[i])));
    if (made[i]) holder.replaceChildren(made[i]);
    buttons.forEach((button, k) => button.setAttribute("aria-pressed", k === i));
  };
  const buttons = maps.map((map, i) => el("button", { type: "button", click: () => show(i) }, `${map.rowAxis} × ${map.columnAxis}`));
  if (maps.length) show(0);
  return [maps.length > 1 ? el("div", { class: "tools kinds" }, buttons) : null, holder];
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Moments on an axis: the year below the first one and where it changes. */
function momentNames(u, splits, axis, space, apart) {
  let year = null;
  return splits.map((seconds) => {
    const at = new Date(seconds * 1000), iso = at.toISOString();
    const day = `${months[at.getUTCMonth()]}${apart < 28 * 86400 ? " " + at.getUTCDate() : ""}`;
    const name = apart >= 365 * 86400 ? String(at.getUTCFullYear()) : apart < 86400 && !iso.includes("T00:00") ? iso.slice(11, 16) : day;
    const below = year !== at.getUTCFullYear() && apart < 365 * 86400 ? "\n" + at.getUTCFullYear() : "";
    year = at.getUTCFullYear();
    return name + below;
  });
}

function momentText(seconds) {
  return seconds == null ? "–" : new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ").replace(" 00:00", "");
}

/** The interval of one row, whose band has no width. */
function whisker(u, at, low, high, stroke) {
  const x = u.valToPos(at, "x", true), half = 5 * devicePixelRatio, context = u.ctx;
  context.save();
  context.strokeStyle = stroke;
  context.lineWidth = 2 * devicePixelRatio;
  context.beginPath();
  const ends = [low, high].map((value) => u.valToPos(value, "y", true));
  context.moveTo(x, ends[0]);
  context.lineTo(x, ends[1]);
  for (const y of ends) {
    context.moveTo(x - half, y);
    context.lineTo(x + half, y);
  }
  context.stroke();
  context.restore();
}

function forecast(series) {
  const holder = el("div"), length = series.times.length, history = series.history;
  const pad = (values, before) => [...Array(before).fill(null), ...values];
  let step = 0;
  const shown = series.weightRows, all = unpacked(series.weights), { most } = series.weights;
  const weights = () => [...all.slice(step * history, (step + 1) * history), ...Array(length - history).fill(null)];
  // Half a step at the left, so that the first bar is whole.
  const half = shown.length && length > 1 ? (series.times[length - 1] - series.times[0]) / (length - 1) / 2 : 0;
  const make = plot(holder, () => {
    const line = colour("line0"), own = colour("line1"), transparent = "rgba(0,0,0,0)";
    const value = (u, v) => number(v);
    const rows = [{ label: "time", value: (u, v) => momentText(v) }], data = [series.times];
    const add = (values, row) => data.push(values) && rows.push({ value, ...row });
    if (shown.length) // behind the lines
      add(weights(), { label: "weight", scale: "weight", stroke: line, fill: line + "99", width: 0, value: (u, v) => number(v, 3),
        paths: uPlot.paths.bars({ size: [0.8, 24] }), points: { show: false } });
    add(series.came, { label: "what came", stroke: colour("text"), width: 1.4, points: { show: false, size: 5, filter: lonely } });
    add(pad(series.forecast, history), { label: "forecast", stroke: own, width: 2, points: { show: length - history < 60, size: 5, filter: lonely } });
    const bands = [], hooks = {};
    if (series.low.length === 1) hooks.draw = [(u) => whisker(u, series.times[history], series.low[0], series.high[0], own + "b0")];
    if (series.low.length) {
      const quantile = { stroke: own + "80", width: 1, points: { show: false } };
      bands.push({ series: [rows.length, rows.length + 1], fill: own + "33" });
      add(pad(series.high, history), { label: "90 % quantile", ...quantile });
      add(pad(series.low, history), { label: "10 % quantile", ...quantile });
    }
    return {
      data,
      options: {
        height: 280, bands, hooks, cursor: { drag: { x: true, y: false } }, tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
        // The weights stand in the lowest quarter.
        scales: { x: { time: true, range: (u, from, to) => [from - half, to] }, weight: { range: [0, most * 4 || 1] } },
        axes: [axis(null, { values: momentNames, size: 40 }), axis(series.value, { size: roomFor })], series: rows,
      },
    };
  });
  if (shown.length < 2) return [holder];
  const label = el("span", { class: "num" }, shown[0] + 1);
  const slider = el("input", {
    type: "range", min: 1, max: shown.length, value: 1, "aria-label": "row of the forecast whose weights are shown",
    input: () => {
      step = Number(slider.value) - 1;
      label.textContent = shown[step] + 1;
      make();
    },
  });
  return [el("div", { class: "tools" }, el("label", {}, "weights of row ", label, " of the forecast ", slider)), holder];
}

function bars(entries) {
  const most = largest(entries.map((entry) => entry.weight), 1e-9);
  return el("div", { class: "bars" }, entries.flatMap((entry) => [
    el("span", { class: entry.right ? "name right" : "name" }, bdi(entry.name), entry.detail ? el("small", {}, bdi(entry.detail)) : null),
    el("i", { class: entry.right ? "right" : null, style: `width:${(100 * entry.weight) / most}%` }),
    el("span", { class: "num" }, entry.weight >= 0.0005 || entry.weight === 0 ? entry.weight.toFixed(3) : "< 0.001")]));
}

function weightedText(text) {
  const readout = el("output", { class: "readout" }), holder = el("div"), rule = el("div");
  const show = (values, signed) => {
    const most = largest(values.map(Math.abs), 1e-9);
    const rest = signed ? "Point at a token to read what it adds to the logit of the answer." : "Point at a token to read its weight.";
    const spans = text.tokens.map((token, i) => {
      const at = shade(Math.abs(values[i]) / most);
      const tell = () => readout.replaceChildren(el("b", {}, bdi(token)), ` (${i + 1})  `, el("b", {}, number(values[i], 3)));
      // For and against have a hue each; the size is in how much of it there is.
      const ground = !signed ? `var(--w${at})`
        : `color-mix(in oklab, var(${values[i] < 0 ? "--against" : "--accent"}) ${Math.round(4.5 * at)}%, var(--card))`;
      return el("span", {
        class: at >= deep && !signed ? "deep" : null, style: `background:${ground}`, tabindex: 0, focus: tell, pointerenter: tell,
        "aria-label": `${token}: ${number(values[i], 3)}`,
      }, token);
    });
    holder.replaceChildren(el("div", { class: text.joined ? "tokens" : "tokens words", dir: "auto", pointerleave: () => readout.replaceChildren(rest) }, spans));
    rule.replaceChildren(signed ? el("span", { class: "ramp" }, `blue speaks for the answer, red against it; the largest is ${number(most, 3)}`) : ramp(most));
    readout.replaceChildren(rest);
  };
  const views = [["looked at", text.weights, false], ["speaks for it", text.evidence, true]].filter(([, values]) => values.length);
  const buttons = views.map(([name, values, signed], i) => el("button", {
    type: "button", "aria-pressed": i === 0,
    click: () => {
      buttons.forEach((button, k) => button.setAttribute("aria-pressed", k === i));
      show(values, signed);
    },
  }, name));
  if (views.length) show(views[0][1], views[0][2]);
  return [views.length > 1 ? el("div", { class: "tools" }, ...buttons) : null, holder, rule, readout,
    bars(text.labels.map(([name, weight]) => ({ name, weight })))];
}

const longestName = 200;
/** Degrees as a plain map has them: longitude to the right, latitude up, cut to what matters. */
function placeMap(ranking, backdrop) {
  const found = ranking.entries.filter((entry) => entry.at);
  const all = [...found.map((entry) => entry.at), ...(ranking.asked ? [ranking.asked] : [])];
  if (!all.length) return null;
  const range = (values, least, from, to) => {
    const high = largest(values, -Infinity), low = -largest(values.map((value) => -value), -Infinity), size = Math.min(to - from, Math.max(least, 1.3 * (high - low)));
    const start = Math.max(from, Math.min(to - size, (low + high - size) / 2));
    return [start, start + size];
  };
  let [west, east] = range(all.map((at) => at[1]), 50, -180, 180), [south, north] = range(all.map((at) => at[0]), 22, -90, 90);
  const wide = (north - south) * 2;
  if (east - west < wide) [west, east] = range([west, east], wide, -180, 180);
  const tall = (east - west) / 2.2;
  if (north - south < tall) [south, north] = range([south, north], tall, -90, 90);
  const width = 560, scale = width / (east - west), height = Math.round((north - south) * scale), foot = 20, side = 40;
  const margin = 16; // for circles at the edge, at 180° east and west
  const x = (longitude) => side + margin + (longitude - west) * scale, y = (latitude) => margin + (north - latitude) * scale;
  const step = [1, 2, 5, 10, 15, 30, 60].find((size) => (east - west) / size <= 7) ?? 60;
  const degrees = (value, plus, minus) => `${Math.abs(value)}°${value > 0 ? plus : value < 0 ? minus : ""}`;
  const lines = [];
  for (let at = Math.ceil(west / step) * step; at <= east; at += step)
    lines.push(svgEl("line", { class: "frame", x1: x(at), x2: x(at), y1: margin, y2: margin + height }),
      svgEl("text", { class: "axis", x: x(at), y: height + 2 * margin + 12, "text-anchor": "middle" }, degrees(at, "E", "W")));
  for (let at = Math.ceil(south / step) * step; at <= north; at += step)
    lines.push(svgEl("line", { class: "frame", x1: x(west), x2: x(east), y1: y(at), y2: y(at) }),
      svgEl("text", { class: "axis", x: side - 5, y: y(at) + 4, "text-anchor": "end" }, degrees(at, "N", "S")));
  let dots = "";
  for (let i = 0; i < backdrop.length; i += 2) {
    const [latitude, longitude] = [backdrop[i], backdrop[i + 1]];
    if (longitude >= west && longitude <= east && latitude >= south && latitude <= north)
      dots += `M${x(longitude).toFixed(1)} ${y(latitude).toFixed(1)}h0`;
  }
  const most = largest(found.map((entry) => entry.weight), 1e-9);
  const circles = found.slice().reverse().map((entry) => svgEl("circle", {
    cx: x(entry.at[1]), cy: y(entry.at[0]), r: 4 + 10 * Math.sqrt(entry.weight / most),
    style: `fill:var(--line${entry.right ? 2 : 0});fill-opacity:.55;stroke:var(--card)`,
  }, svgEl("title", {}, `${entry.name}  ${entry.weight.toFixed(3)}`)));
  // The right one and the best get their names, as far as these do not cover each other.
  const taken = [], names = [];
  for (const entry of found.slice().sort((a, b) => b.right - a.right)) {
    const at = x(entry.at[1]), below = y(entry.at[0]) + 4, roomRight = x(east) + margin - at - 16, roomLeft = at - 16;
    const name = fitted(entry.name, Math.min(longestName, Math.max(roomRight, roomLeft))), wide = widthOf(name);
    const right = roomRight >= wide || roomRight > roomLeft, from = right ? at + 16 : at - 16 - wide;
    const covers = (other) => from < other.to && other.from < from + wide && Math.abs(below - other.below) < 16;
    if (names.length === 4 || taken.some(covers)) continue;
    taken.push({ from, to: from + wide, below });
    names.push(svgEl("text", { class: "token", x: right ? from : from + wide, y: below, "text-anchor": right ? "start" : "end",
      style: "paint-order:stroke;stroke:var(--card);stroke-width:3px" }, name));
  }
  const asked = ranking.asked ? svgEl("path", {
    d: `M${x(ranking.asked[1]) - 7} ${y(ranking.asked[0])}h14m-7 -7v14`, style: "stroke:var(--against);stroke-width:2",
  }, svgEl("title", {}, "where it was asked for")) : null;
  return svgEl("svg", { viewBox: `0 0 ${side + width + 2 * margin + 8} ${height + 2 * margin + foot}`, style: "width:100%;height:auto", role: "img",
    "aria-label": "map of what was found: " + found.map((entry) => entry.name).join(", ") },
    lines, svgEl("path", { d: dots, style: `stroke:var(--faint);stroke-opacity:.45;stroke-width:${Math.min(3, Math.max(1.5, 0.35 * scale)).toFixed(1)};stroke-linecap:round` }),
    circles, asked, names);
}

function ranking(found, backdrops) {
  return [el("div", { class: "match" }, bars(found.entries), placeMap(found, backdrops[found.backdrop] ?? []))];
}

const kinds = { heat: heatMaps, forecast, text: weightedText, ranking };

function pictureCard(picture, backdrops) {
  const part = (label, text) => (text ? el("span", {}, label ? [el("em", {}, label), " "] : null, bdi(text), " ") : null);
  const { shown } = picture, holder = el("div");
  guarded(holder, () => holder.append(...kinds[shown.kind](shown, backdrops).filter((child) => child != null)));
  const wide = shown.kind === "ranking" || shown.kind === "forecast" || (shown.kind === "heat" && shown.maps.some((map) => map.columns.length > 16));
  return el("section", { class: "card picture" + (wide ? " wide" : "") },
    el("div", { class: "bar" }, el("h3", { style: "font-size:17px" }, bdi(picture.title)), el("span", { class: "group" }, picture.group)),
    el("p", { class: "said" }, part("model", picture.answer), part("right", picture.truth), part("", picture.note)), holder);
}
