// Drives the explorer and the reports in a real browser: no error on the console, no request that leaves the page, the keyboard
// works, at two widths. Run by `cargo xtask browser`, which sets the environment.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const { PANOPTES, CHROMIUM, BROWSER_DIR, PICTURES } = process.env;
const { chromium } = createRequire(path.join(BROWSER_DIR, "package.json"))("playwright-core");
const WIDTHS = [
  { width: 1280, height: 800, colorScheme: "light" },
  { width: 400, height: 800, colorScheme: "dark" },
];
const PATIENCE = 15_000;

const failures = [];
let passed = 0;
const holds = (what, condition) => {
  if (condition) passed += 1;
  else failures.push(what);
};

const work = path.join(BROWSER_DIR, "work");
mkdirSync(work, { recursive: true });
if (PICTURES) mkdirSync(PICTURES, { recursive: true });

/** Runs the program to its end. */
const panoptes = (...args) => spawnSync(PANOPTES, args, { encoding: "utf8", timeout: 60_000, maxBuffer: 1 << 28 });

const saved = (name, model, steps, seed) => {
  const file = path.join(work, name);
  panoptes("simulate", model, "--steps", String(steps), "--seed", String(seed), "--trace-out", file, "--quiet");
  return file;
};

/** What is explored, and what is to be seen there. */
const subjects = () => [
  { name: "rendezvous", file: "models/rendezvous_deadlock.pml", check: { verdict: "Violated", banner: /Deadlock/ }, pictures: [1280] },
  { name: "lasso", file: "models/corridor.pml", check: { verdict: "Violated", banner: /for ever/ }, pictures: [400] },
  { name: "sixty-steps", file: saved("sixty.trace.json", "models/philosophers.pml", 60, 3), steps: 60, processes: 6, pictures: [1280] },
  { name: "thousand-steps", file: saved("thousand.trace.json", "models/alternating_bit.pml", 1000, 1), steps: 1000 },
  { name: "argos", file: "models/alternating_bit.argos", check: { verdict: "Verified" } },
  { name: "argos-deadlock", file: "models/telephone.argos", check: { verdict: "Violated", banner: /./ } },
  { name: "peterson", file: "models/peterson.pml", check: { verdict: "Verified|Violated" } },
];

/** Waits for something, not for ever. (The page allows no script that is not its own, so it is asked from here.) */
async function until(isSo) {
  const end = Date.now() + PATIENCE / 3;
  while (!(await isSo()) && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Starts the explorer and waits for its address. */
function explore(file) {
  const child = spawn(PANOPTES, ["explore", file], { stdio: ["ignore", "pipe", "pipe"] });
  return new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(() => reject(new Error(`no address for ${file}: ${text}`)), PATIENCE);
    child.stdout.on("data", (data) => {
      text += data;
      const address = /http:\S+/.exec(text);
      if (!address) return;
      clearTimeout(timer);
      resolve({ child, address: address[0] });
    });
    child.stderr.on("data", (data) => (text += data));
    child.on("exit", () => reject(new Error(`${file}: ${text}`)));
  });
}

/** A page that notes what must not happen. */
async function open(browser, address, { width, height, colorScheme }, title) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const own = new URL(address);
  page.on("console", (message) => message.type() === "error" && failures.push(`${title}: console: ${message.text()}`));
  page.on("pageerror", (error) => failures.push(`${title}: ${error.message}`));
  page.on("request", (request) => {
    const url = new URL(request.url());
    const isOwn = ["data:", "blob:"].includes(url.protocol) || (url.protocol === own.protocol && url.host === own.host);
    if (!isOwn) failures.push(`${title}: a request to ${request.url()}`);
  });
  await page.goto(address);
  return { context, page };
}

const picture = (page, name) => (PICTURES ? page.screenshot({ path: path.join(PICTURES, `${name}.png`) }) : null);

/** Nothing is wider than the page. */
async function fits(page, title) {
  const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  holds(`${title}: ${wide} pixels wide in ${room}`, wide <= room);
}

