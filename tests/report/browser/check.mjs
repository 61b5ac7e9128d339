// Opens pages of fovea plot as a reader would. Every check that fails is told; the exit code is their number.
import { chromium } from "playwright-core";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [all, long, run, drawing, broken] = process.argv.slice(2).map((file) => "file://" + resolve(file));
let failures = 0;

function check(holds, what) {
  if (holds) return;
  ++failures;
  console.error("FAILED: " + what);
}

const profile = mkdtempSync(join(tmpdir(), "fovea-browser-"));
process.on("exit", () => rmSync(profile, { recursive: true, force: true }));
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: "/usr/bin/chromium",
  headless: true,
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});

/** A page that is shown, in which nothing has gone wrong and nothing was fetched. */
async function open(address, { scheme = "light", width = 1200, faulty = false } = {}) {
  const page = await browser.newPage();
  page.on("console", (message) => check(faulty || !["error", "warning"].includes(message.type()), `${address}: console: ${message.text()}`));
  page.on("pageerror", (error) => check(false, `${address}: ${error.message}`));
  page.on("request", (request) => check(/^(file|data|blob):/.test(request.url()), `${address} asks for ${request.url()}`));
  await page.emulateMedia({ colorScheme: scheme });
  await page.setViewportSize({ width, height: 800 });
  const begin = Date.now();
  await page.goto(address);
  await page.waitForFunction(() => [...document.querySelectorAll(".chart")].every((chart) => chart.querySelector("canvas")));
  console.log(`${address.split("/").pop()}  ${scheme}, ${width} wide: shown after ${Date.now() - begin} ms`);
  return page;
}

const text = (page, where) => page.locator(where).first().innerText();
const legend = (page) => text(page, ".chart .u-legend .u-series:nth-child(2) .u-value");

