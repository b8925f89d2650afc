// The page: a walk through the states of a model, and what is to be seen where it has come to.
//
// A walk is a list of numbers: which of the steps there are is taken, each time. The page holds it, not the program, so that
// several pages do not disturb each other.

import * as api from "./api.js";
import { Chart } from "./chart.js";
import { $, chip, cut, el, lineOf, messageText, place, plural, processName } from "./dom.js";
import { StateGraph } from "./graph.js";
import { Machines } from "./machines.js";
import { Search } from "./search.js";

const HISTORY_SHOWN = 300;
const OTHER_WALKS_MAX = 20;

const page = {
  model: null,
  initial: null,
  /** The walk, which may go on behind the place that is shown. */
  path: [],
  steps: [],
  /** Steps from the initial state to what is shown. */
  cursor: 0,
  here: null,
  /** What the end of the walk shows, and where its cycle begins. */
  shows: null,
  bookmarks: [],
  watches: [],
  chosen: 0,
  asked: 0,
};

const say = (text, kind = "") => {
  $("banner").textContent = text;
  $("banner").className = kind;
};

/** Goes to a place on a walk: asks for what is not known, then shows it. */
async function go(path, cursor, shows = null) {
  const number = ++page.asked;
  let known = 0;
  while (known < page.steps.length && known < path.length && page.path[known] === path[known]) known += 1;
  try {
    let steps = page.steps.slice(0, known);
    let here = null;
    if (path.length > known || cursor === path.length) {
      const answer = await api.walk(path, known);
      steps = [...steps, ...answer.steps];
      if (cursor === path.length) here = answer;
    }
    here ??= await api.walk(path.slice(0, cursor), cursor);
    if (number !== page.asked) return;
    Object.assign(page, { path, steps, cursor, here, shows, chosen: 0 });
    remember();
    draw();
  } catch (error) {
    if (number === page.asked) say(error.message, "bad");
  }
}

const back = () => page.cursor > 0 && go(page.path, page.cursor - 1, page.shows);
const forward = () => page.cursor < page.path.length && go(page.path, page.cursor + 1, page.shows);
const toStep = (cursor) => go(page.path, cursor, page.shows);

function take(index) {
  if (!page.here?.choices[index]) return;
  const path = page.path.slice(0, page.cursor);
  // The same step as before: the walk goes on as it is.
  if (page.path[page.cursor] === index) return forward();
  if (page.cursor < page.path.length) keepOther();
  return go([...path, index], path.length + 1);
}

/** A walk that is left for another one can be taken up again. */
function keepOther() {
  const name = `${plural(page.path.length, "step")}, left after step ${page.cursor}`;
  page.bookmarks.push({ name, path: page.path, cursor: page.path.length, shows: page.shows, isOther: true });
  const others = page.bookmarks.filter((mark) => mark.isOther);
  if (others.length > OTHER_WALKS_MAX) page.bookmarks.splice(page.bookmarks.indexOf(others[0]), 1);
}

function bookmark() {
  const step = page.steps[page.cursor - 1];
  const name = step ? `after ${step.number}: ${processName(step.process, step.pid)} ${cut(step.text, 40)}` : "the initial state";
  page.bookmarks.push({ name, path: page.path, cursor: page.cursor, shows: page.shows });
  remember();
  drawMarks();
}

const key = () => `walk:${page.model.name}`;

/** A reload comes back to the same place. */
function remember() {
  const { path, cursor, shows, bookmarks, watches } = page;
  try {
    sessionStorage.setItem(key(), JSON.stringify({ path, cursor, shows, bookmarks, watches }));
  } catch {
    // It is too much, or not allowed: then a reload begins anew.
  }
}

function recall() {
  try {
    return JSON.parse(sessionStorage.getItem(key()) ?? "null");
  } catch {
    return null;
  }
}

// ---------------------------------------------------------------------------------------------------------------- drawing