async function drive(browser, subject, address, view) {
  const title = `${subject.name} at ${view.width}`;
  const { context, page } = await open(browser, address, view, title);
  const isNarrow = view.width < 900;
  const position = () => page.textContent("#position");
  const pictured = () => (subject.pictures?.includes(view.width) ? picture(page, `explore-${subject.name}-${view.width}`) : null);
  const tab = (name) => page.click(`[data-tab=${name}]`);
  const at = async (wanted) => {
    await until(async () => (await position()) === wanted);
    holds(`${title}: at ${await position()}, not ${wanted}`, (await position()) === wanted);
  };
  await page.waitForSelector("#history .current", { state: "attached" });
  await fits(page, title);
  if (subject.steps) {
    await at(`${subject.steps} / ${subject.steps}`);
    if (subject.processes) {
      const heads = await page.locator(".chart-head .head").count();
      holds(`${title}: ${heads} lifelines`, heads >= subject.processes);
    }
    await page.keyboard.press("Home");
    await at(`0 / ${subject.steps}`);
    await page.keyboard.press("ArrowRight");
    await at(`1 / ${subject.steps}`);
    await page.keyboard.press("End");
    await at(`${subject.steps} / ${subject.steps}`);
  } else {
    // Steps by number and by choosing, back, a bookmark.
    await at("0 / 0");
    await page.keyboard.press("1");
    await at("1 / 1");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await at("2 / 2");
    await page.keyboard.press("ArrowLeft");
    await at("1 / 2");
    await page.keyboard.press("b");
    holds(`${title}: a bookmark`, (await page.locator("#marks .marks li").count()) === 1);
    await page.keyboard.press("Home");
    await at("0 / 2");
  }
  if (isNarrow) await tab("chart");
  holds(`${title}: dots on lifelines`, (await page.locator("#chart .dot").count()) > 0);
  await page.keyboard.press("m");
  await page.keyboard.press("m");
  if (subject.steps) await pictured();
  // An expression, by keyboard.
  await page.keyboard.press("e");
  await page.fill("#expression", subject.file.endsWith(".argos") ? "1 == 1" : "_nr_pr + 1");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#watches tr");
  const value = await page.textContent("#watches td:nth-child(2)");
  holds(`${title}: the value is ${value}`, /^\d+$/.test(value));
  await page.keyboard.press("Escape");
  await tab("source");
  holds(`${title}: lines where processes stand`, (await page.locator("#source .standing").count()) > 0);
  await tab("machines");
  holds(`${title}: lit states`, (await page.locator("#machines .node.lit").count()) > 0);
  await tab("graph");
  await page.click("#graph-draw");
  await page.waitForSelector("#graph-body .graph-node");
  holds(`${title}: the place in the graph`, subject.steps || (await page.locator("#graph-body .here").count()) === 1);
  if (subject.check) {
    await tab("check");
    await page.click("#check-start");
    await page.waitForSelector("#check-result .verdict");
    const verdict = await page.textContent("#check-result .verdict");
    holds(`${title}: the verdict is ${verdict}`, new RegExp(subject.check.verdict).test(verdict));
    if (subject.check.banner) {
      await page.click("#check-result .open-walk");
      await page.waitForSelector("#banner.bad");
      const banner = await page.textContent("#banner");
      holds(`${title}: the banner is ${banner}`, subject.check.banner.test(banner));
    }
    await tab(isNarrow ? "chart" : "state");
    await pictured();
  }
  await fits(page, `${title}, in the end`);
  await page.keyboard.press("?");
  holds(`${title}: the keys are shown`, await page.locator("#help[open]").count() === 1);
  await context.close();
}

/** A report in a file of its own, opened from the disk. */
async function report(browser, { name, file, hasSteps, pictures }, view) {
  const title = `report ${name} at ${view.width}`;
  const { context, page } = await open(browser, pathToFileURL(file).href, view, title);
  await fits(page, title);
  const text = () => page.evaluate(() => document.body.innerText);
  holds(`${title}: says something`, (await text()).length > 100);
  if (hasSteps) {
    // `step 3 of 60`
    const place = async () => (/step ([\d,]+) of ([\d,]+)/.exec(await text()) ?? []).slice(1).join(" of ");
    const [, last] = (await place()).split(" of ");
    holds(`${title}: a trace with steps`, Number(last?.replaceAll(",", "")) > 0);
    for (const [key, wanted] of [["End", last], ["Home", "0"], ["ArrowRight", "1"], ["ArrowLeft", "0"], ["j", "1"]]) {
      await page.keyboard.press(key);
      await until(async () => (await place()) === `${wanted} of ${last}`);
      holds(`${title}: after ${key} at ${await place()}`, (await place()) === `${wanted} of ${last}`);
    }
    await page.keyboard.press("End");
  }
  if (pictures?.includes(view.width)) await picture(page, `report-${name}-${view.width}`);
  await fits(page, `${title}, in the end`);
  await context.close();
}

/** The reports that this version can write. */
function reports() {
  const help = panoptes("check", "--help").stdout;
  if (!help.includes("--report")) return [];
  const models = [
    { name: "rendezvous", args: ["models/rendezvous_deadlock.pml"], hasSteps: true },
    { name: "lasso", args: ["models/corridor.pml"], hasSteps: true, pictures: [1280] },
    { name: "argos", args: ["models/telephone.argos"], hasSteps: true },
    { name: "verified", args: ["models/peterson.pml", "--property", "safety"] },
  ];
  for (const model of models) {
    model.file = path.join(work, `${model.name}.html`);
    panoptes("check", ...model.args, "--report", model.file, "--trace-out", path.join(work, `${model.name}.trace.json`));
  }
  const traces = [
    { name: "sixty-steps", trace: "sixty.trace.json", hasSteps: true },
    { name: "thousand-steps", trace: "thousand.trace.json", hasSteps: true },
  ];
  for (const trace of traces) {
    trace.file = path.join(work, `${trace.name}.html`);
    writeFileSync(trace.file, panoptes("explain", path.join(work, trace.trace), "--format", "html").stdout);
  }
  return [...models, ...traces];
}

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
try {
  for (const subject of subjects()) {
    const { child, address } = await explore(subject.file);
    try {
      // Both at once: neither disturbs the other.
      await Promise.all(WIDTHS.map((view) => drive(browser, subject, address, view)));
    } catch (error) {
      failures.push(`${subject.name}: ${error.message}`);
    } finally {
      child.removeAllListeners("exit");
      child.kill();
    }
    console.log(`${failures.length ? "not all well" : "ok"}: explore ${subject.name}`);
  }
  for (const about of reports()) {
    const { name, file } = about;
    if (!existsSync(file) || !readFileSync(file, "utf8").includes("<html")) {
      failures.push(`report ${name}: it was not written`);
      continue;
    }
    await Promise.all(WIDTHS.map((view) => report(browser, about, view))).catch((error) => failures.push(`report ${name}: ${error.message}`));
    console.log(`${failures.length ? "not all well" : "ok"}: report ${name}`);
  }
} finally {
  await browser.close();
}
console.log(`${passed} checks hold, ${failures.length} do not`);
for (const failure of failures) console.error(`FAILED ${failure}`);
process.exit(failures.length ? 1 : 0);
