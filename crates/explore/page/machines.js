// The machines of the model: a row for each rule, arcs from state to state, the states where processes stand lit.

import { $, chip, cut, el, plural, svg } from "./dom.js";

const ROW = 22;
const LANE = 9;
const LANES_MAX = 14;
const STATES_DRAWN = 300;

/** Rows, and a lane for each arc so that no two in one lane overlap. */
function laidOut(machine) {
  const leaving = new Map(machine.states.map((state) => [state.id, []]));
  for (const rule of machine.transitions) leaving.get(rule.from)?.push(rule);
  const line = (state) => Number(/:(\d+):\d+$/.exec(state.location)?.[1] ?? 1e9);
  const states = [...machine.states].sort((a, b) =>
    Number(b.id === machine.initial) - Number(a.id === machine.initial) || line(a) - line(b) || a.number - b.number);
  const rows = [];
  const rowOf = new Map();
  for (const state of states.slice(0, STATES_DRAWN)) {
    rowOf.set(state.id, rows.length);
    const rules = leaving.get(state.id);
    if (!rules.length) rows.push({ state, rule: null, isFirst: true });
    rules.forEach((rule, index) => rows.push({ state, rule, isFirst: index === 0 }));
  }
  const arcs = [];
  rows.forEach(({ rule }, row) => {
    if (!rule || rule.to === null || !rowOf.has(rule.to)) return;
    const to = rowOf.get(rule.to);
    arcs.push({ rule, from: row, to, low: Math.min(row, to), high: Math.max(row, to) });
  });
  arcs.sort((a, b) => a.high - a.low - (b.high - b.low));
  const lanes = [];
  for (const arc of arcs) {
    let lane = 0;
    while (lanes[lane]?.some((other) => arc.low < other.high && other.low < arc.high) && lane < LANES_MAX - 1) lane += 1;
    (lanes[lane] ??= []).push(arc);
    arc.lane = lane;
  }
  return { rows, rowOf, arcs, lanes: lanes.length, isCut: states.length > STATES_DRAWN };
}

export class Machines {
  constructor(model, onChoice) {
    this.model = model;
    this.onChoice = onChoice;
    this.open = new Set(model.machines.filter((machine) => machine.kind === "process").slice(0, 3).map((machine) => machine.name));
  }

  /** `here` is the answer about the state; `last` the step that led to it. */
  draw(here, last) {
    const parts = this.model.machines.map((machine) => {
      const standing = here.state.processes.filter((process) => machine.kind === "process" && process.process === machine.name);
      const details = el("details", {
        class: "machine", open: this.open.has(machine.name),
        ontoggle: (event) => (event.target.open ? this.open.add(machine.name) : this.open.delete(machine.name)),
      },
      el("summary", {}, el("strong", {}, machine.name), machine.kind === "process" ? "" : ` (${machine.kind})`,
        " ", standing.map((process) => chip(machine.name, process.pid)),
        el("span", { class: "faint" }, ` ${plural(machine.states.length, "state")}`)),
      this.#drawing(machine, standing, here, last));
      return details;
    });
    $("machines").replaceChildren(el("h2", {}, "Machines"), ...parts);
  }

  #drawing(machine, standing, here, last) {
    const { rows, rowOf, arcs, lanes, isCut } = laidOut(machine);
    const left = 12 + lanes * LANE;
    const text = left + 44;
    const y = (row) => row * ROW + ROW / 2 + 4;
    const widest = Math.max(...rows.map((row) => (row.rule?.text.length ?? 0)), 10);
    const width = text + Math.min(64, widest + 8) * 6.8 + 10;
    const drawing = svg("svg", { width, height: rows.length * ROW + 10, class: "machine-drawing", role: "img", "aria-label": `Machine ${machine.name}` });
    const lit = new Map();
    for (const process of standing) lit.set(process.state, [...(lit.get(process.state) ?? []), process.pid]);
    const taken = new Set(last ? [last.transition, last.partner?.transition] : []);
    const enabled = new Map();
    here.choices.forEach((choice, index) => {
      if (!enabled.has(choice.transition)) enabled.set(choice.transition, index);
      if (choice.partner && !enabled.has(choice.partner.transition)) enabled.set(choice.partner.transition, index);
    });
    for (const arc of arcs) {
      const x = left - 4 - arc.lane * LANE;
      const classes = ["arc", taken.has(arc.rule.id) ? "taken" : "", arc.rule.atomic ? "atomic" : ""].join(" ");
      const [from, to] = [y(arc.from), y(arc.to)];
      const isLoop = arc.from === arc.to;
      drawing.append(svg("path", {
        d: isLoop ? `M${left + 2} ${from + 5} h-8 v-10 h8` : `M${left} ${from + 3} H${x + 4} Q${x} ${from + 3} ${x} ${from + 3 + Math.sign(to - from || 1) * 4} V${to - 3 - Math.sign(to - from || 1) * 4} Q${x} ${to - 3} ${x + 4} ${to - 3} H${left + 1}`,
        class: classes,
      }));
    }
    rows.forEach(({ state, rule, isFirst }, row) => {
      if (isFirst) {
        const pids = lit.get(state.id) ?? [];
        const classes = ["node", pids.length ? `lit p${pids[0] % 8}` : "", state.end ? "end" : "", state.accepting ? "accepting" : ""].join(" ");
        const title = [`state ${state.number}`, ...state.labels, state.location, ...pids.map((pid) => `${machine.name}[${pid}] stands here`)].join("\n");
        drawing.append(
          svg("circle", { cx: left + 14, cy: y(row), r: 10, class: classes }, svg("title", {}, title)),
          svg("text", { x: left + 14, y: y(row) + 3.5, class: `node-text ${pids.length ? "lit" : ""}` }, String(state.number)),
        );
      } else {
        drawing.append(svg("path", { d: `M${left + 14} ${y(row - 1) + 10} V${y(row)} h10`, class: "arc" }));
      }
      if (!rule) return;
      const target = rule.to === null ? "✕" : String(machine.states.find((other) => other.id === rule.to)?.number ?? "…");
      const index = enabled.get(rule.id);
      const isHere = index !== undefined && lit.has(state.id);
      const classes = ["rule", isHere ? "enabled" : "", taken.has(rule.id) ? "taken" : ""].join(" ");
      drawing.append(svg("text", {
        x: left + 30, y: y(row) + 4, class: classes, onclick: isHere ? () => this.onChoice(index) : null,
      }, `${cut(rule.text, 58)} → ${target}`, svg("title", {}, `${rule.text}\n${rule.location}`)));
    });
    const notes = [isCut && `Only the first ${STATES_DRAWN} states are drawn.`, machine.cut && "The machine is too large to be sent as a whole."];
    return el("div", { class: "scroll-x" }, drawing, ...notes.filter(Boolean).map((note) => el("p", { class: "hint" }, note)));
  }
}