function draw() {
  const { here, path, cursor } = page;
  $("position").textContent = `${cursor} / ${path.length}`;
  $("back").disabled = $("to-start").disabled = cursor === 0;
  $("forward").disabled = $("to-end").disabled = cursor === path.length;
  $("random").disabled = here.choices.length === 0;
  drawBanner();
  drawChoices();
  drawHistory();
  drawMarks();
  drawState();
  drawSource();
  drawChart();
  machines.draw(here, page.steps[cursor - 1]);
  graph.light(path.slice(0, cursor));
}

function drawBanner() {
  const { here, cursor, path, shows } = page;
  const isEnd = cursor === path.length;
  if (here.ending === "deadlock") return say(`${here.error.kind === "deadlock" ? "Deadlock: nothing can move, and not every process is where it may end." : here.error.message}`, "bad");
  if (here.error) return say(here.error.message, ["goal", "reached"].includes(here.error.kind) ? "good" : "bad");
  if (here.broken.length) return say(`Does not hold here: ${here.broken.join("; ")}`, "bad");
  if (isEnd && shows?.cycle_start !== undefined && shows?.cycle_start !== null) {
    return say(`${shows.message[0].toUpperCase()}${shows.message.slice(1)}: steps ${shows.cycle_start + 1} to ${path.length} go round for ever.`, "bad");
  }
  if (isEnd && shows) return say(shows.message, ["goal", "reached"].includes(shows.kind) ? "good" : "bad");
  if (here.ending === "end") return say("Every process is where it may end.", "good");
  if (here.ending === "fault") return say("The last step went wrong: nothing comes after it.", "bad");
  if (here.met_after !== null) return say(`This state was there before, after step ${here.met_after}: a cycle of ${plural(cursor - here.met_after, "step")}.`);
  return say("");
}

function drawChoices() {
  const { here } = page;
  const items = here.choices.map((choice, index) => {
    const next = page.path[page.cursor] === index ? " next" : "";
    return el("li", {}, el("button", { class: `choice${next}${index === page.chosen ? " chosen" : ""}`, onclick: () => take(index) },
      el("span", { class: "key" }, index < 9 ? String(index + 1) : "·"),
      chip(choice.process, choice.pid), choice.partner ? [" → ", chip(choice.partner.process, choice.partner.pid)] : null,
      " ", el("code", {}, cut(choice.text, 80)), el("span", { class: "faint" }, ` ${place(choice.location, page.model.name)}`),
      choice.fault ? el("span", { class: "fault" }, ` ✗ ${choice.fault}`) : null));
  });
  const none = here.choices.length ? null : el("li", { class: "hint" }, "none: nothing can move here");
  $("choices").replaceChildren(...items, ...[none].filter(Boolean));
}