{
  const page = await open(all);
  check((await page.evaluate(() => window.caught)) === undefined, "a text of the data was run as a script");
  check((await text(page, ".picture h3")).startsWith("</script><script>window.caught"), "the title is not shown as it is");
  check((await page.locator(".chart").count()) === 4 && (await page.locator(".picture").count()) === 10, "charts or pictures are missing");

  check((await text(page, ".picture .said")).replace(/\s+/g, " ").trim() === "model answer right truth 1 of 3 wrong", "what the model said is told as " + (await text(page, ".picture .said")));

  // Curves: what is pointed at is told, and the scale changes.
  check((await legend(page)) === "–", "a value is told where nothing is pointed at");
  await page.locator(".chart .u-over").first().hover({ position: { x: 200, y: 60 } });
  check(/^\d/.test(await legend(page)), "pointing at a curve tells no value: " + (await legend(page)));
  const axisOf = () => page.locator(".chart canvas").first().evaluate((canvas) => canvas.toDataURL());
  const linear = await axisOf();
  await page.locator(".chart button").first().click();
  await page.waitForTimeout(100);
  check((await axisOf()) !== linear, "the log scale changes nothing");
  check((await page.locator(".chart").nth(1).locator("button").count()) === 0, "a log scale is offered for negative numbers");

  // A heat map: cells, heads, keys.
  const heat = page.locator(".picture").first();
  const readout = () => heat.locator(".readout").innerText();
  const cells = () => heat.locator("svg rect").evaluateAll((rects) => rects.map((rect) => rect.getAttribute("style")).join());
  check((await readout()).startsWith("Point at"), "the read-out has no hint");
  await heat.locator("svg g rect").first().hover();
  check(/^שלום \(1\) looks at a \(1\) with 0\.\d{3}; entropy/.test(await readout()), "pointing at a cell tells: " + (await readout()));
  const first = await cells();
  await heat.locator("select").selectOption("3");
  check((await cells()) !== first, "another head has the same cells");
  check((await heat.locator(".thumbs button").nth(3).getAttribute("aria-pressed")) === "true", "the picked head is not marked");
  await heat.locator(".thumbs button").first().click();
  check((await cells()) === first && (await heat.locator("select").inputValue()) === "0", "a thumbnail does not pick its head");
  await heat.locator("svg").focus();
  for (const key of ["ArrowRight", "ArrowRight", "ArrowDown"]) await page.keyboard.press(key);
  check(/\(2\) looks at ␣ \(2\)/.test(await readout()), "arrow keys tell: " + (await readout()));

  // Its other kind of attention, of which heads were left out.
  await heat.locator(".kinds button").nth(1).click();
  check((await heat.locator(".tools").allInnerTexts()).join().includes("7 of 8 heads are left out"), "it is not told that heads are left out");
  check((await heat.locator("svg text.axis").first().textContent()) === "read →" && (await heat.locator("svg text.token").count()) === 10, "the other kind of attention is not shown");
  await heat.locator(".kinds button").first().click();
  check((await heat.locator("svg text.token").count()) === 8, "the first kind of attention does not come back");

  // Details are made when they are opened; curves beyond eight have dashes, in their names, too.
  await page.locator("details > summary", { hasText: "More of each attention: 1 chart" }).click();
  await page.locator(".chart canvas").nth(4).waitFor();
  const marker = (nth) => page.locator(".chart").nth(4).locator(".u-marker").nth(nth).evaluate((one) => getComputedStyle(one).borderTopStyle);
  check([await marker(1), await marker(9), await marker(17)].join() === "solid,dashed,dotted", `names of curves have ${await marker(1)}, ${await marker(9)}, ${await marker(17)}`);
  // Numbers that stand alone, and a single row, are seen: more of their colour than the name's line.
  const ink = (nth) => page.locator(".chart").nth(nth).locator("canvas").evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) count += data[i + 3] > 0 && data[i + 2] > data[i] + 60;
    return count;
  });
  const [alone, single] = [await ink(2), await ink(3)];
  check(alone > 100, `ten numbers that stand alone have ${alone} dots`);
  check(single > 10, `a single row has ${single} dots`);

  // A forecast: the weights of another row.
  const series = page.locator(".picture").nth(1), shown = () => series.locator("canvas").evaluate((canvas) => canvas.toDataURL());
  const before = await shown();
  await series.locator("input").fill("2");
  await page.waitForTimeout(100);
  check((await shown()) !== before && (await text(page, ".picture:nth-child(2) .tools .num")) === "2", "the slider shows no other weights");

  // The first bar is whole: as wide as the next one, a few pixels above the axis.
  await series.locator("input").fill("3");
  await page.waitForTimeout(100);
  const bars = await series.locator("canvas").evaluate((canvas) => {
    const y = Math.round(canvas.height * 0.83), { data } = canvas.getContext("2d").getImageData(0, y, canvas.width, 1);
    const runs = [0];
    for (let x = 0; x < canvas.width; ++x) {
      const blue = data[4 * x + 3] > 0 && data[4 * x + 2] > data[4 * x] + 60;
      if (blue) ++runs[runs.length - 1];
      else if (runs.at(-1)) runs.push(0);
    }
    return runs;
  });
  check(bars.length > 2 && bars[0] > 10 && Math.abs(bars[0] - bars[1]) <= 2, "bars are so wide: " + bars);

  // A text: weights, then evidence.
  const labelled = page.locator(".picture").nth(2);
  await labelled.locator(".tokens span").first().hover();
  check((await labelled.locator(".readout").innerText()) === "s (1) 0.5", "pointing at a token tells: " + (await labelled.locator(".readout").innerText()));
  await labelled.locator("button").nth(1).click();
  await labelled.locator(".tokens span").nth(1).hover();
  check((await labelled.locator(".readout").innerText()) === "a (2) -2", "pointing at evidence tells: " + (await labelled.locator(".readout").innerText()));

  // A ranking: bars and a map.
  const ranking = page.locator(".picture").nth(3);
  check((await ranking.locator(".bars i").count()) === 3 && (await ranking.locator("circle").count()) === 2, "bars or places are missing");
  check((await ranking.locator("svg").textContent()).includes("Vienna, AT"), "the map does not name what was found");
  // A forecast of one row shows its interval, though a band over it has no width: more of its colour at the right.
  const inked = (nth) => page.locator(".picture").nth(nth).locator("canvas").evaluate((canvas) => {
    const from = Math.floor(0.9 * canvas.width), width = canvas.width - from;
    const { data } = canvas.getContext("2d").getImageData(from, 0, width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) count += data[i + 3] > 0 && data[i] > data[i + 2] + 40;
    return count;
  });
  const wide = await inked(4), narrow = await inked(5);
  check(wide > narrow + 60, `an interval of one row has ${wide} dots, one of no width ${narrow}`);
  // The slider of a long one comes to its last row.
  const longer = page.locator(".picture").nth(6);
  await longer.locator("input").fill("336");
  check((await longer.locator(".num").innerText()) === "336", "the slider of a long forecast stops before its last row");

  // Words without a space break, and at the edge of the map circles and names are whole.
  const edge = page.locator(".picture").nth(8).locator("svg");
  const sticking = await edge.evaluate((svg) => {
    const box = svg.getBoundingClientRect();
    return [...svg.querySelectorAll("circle, text")].filter((one) => {
      const own = one.getBoundingClientRect();
      return own.left < box.left - 0.5 || own.right > box.right + 0.5 || own.top < box.top - 0.5 || own.bottom > box.bottom + 0.5;
    }).map((one) => one.textContent);
  });
  check(sticking.length === 0, "outside of the map: " + sticking);

  // Even weights are seen, and the ramp says of what.
  const even = page.locator(".picture").nth(9);
  check((await even.locator("svg g rect").first().getAttribute("style")) === "fill:var(--w20)", "even weights are faint");
  check((await even.locator(".ramp").innerText()).includes("0.01 weight, the largest here"), "the ramp tells " + (await even.locator(".ramp").innerText()));
  await page.close();
}

