// What a model does with single items: heat maps, forecasts, weighted texts, rankings.

const shades = 21, deep = 11;
const shade = (weight) => (weight > 0 ? Math.round(Math.min(weight, 1) * (shades - 1)) : 0);

/** A bar of the shades from 0 to `most`. */
function ramp(most) {
  const stops = Array.from({ length: shades }, (_, i) => `var(--w${i})`).join(",");
  return el("span", { class: "ramp" }, "0", el("i", { style: `background:linear-gradient(to right,${stops})` }), number(most, 3) + " weight");
}

const entropyOf = (weights) => weights.reduce((sum, w) => (w > 0 ? sum - w * Math.log(w) : sum), 0);

/** The cells of one head. `tell(row, column)` is called for the one that is pointed at, or with nothing. */
function heatSvg(map, weights, cell, tell) {
  const rows = map.rows.length, columns = map.columns.length;
  const wide = (tokens) => 8 + 8 * Math.min(14, Math.max(...tokens.map((token) => [...token].length)));
  const upright = map.columns.some((token) => [...token].length > 2);
  const left = 22 + wide(map.rows), top = 22 + (upright ? wide(map.columns) : 22);
  const short = (token) => ([...token].length > 14 ? [...token].slice(0, 13).join("") + "…" : token);
  const x = (column) => left + column * cell, y = (row) => top + row * cell;
  const name = (token, attributes) => svgEl("text", { class: "token", ...attributes }, short(token), svgEl("title", {}, token));
  const columnNames = map.columns.map((token, j) => upright
    ? name(token, { transform: `translate(${x(j) + cell / 2 + 4} ${top - 6}) rotate(-90)` })
    : name(token, { x: x(j) + cell / 2, y: top - 7, "text-anchor": "middle" }));
  const rowNames = map.rows.map((token, i) => name(token, { x: left - 8, y: y(i) + cell / 2 + 4.5, "text-anchor": "end" }));
  const cells = svgEl("g", { "shape-rendering": "crispEdges" }), values = svgEl("g");
  for (let i = 0; i < rows; ++i) {
    for (let j = 0; j < columns; ++j) {
      const weight = weights[i * columns + j], at = shade(weight);
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
    ...columnNames, ...rowNames, cells, values,
    svgEl("rect", { class: "frame", x: left, y: top, width: columns * cell, height: rows * cell }), mark);
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
    const row = Math.floor((event.clientY - box.top - top) / cell), column = Math.floor((event.clientX - box.left - left) / cell);
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

function thumbnail(map, weights) {
  const rows = map.rows.length, columns = map.columns.length;
  const canvas = el("canvas", { width: columns, height: rows });
  const paint = () => {
    const context = canvas.getContext("2d"), palette = Array.from({ length: shades }, (_, i) => colour("w" + i));
    weights.forEach((weight, k) => {
      context.fillStyle = palette[shade(weight)];
      context.fillRect(k % columns, Math.floor(k / columns), 1, 1);
    });
  };
  paint();
  scheme.addEventListener("change", paint);
  return canvas;
}

function heatMap(map) {
  const holder = el("div", { class: "scroll" }), readout = el("output", { class: "readout" });
  const columns = map.columns.length;
  let chosen = 0;
  const tell = (at) => {
    if (!at) return readout.replaceChildren("Point at a cell, or walk with the arrow keys.");
    const row = map.heads[chosen].weights.slice(at.row * columns, (at.row + 1) * columns);
    readout.replaceChildren(el("b", {}, bdi(map.rows[at.row])), ` (${at.row + 1}) looks at `, el("b", {}, bdi(map.columns[at.column])),
      ` (${at.column + 1}) with `, el("b", {}, row[at.column].toFixed(3)), `; entropy of the row ${entropyOf(row).toFixed(2)} nats`);
  };
  let drawn = 0;
  const draw = () => {
    const room = (holder.clientWidth - 140) / columns;
    const cell = Math.round(Math.max(12, Math.min(34, room)));
    drawn = cell;
    holder.replaceChildren(heatSvg(map, map.heads[chosen].weights, cell, tell));
    tell(null);
  };
  new ResizeObserver(() => {
    const cell = Math.round(Math.max(12, Math.min(34, (holder.clientWidth - 140) / columns)));
    if (cell !== drawn) draw();
  }).observe(holder);
  const picker = el("select", { "aria-label": "attention and head", change: () => choose(Number(picker.value)) },
    ...map.heads.map((head, i) => el("option", { value: i }, head.name)));
  const buttons = map.heads.map((head, i) =>
    el("button", { type: "button", title: head.name, "aria-label": head.name, "aria-pressed": i === 0, click: () => choose(i) },
      thumbnail(map, head.weights)));
  const choose = (i) => {
    chosen = i;
    picker.value = i;
    buttons.forEach((button, k) => button.setAttribute("aria-pressed", k === i));
    draw();
  };
  const many = map.heads.length > 1;
  return [
    many ? el("div", { class: "tools" }, el("label", {}, "attention ", picker)) : el("div", { class: "tools" }, map.heads[0]?.name ?? ""),
    many ? el("div", { class: "thumbs" }, ...buttons) : null, holder, ramp(1), readout];
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
  const weights = () => (series.weights.length ? [...series.weights[step], ...Array(length - history).fill(null)] : []);
  const most = Math.max(...series.weights.flat(), 0);
  const make = plot(holder, () => {
    const line = colour("line0"), own = colour("line1"), transparent = "rgba(0,0,0,0)";
    const value = (u, v) => number(v);
    const rows = [{ label: "time", value: (u, v) => momentText(v) }, { label: "what came", stroke: colour("text"), width: 1.4, value, points: { show: false } },
      { label: "forecast", stroke: own, width: 2, value, points: { show: length - history < 60, size: 5 } }];
    const data = [series.times, series.came, pad(series.forecast, history)];
    const bands = [], hooks = {};
    if (series.low.length === 1) hooks.draw = [(u) => whisker(u, series.times[history], series.low[0], series.high[0], own + "b0")];
    if (series.low.length) {
      rows.push({ label: "90 % quantile", stroke: own + "80", width: 1, value, points: { show: false } },
        { label: "10 % quantile", stroke: own + "80", width: 1, value, points: { show: false } });
      data.push(pad(series.high, history), pad(series.low, history));
      bands.push({ series: [3, 4], fill: own + "33" });
    }
    if (series.weights.length) {
      rows.push({ label: "weight", scale: "weight", stroke: line, fill: line + "99", width: 0, value: (u, v) => number(v, 3),
        paths: uPlot.paths.bars({ size: [0.8, 24] }), points: { show: false } });
      data.push(weights());
    }
    return {
      data,
      options: {
        height: 280, bands, hooks, cursor: { drag: { x: true, y: false } }, tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
        // The weights stand in the lowest quarter.
        scales: { x: { time: true }, weight: { range: [0, most * 4 || 1] } },
        axes: [axis(null, { values: momentNames, size: 40 }), axis(series.value, { size: roomFor })], series: rows,
      },
    };
  });
  if (series.weights.length < 2) return [holder];
  const label = el("span", { class: "num" }, "1");
  const slider = el("input", {
    type: "range", min: 1, max: series.weights.length, value: 1, "aria-label": "row of the forecast whose weights are shown",
    input: () => {
      step = Number(slider.value) - 1;
      label.textContent = slider.value;
      make();
    },
  });
  return [el("div", { class: "tools" }, el("label", {}, "weights of row ", label, " of the forecast ", slider)), holder];
}

function bars(entries) {
  const most = Math.max(...entries.map((entry) => entry.weight), 1e-9);
  return el("div", { class: "bars" }, ...entries.flatMap((entry) => [
    el("span", { class: entry.right ? "name right" : "name" }, bdi(entry.name), entry.detail ? el("small", {}, bdi(entry.detail)) : null),
    el("i", { class: entry.right ? "right" : null, style: `width:${(100 * entry.weight) / most}%` }),
    el("span", { class: "num" }, entry.weight >= 0.0005 || entry.weight === 0 ? entry.weight.toFixed(3) : "< 0.001")]));
}

function weightedText(text) {
  const readout = el("output", { class: "readout" }), holder = el("div"), rule = el("div");
  const show = (values, signed) => {
    const most = Math.max(...values.map(Math.abs), 1e-9);
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
    holder.replaceChildren(el("div", { class: text.joined ? "tokens" : "tokens words", dir: "auto", pointerleave: () => readout.replaceChildren(rest) }, ...spans));
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

/** Degrees as a plain map has them: longitude to the right, latitude up, cut to what matters. */
function placeMap(ranking, backdrop) {
  const found = ranking.entries.filter((entry) => entry.at);
  const all = [...found.map((entry) => entry.at), ...(ranking.asked ? [ranking.asked] : [])];
  if (!all.length) return null;
  const range = (values, least, from, to) => {
    const low = Math.min(...values), high = Math.max(...values), size = Math.min(to - from, Math.max(least, 1.3 * (high - low)));
    const start = Math.max(from, Math.min(to - size, (low + high - size) / 2));
    return [start, start + size];
  };
  let [west, east] = range(all.map((at) => at[1]), 50, -180, 180), [south, north] = range(all.map((at) => at[0]), 22, -90, 90);
  const wide = (north - south) * 2;
  if (east - west < wide) [west, east] = range([west, east], wide, -180, 180);
  const tall = (east - west) / 2.2;
  if (north - south < tall) [south, north] = range([south, north], tall, -90, 90);
  const width = 560, scale = width / (east - west), height = Math.round((north - south) * scale), foot = 20, side = 40;
  const x = (longitude) => side + (longitude - west) * scale, y = (latitude) => (north - latitude) * scale;
  const step = [1, 2, 5, 10, 15, 30, 60].find((size) => (east - west) / size <= 7) ?? 60;
  const degrees = (value, plus, minus) => `${Math.abs(value)}°${value > 0 ? plus : value < 0 ? minus : ""}`;
  const lines = [];
  for (let at = Math.ceil(west / step) * step; at <= east; at += step)
    lines.push(svgEl("line", { class: "frame", x1: x(at), x2: x(at), y1: 0, y2: height }),
      svgEl("text", { class: "axis", x: x(at), y: height + 15, "text-anchor": "middle" }, degrees(at, "E", "W")));
  for (let at = Math.ceil(south / step) * step; at <= north; at += step)
    lines.push(svgEl("line", { class: "frame", x1: side, x2: side + width, y1: y(at), y2: y(at) }),
      svgEl("text", { class: "axis", x: side - 5, y: y(at) + 4, "text-anchor": "end" }, degrees(at, "N", "S")));
  let dots = "";
  for (let i = 0; i < backdrop.length; i += 2) {
    const [latitude, longitude] = [backdrop[i], backdrop[i + 1]];
    if (longitude >= west && longitude <= east && latitude >= south && latitude <= north)
      dots += `M${x(longitude).toFixed(1)} ${y(latitude).toFixed(1)}h0`;
  }
  const most = Math.max(...found.map((entry) => entry.weight), 1e-9);
  const circles = found.slice().reverse().map((entry) => svgEl("circle", {
    cx: x(entry.at[1]), cy: y(entry.at[0]), r: 4 + 10 * Math.sqrt(entry.weight / most),
    style: `fill:var(--line${entry.right ? 2 : 0});fill-opacity:.55;stroke:var(--card)`,
  }, svgEl("title", {}, `${entry.name}  ${entry.weight.toFixed(3)}`)));
  // The right one and the best get their names, as far as these do not cover each other.
  const taken = [];
  const named = found.slice().sort((a, b) => b.right - a.right).filter((entry) => {
    const at = { x: x(entry.at[1]), y: y(entry.at[0]) };
    if (taken.length === 4 || taken.some((other) => Math.abs(at.x - other.x) < 170 && Math.abs(at.y - other.y) < 16)) return false;
    return taken.push(at);
  });
  const names = named.map((entry) => {
    const right = x(entry.at[1]) < side + width * 0.7;
    return svgEl("text", { class: "token", x: x(entry.at[1]) + (right ? 16 : -16), y: y(entry.at[0]) + 4, "text-anchor": right ? "start" : "end",
      style: "paint-order:stroke;stroke:var(--card);stroke-width:3px" }, entry.name);
  });
  const asked = ranking.asked ? svgEl("path", {
    d: `M${x(ranking.asked[1]) - 7} ${y(ranking.asked[0])}h14m-7 -7v14`, style: "stroke:var(--against);stroke-width:2",
  }, svgEl("title", {}, "where it was asked for")) : null;
  return svgEl("svg", { viewBox: `0 0 ${side + width + 8} ${height + foot}`, style: "width:100%;height:auto", role: "img",
    "aria-label": "map of what was found: " + found.map((entry) => entry.name).join(", ") },
    ...lines, svgEl("path", { d: dots, style: `stroke:var(--faint);stroke-opacity:.45;stroke-width:${Math.min(3, Math.max(1.5, 0.35 * scale)).toFixed(1)};stroke-linecap:round` }),
    ...circles, asked, ...names);
}

function ranking(found, backdrops) {
  return [el("div", { class: "match" }, bars(found.entries), placeMap(found, backdrops[found.backdrop] ?? []))];
}

const kinds = { heat: heatMap, forecast, text: weightedText, ranking };

function pictureCard(picture, backdrops) {
  const part = (label, text) => (text ? el("span", {}, ...(label ? [el("em", {}, label), " "] : []), bdi(text), " ") : null);
  const { shown } = picture;
  const wide = shown.kind === "ranking" || shown.kind === "forecast" || (shown.kind === "heat" && shown.columns.length > 16);
  return el("section", { class: "card picture" + (wide ? " wide" : "") },
    el("div", { class: "bar" }, el("h3", { style: "font-size:17px" }, bdi(picture.title)), el("span", { class: "group" }, picture.group)),
    el("p", { class: "said" }, part("model", picture.answer), part("right", picture.truth), part("", picture.note)),
    ...kinds[shown.kind](shown, backdrops).filter((child) => child != null));
}