function drawHistory() {
  const { steps, cursor, model } = page;
  const first = Math.max(0, Math.min(cursor - HISTORY_SHOWN / 2, steps.length - HISTORY_SHOWN));
  const shown = steps.slice(first, first + HISTORY_SHOWN);
  const item = (number, ...content) => el("li", {},
    el("button", { class: `step${number === cursor ? " current" : ""}${number > cursor ? " later" : ""}`, onclick: () => toStep(number) },
      el("span", { class: "key" }, String(number)), ...content));
  const items = shown.map((step) => item(step.number, chip(step.process, step.pid),
    step.partner ? [" → ", chip(step.partner.process, step.partner.pid)] : null, " ",
    el("code", {}, cut(step.text, 60)), el("span", { class: "faint" }, ` ${place(step.location, model.name)}`),
    step.fault ? el("span", { class: "fault" }, ` ✗ ${step.fault.message}`) : null));
  const before = first > 0 ? el("li", { class: "hint" }, `… ${first} steps before`) : item(0, "initial state");
  const rest = steps.length - first - shown.length;
  const after = rest > 0 ? el("li", { class: "hint" }, `… ${rest} steps after`) : null;
  const list = $("history");
  list.replaceChildren(before, ...items, ...[after].filter(Boolean));
  const current = list.querySelector(".current");
  if (current) {
    // The list is what the offset is measured from.
    const top = current.offsetTop, bottom = top + current.offsetHeight;
    if (top < list.scrollTop || bottom > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
  }
}

function drawMarks() {
  const row = (mark) => el("li", {},
    el("button", { class: "step", onclick: () => go(mark.path, mark.cursor, mark.shows) }, mark.name),
    el("button", {
      class: "remove", title: "remove", "aria-label": `remove ${mark.name}`,
      onclick: () => {
        page.bookmarks.splice(page.bookmarks.indexOf(mark), 1);
        remember();
        drawMarks();
      },
    }, "✕"));
  const part = (title, marks) => (marks.length ? [el("h2", {}, title), el("ul", { class: "marks" }, marks.map(row))] : []);
  $("marks").replaceChildren(
    ...part("Bookmarks", page.bookmarks.filter((mark) => !mark.isOther)),
    ...part("Other walks", page.bookmarks.filter((mark) => mark.isOther)));
}

function drawChart() {
  chart.draw({
    initial: page.initial, steps: page.steps, cursor: page.cursor, cycle: page.shows?.cycle_start ?? null,
    messagesOnly: $("messages-only").checked,
  });
}

function drawState() {
  const { here, model, steps, cursor } = page;
  const last = steps[cursor - 1];
  const changes = new Map((last?.changes ?? []).filter((change) => change.before !== change.after).map((change) => [change.name, change]));
  const { state } = here;
  const news = state.variables.filter((variable) => variable.name !== variable.value);
  const variables = news.map(({ name, value }) => {
    const change = changes.get(name);
    return el("tr", { class: change ? "changed" : "" }, el("td", {}, el("code", {}, name)),
      el("td", {}, change?.before !== undefined && change?.before !== null ? el("span", { class: "was" }, change.before, " → ") : null, el("code", {}, value)));
  });
  const channels = state.channels.filter((channel) => channel.capacity > 0).map((channel) =>
    el("tr", { class: changes.has(channel.name) ? "changed" : "" },
      el("td", {}, el("code", {}, channel.name)),
      el("td", {}, el("span", { class: "faint" }, `${channel.messages.length}/${channel.capacity} `),
        channel.messages.map((fields) => el("span", { class: "message-chip" }, messageText(fields))))));
  const processes = state.processes.map((process) => {
    const moves = here.choices.some((choice) => choice.pid === process.pid || choice.partner?.pid === process.pid);
    const next = process.next.filter((text) => text !== "-end-");
    const reasons = process.held ? [process.held] : [...new Set((process.waits ?? []).map((wait) => wait.reason))];
    return el("tr", { class: moves ? "" : "still" }, el("td", {}, chip(process.process, process.pid)),
      el("td", {}, el("span", { class: "faint" }, `${place(process.location, model.name)} `),
        next.length ? el("code", {}, cut(`${process.labels.map((label) => `${label}: `).join("")}${next.join(" or ")}`, 120)) : "at its end",
        process.may_end ? el("span", { class: "tag" }, "may end") : null,
        reasons.map((reason) => el("div", { class: "reason" }, reason))));
  });
  const table = (title, rows) => (rows.length ? [el("h2", {}, title), el("table", {}, el("tbody", {}, rows))] : []);
  const hint = state.hint ? [el("p", { class: "hint" }, state.hint)] : [];
  $("state-body").replaceChildren(
    ...table("Processes", processes), ...hint, ...table("Variables", variables), ...table("Channels", channels));
  drawWatches();
}

async function drawWatches() {
  const list = $("watches");
  if (!page.watches.length) return list.replaceChildren();
  const path = page.path.slice(0, page.cursor);
  const number = page.asked;
  let values;
  try {
    ({ values } = await api.evaluate(path, page.watches));
  } catch (error) {
    values = page.watches.map(() => ({ wrong: error.message }));
  }
  if (number !== page.asked) return;
  list.replaceChildren(...page.watches.map((text, index) => {
    const { value, wrong } = values[index] ?? {};
    return el("tr", {}, el("td", {}, el("code", {}, text)),
      el("td", { class: wrong === undefined ? "" : "fault" }, wrong ?? el("code", {}, String(value))),
      el("td", {}, el("button", {
        class: "remove", "aria-label": `remove ${text}`,
        onclick: () => {
          page.watches.splice(index, 1);
          remember();
          drawWatches();
        },
      }, "✕")));
  }));
}

function makeState() {
  const input = el("input", { id: "expression", type: "text", placeholder: "an expression: x + 1, len(q) == 2", spellcheck: "false", autocomplete: "off", "aria-label": "Expression" });
  const form = el("form", {
    class: "line",
    onsubmit: (event) => {
      event.preventDefault();
      const text = input.value.trim();
      if (!text) return;
      if (!page.watches.includes(text)) page.watches.push(text);
      input.value = "";
      remember();
      drawWatches();
    },
  }, input, el("button", {}, "evaluate"));
  $("state").replaceChildren(form, el("table", {}, el("tbody", { id: "watches" })), el("div", { id: "state-body" }));
}

// The lines of the text are made once; what is lit changes.
function makeSource() {
  const files = page.model.files.map((file) => {
    const lines = file.text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    const rows = lines.map((line, index) => el("tr", { "data-place": `${file.name}:${index + 1}` },
      el("td", { class: "line-number" }, String(index + 1)), el("td", { class: "who" }), el("td", {}, el("code", {}, line || " "))));
    return el("div", {}, el("h2", {}, file.name), el("div", { class: "scroll-x" }, el("table", { class: "source" }, el("tbody", {}, rows))));
  });
  $("source").replaceChildren(...files);
  page.lines = new Map([...$("source").querySelectorAll("tr")].map((row) => [row.dataset.place, row]));
  page.litLines = [];
}

function drawSource() {
  for (const row of page.litLines) {
    row.className = "";
    row.children[1].replaceChildren();
  }
  page.litLines = [];
  const row = (location) => {
    const at = lineOf(location);
    const found = at && page.lines.get(`${at.file}:${at.line}`);
    if (found) page.litLines.push(found);
    return found;
  };
  for (const process of page.here.state.processes) {
    const found = row(process.location);
    if (!found) continue;
    found.classList.add("standing");
    found.children[1].append(chip(process.process, process.pid));
  }
  const last = page.steps[page.cursor - 1];
  const executed = last && [last.location, last.partner?.location].map((location) => location && row(location)).filter(Boolean);
  executed?.forEach((found) => found.classList.add("executed"));
  scrollToLine(executed?.[0]);
}

function scrollToLine(found) {
  const box = $("source");
  if (!found || !box.clientHeight) return;
  const top = found.getBoundingClientRect().top - box.getBoundingClientRect().top;
  if (top < 20 || top > box.clientHeight - 40) box.scrollTop += top - box.clientHeight / 2;
}

// ---------------------------------------------------------------------------------------------------------------- controls

/** On a narrow page one part is shown at a time; on a wide one, those on the right take turns. */
function showTab(name) {
  const isOfSide = name !== "steps" && name !== "chart";
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const { tab: own } = tab.dataset;
    tab.classList.toggle("narrow-selected", own === name);
    if (isOfSide) tab.classList.toggle("selected", own === name);
    tab.setAttribute("aria-selected", String(tab.classList.contains("selected") || own === name));
  }
  for (const panel of document.querySelectorAll(".panel")) {
    panel.classList.toggle("narrow-shown", panel.id === name);
    if (isOfSide) panel.classList.toggle("shown", panel.id === name);
  }
  if (page.here && name === "chart") drawChart();
  if (page.here && name === "source") drawSource();
}