// What cannot be shown says so, and the rest is there.
{
  const page = await open(broken, { faulty: true });
  check((await page.locator(".failed").count()) === 2, `${await page.locator(".failed").count()} failures are told, not 2`);
  check((await page.locator(".picture").count()) === 10 && (await page.locator(".picture svg").count()) >= 3, "a picture that fails takes others with it");
  check((await page.locator(".chart").count()) === 3, "a chart that fails takes others with it");
  await page.close();
}

// Both schemes, and a narrow screen: nothing sticks out.
const grounds = new Set();
for (const scheme of ["light", "dark"]) {
  for (const width of [1200, 360]) {
    for (const address of [all, run]) {
      const page = await open(address, { scheme, width });
      const facts = await page.evaluate(() => ({
        over: document.documentElement.scrollWidth - innerWidth,
        ground: getComputedStyle(document.body).backgroundColor,
      }));
      const wide = await page.evaluate(() => [...document.querySelectorAll(".card, .card > *:not(.scroll)")]
        .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline").map((one) => one.className + ": " + one.textContent.slice(0, 40)));
      check(wide.length === 0, `${address} at ${width}, ${scheme}: too wide for their card: ${wide.slice(0, 3)}`);
      check(facts.over <= 0, `${address} is ${facts.over} pixels too wide at ${width}, ${scheme}`);
      grounds.add(facts.ground);
      await page.close();
    }
  }
}
check(grounds.size === 2, "light and dark have the same ground");

{
  // The colours follow when the reader changes the scheme.
  const page = await open(all);
  const canvas = () => page.locator(".chart canvas").nth(1).evaluate((one) => one.toDataURL());
  const light = await canvas();
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForTimeout(200);
  check((await canvas()) !== light, "curves keep their colours when the scheme changes");
  await page.close();
}

{
  const page = await open(run);
  check((await page.locator(".picture").count()) === 6, "the run's report does not show four bad items and two typical ones");
  check((await page.locator(".picture").first().locator(".kinds button").allInnerTexts()).join() === "written × read,read × read,written × written before", "not all kinds of attention are to choose from");
  check((await page.locator(".picture").first().locator("option").count()) === 5, "two layers of two heads and their mean are not to choose from");
  await page.close();
}

{
  const page = await open(long);
  await page.locator(".chart .u-over").first().hover({ position: { x: 200, y: 60 } });
  check(/^-?\d/.test(await legend(page)), "a long run tells no value");
  await page.close();
}

{
  const page = await browser.newPage();
  await page.goto(drawing);
  check((await page.locator("text").count()) > 20, "the drawing is empty");
  await page.close();
}

await browser.close();
console.log(failures ? `${failures} checks failed` : "all checks hold");
process.exit(failures ? 1 : 0);
