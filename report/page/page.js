// The page as a whole.

function facts(run) {
  return el("table", {}, el("tbody", {}, ...run.facts.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, bdi(value)))),
    el("tr", {}, el("th", { scope: "row" }, "command"), el("td", {}, el("code", {}, bdi(run.command))))));
}

function more(run, rest) {
  return el("details", {}, el("summary", {}, `More of ${run.name}`),
    rest.length ? el("div", { class: "columns" }, ...rest.map(([name, value]) =>
      el("div", {}, el("span", { class: "faint" }, bdi(name)), el("span", { class: "num" }, value)))) : null,
    el("h3", { style: "margin-top:14px" }, "Run"), el("div", { class: "scroll" }, facts(run)),
    run.config ? el("details", {}, el("summary", {}, "config.toml"), el("pre", {}, run.config)) : null);
}

// What is told of a run at first sight: names without a dot.
const isMain = ([name]) => !name.includes(".");

function alone(run) {
  const fact = (name) => run.facts.find(([label]) => label === name)?.[1];
  const lead = [run.task, fact("parameters") && fact("parameters") + " parameters", fact("steps") && fact("steps") + " steps",
    fact("training took"), run.resultsOf].filter(Boolean).join("  ·  ");
  const main = run.results.filter(isMain).slice(0, 8), rest = run.results.filter((result) => !main.includes(result));
  return [el("p", { class: "lead" }, lead),
    main.length ? el("div", { class: "tiles" }, ...main.map(([name, value]) =>
      el("div", { class: "tile" }, el("b", {}, value), el("span", {}, bdi(name))))) : null,
    more(run, rest)];
}

function together(runs) {
  const names = [...new Set(runs.flatMap((run) => [...run.facts.filter(([name]) => ["task", "parameters", "steps", "training took"].includes(name)),
    ...run.results.filter(isMain)].map(([name]) => name)))];
  const value = (run, name) => [...run.facts, ...run.results].find(([label]) => label === name)?.[1] ?? "–";
  return [el("div", { class: "scroll", style: "margin-top:18px" }, el("table", { class: "runs" },
    el("thead", {}, el("tr", {}, el("th", {}, "run"), ...names.map((name) => el("th", { scope: "col" }, bdi(name))))),
    el("tbody", {}, ...runs.map((run) => el("tr", {}, el("th", { scope: "row" }, bdi(run.name)),
      ...names.map((name) => el("td", { class: "num" }, value(run, name)))))))),
    ...runs.map((run) => more(run, run.results.filter((result) => !isMain(result))))];
}

/** A card of a chart or picture. One that cannot be made says so, and costs the page no other. */
function card(one, make) {
  const holder = el("div");
  return guarded(holder, () => make(one)) ?? el("section", { class: "card" }, el("h3", {}, bdi(one.title ?? "")), holder);
}

/** What is made when it is opened. */
function unfolding(title, make) {
  const details = el("details", { toggle: () => details.children.length === 1 && details.append(make()) }, el("summary", {}, title));
  return details;
}

function show(page) {
  const { runs, charts, pictures, backdrops } = page;
  const parts = [el("h1", {}, ...runs.flatMap((run, i) => [i ? ", " : null, bdi(run.name)])),
    ...(runs.length === 1 ? alone(runs[0]) : together(runs))];
  const cards = (some, make) => el("div", { class: "grid" }, some.map((one) => card(one, make)));
  if (charts.length) {
    const folded = charts.filter((chart) => chart.folded);
    parts.push(el("h2", {}, "Training"),
      el("p", { class: "lead", style: "margin:-8px 0 12px" }, "Drag to zoom, double-click to go back; click a name to hide its curve."),
      cards(charts.filter((chart) => !chart.folded), chartCard));
    if (folded.length) parts.push(unfolding(`More of each attention: ${folded.length} ${folded.length > 1 ? "charts" : "chart"}`, () => cards(folded, chartCard)));
  }
  if (pictures.length)
    parts.push(el("h2", {}, "Examples"), cards(pictures, (picture) => pictureCard(picture, backdrops)));
  document.getElementById("page").replaceChildren(...parts.filter((part) => part != null));
}

show(JSON.parse(document.getElementById("data").textContent));