function choose(by) {
  const count = page.here?.choices.length ?? 0;
  if (!count) return;
  page.chosen = (page.chosen + by + count) % count;
  drawChoices();
  $("choices").children[page.chosen].scrollIntoView({ block: "nearest" });
}

const keys = {
  ArrowLeft: back, Backspace: back, ArrowRight: forward,
  Home: () => toStep(0), End: () => toStep(page.path.length),
  j: () => choose(1), k: () => choose(-1), ArrowDown: () => choose(1), ArrowUp: () => choose(-1),
  Enter: () => take(page.chosen),
  r: () => random(),
  b: bookmark,
  m: () => {
    $("messages-only").checked = !$("messages-only").checked;
    drawChart();
  },
  e: () => {
    showTab("state");
    $("expression").focus();
  },
  c: () => {
    showTab("check");
    $("check-start").focus();
  },
  "?": () => $("help").showModal(),
};

const random = () => {
  const count = page.here?.choices.length ?? 0;
  if (count) take(Math.floor(Math.random() * count));
};

function listen() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
    const { target } = event;
    if (target.closest("input, select, textarea")) {
      if (event.key === "Escape") target.blur();
      return;
    }
    // A button that has the focus is pressed with Enter, as everywhere.
    if (event.key === "Enter" && target.closest("button, summary")) return;
    const isScroll = target.id === "chart-body" && ["ArrowUp", "ArrowDown"].includes(event.key);
    const deed = /^[1-9]$/.test(event.key) ? () => take(Number(event.key) - 1) : keys[event.key];
    if (!deed || isScroll) return;
    event.preventDefault();
    deed();
  });
  const on = (id, deed) => $(id).addEventListener("click", deed);
  on("to-start", keys.Home);
  on("to-end", keys.End);
  on("back", back);
  on("forward", forward);
  on("random", random);
  on("bookmark", bookmark);
  on("help-open", keys["?"]);
  on("help-close", () => $("help").close());
  $("messages-only").addEventListener("change", drawChart);
  for (const tab of document.querySelectorAll("[role=tab]")) tab.addEventListener("click", () => showTab(tab.dataset.tab));
  let timer = null;
  window.addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(() => page.here && drawChart(), 150);
  });
}

let chart;
let graph;
let machines;

async function begin() {
  listen();
  showTab("state");
  if (window.matchMedia("(max-width: 900px)").matches) showTab("steps");
  try {
    page.model = await api.model();
  } catch (error) {
    return say(error.message, "bad");
  }
  document.title = `${page.model.name} – panoptes explore`;
  $("model-name").textContent = page.model.name.split("/").pop();
  $("model-name").title = `${page.model.name} (${page.model.language}), panoptes ${page.model.version}`;
  makeState();
  makeSource();
  chart = new Chart(toStep);
  machines = new Machines(page.model, take);
  graph = new StateGraph((path) => go(path, path.length));
  new Search(page.model, (walk, index) => {
    page.bookmarks.push({ name: `error ${index + 1}: ${cut(walk.error?.message ?? "", 50)}`, path: walk.path, cursor: walk.path.length, shows: walk.error });
    go(walk.path, walk.path.length, walk.error);
    if (window.matchMedia("(max-width: 900px)").matches) showTab("chart");
  });
  try {
    page.initial = (await api.walk([], 0)).state;
  } catch (error) {
    return say(error.message, "bad");
  }
  const before = recall();
  if (before) Object.assign(page, { bookmarks: before.bookmarks ?? [], watches: before.watches ?? [] });
  const { opened } = page.model;
  if (before) await go(before.path, before.cursor, before.shows);
  else if (opened) await go(opened.path, opened.path.length, opened.error);
  else await go([], 0);
  // What was remembered may be of another text.
  if (!page.here) await go([], 0);
}

begin();
