// The message sequence chart of a walk: a lifeline for each process, a row for each step, an arrow from each send to its receive.

import { $, cut, el, messageText, processName, svg } from "./dom.js";

const ROW = 26;
const HEAD = 34;
const LEFT = 46;
const COLUMN_MIN = 64;
const CHARACTER = 6.7;
/** Rows that are drawn at a time. */
const ROWS_MAX = 400;

/** Processes with their rows, and messages with the steps that sent and received them. */
function laidOut(initial, steps) {
  const columns = [];
  const current = new Map();
  const start = (pid, name, at) => {
    const column = { pid, name, from: at, to: null };
    columns.push(column);
    current.set(pid, column);
  };
  for (const process of initial.processes) start(process.pid, process.process, 0);
  const messages = [];
  const queues = new Map();
  const columnOf = (pid) => current.get(pid);
  const rows = steps.map((step, index) => {
    if (!current.has(step.pid)) start(step.pid, step.process, index);
    const row = { step, column: columnOf(step.pid), partner: null, texts: [], isMessage: false };
    if (step.partner) {
      if (!current.has(step.partner.pid)) start(step.partner.pid, step.partner.process, index);
      row.partner = columnOf(step.partner.pid);
    }
    const sent = new Map();
    for (const event of step.events) {
      if (event.kind === "send") {
        row.isMessage = true;
        const message = {
          channel: event.channel, values: messageText(event.values), sent: index, from: columnOf(event.pid),
          received: null, to: null, lost: event.lost,
        };
        messages.push(message);
        if (event.lost) continue;
        if (step.partner) sent.set(event.channel, message);
        else queues.set(event.channel, [...(queues.get(event.channel) ?? []), message]);
      } else if (event.kind === "receive" && !event.peek) {
        row.isMessage = true;
        const values = messageText(event.values);
        const queue = queues.get(event.channel) ?? [];
        let message = sent.get(event.channel);
        if (!message) {
          const at = queue.findIndex((other) => other.values === values);
          message = at >= 0 ? queue.splice(at, 1)[0] : null;
        }
        if (message) Object.assign(message, { received: index, to: columnOf(event.pid) });
      } else if (event.kind === "start") {
        start(event.pid, event.process, index);
        row.starts = columnOf(event.pid);
      } else if (event.kind === "end") {
        const column = current.get(event.pid);
        if (column) column.to = index;
        current.delete(event.pid);
        row.ends = true;
      } else if (event.kind === "print" && event.text.trim()) {
        row.texts.push(`“${event.text.trim()}”`);
      }
    }
    return row;
  });
  return { columns, rows, messages };
}

/** The number stays: it tells processes of one type apart. */
function shortName({ name, pid }, max) {
  const number = `[${pid}]`;
  return name.length + number.length <= max ? name + number : name.slice(0, Math.max(1, max - number.length - 1)) + "…" + number;
}

export class Chart {
  constructor(onStep) {
    this.onStep = onStep;
    this.body = $("chart-body");
  }

  /** Draws the walk; `cursor` steps of it have been taken. */
  draw({ initial, steps, cursor, cycle, messagesOnly }) {
    const { columns, rows, messages } = laidOut(initial, steps);
    const isShown = (row) => !messagesOnly || row.isMessage || row.step.fault;
    const all = rows.map((row, index) => index).filter((index) => isShown(rows[index]));
    const near = all.findLastIndex((index) => index < cursor);
    const first = Math.max(0, Math.min(near - ROWS_MAX / 2, all.length - ROWS_MAX));
    const shown = all.slice(first, first + ROWS_MAX);
    const rowOf = new Map(shown.map((index, row) => [index, row]));
    const room = this.body.clientWidth || 400;
    const width = Math.max(COLUMN_MIN, Math.floor((room - LEFT - 18) / Math.max(1, columns.length)));
    const total = LEFT + width * columns.length + 8;
    const x = (column) => LEFT + columns.indexOf(column) * width + 14;
    const y = (row) => row * ROW + ROW / 2 + 4;
    const height = shown.length * ROW + 16;

    const drawing = svg("svg", { width: total, height: Math.max(height, 40), class: "chart" });
    drawing.append(
      svg("defs", {}, ["arrow", "arrow-later"].map((id) =>
        svg("marker", { id, viewBox: "0 0 8 8", refX: 7.5, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
          svg("path", { d: "M0 0 L8 4 L0 8 z", class: id }))),
      ),
    );
    this.#bands(drawing, { shown, cursor, cycle, total, y, rows });
    const clip = (row) => Math.max(-1, Math.min(shown.length, row));
    const at = (index) => {
      // The row of a step, or the nearest one before it.
      if (rowOf.has(index)) return rowOf.get(index);
      return shown.findLastIndex((other) => other <= index) + 0.5;
    };
    for (const column of columns) {
      const top = column.from === 0 && first === 0 ? 0 : y(clip(at(column.from))) - 4;
      const bottom = column.to === null ? height : y(clip(at(column.to)));
      if (bottom < 0) continue;
      drawing.append(svg("line", { x1: x(column), x2: x(column), y1: Math.max(0, top), y2: bottom, class: `lifeline p${column.pid % 8}` }));
      if (column.to !== null && rowOf.has(column.to)) {
        drawing.append(svg("path", { d: `M${x(column) - 5} ${bottom} h10`, class: "cap" }));
      }
    }
    for (const message of messages) this.#message(drawing, message, { rowOf, x, y, cursor, shown, width });
    shown.forEach((index, row) => this.#row(drawing, rows[index], index, { x, y: y(row), cursor, width, columns, messagesOnly }));

    const head = svg("svg", { width: total, height: HEAD, class: "chart chart-head" });
    for (const column of columns) {
      const name = processName(column.name, column.pid);
      head.append(
        svg("rect", { x: x(column) - 12, y: 5, rx: 5, width: width - 8, height: HEAD - 11, class: `head p${column.pid % 8}` }),
        svg("text", { x: x(column) - 6, y: 21, class: `head-text p${column.pid % 8}` },
          shortName(column, Math.floor((width - 14) / CHARACTER)), svg("title", {}, name)),
      );
    }
    const notes = [];
    if (first > 0) notes.push(`${first} earlier rows are not drawn`);
    if (first + shown.length < all.length) notes.push(`${all.length - first - shown.length} later rows are not drawn`);
    const empty = shown.length === 0
      ? el("p", { class: "hint" }, messagesOnly && rows.length ? "No message was sent yet." : "Take a step: the chart grows as you walk.")
      : null;
    this.body.replaceChildren(
      el("div", { class: "chart-head-box" }, head), drawing, ...[empty].filter(Boolean),
      ...notes.map((note) => el("p", { class: "hint" }, note)));
    const lit = near >= first ? near - first : -1;
    if (lit >= 0) this.#reveal(x(rows[shown[lit]].column), y(lit));
  }

  #bands(drawing, { shown, cursor, cycle, total, y, rows }) {
    shown.forEach((index, row) => {
      const isCurrent = index === cursor - 1;
      const classes = ["band", isCurrent ? "current" : "", rows[index].step.fault ? "bad" : ""].join(" ");
      drawing.append(svg("rect", {
        x: 0, y: y(row) - ROW / 2, width: total, height: ROW, class: classes, onclick: () => this.onStep(index + 1),
      }));
    });
    if (cycle !== null && cycle !== undefined) {
      const inside = shown.map((index, row) => [index, row]).filter(([index]) => index >= cycle);
      if (inside.length) {
        const top = y(inside[0][1]) - ROW / 2 + 3;
        const bottom = y(inside[inside.length - 1][1]) + ROW / 2 - 3;
        drawing.append(
          svg("path", { d: `M${LEFT - 6} ${top} h-6 V${bottom} h6`, class: "cycle" }),
          svg("text", { x: 2, y: (top + bottom) / 2 + 4, class: "cycle-text" }, "∞"),
        );
      }
    }
  }

  #message(drawing, message, { rowOf, x, y, cursor, shown, width }) {
    const later = message.sent >= cursor ? " later" : "";
    const title = svg("title", {}, `${message.channel}: ${message.values}${message.lost ? " (lost)" : ""}`);
    const begins = rowOf.has(message.sent);
    if (message.received === null) {
      if (!begins || !message.from) return;
      const from = [x(message.from), y(rowOf.get(message.sent))];
      drawing.append(
        message.lost
          ? svg("text", { x: from[0] - 13, y: from[1] + 4, class: `lost${later}` }, "✕", title)
          : svg("path", { d: `M${from[0]} ${from[1]} m-4 0 h-5`, class: `message waiting${later}` }, title),
      );
      return;
    }
    const ends = rowOf.has(message.received);
    if (!begins && !ends) return;
    const later2 = message.received >= cursor ? " later" : "";
    const from = [x(message.from), begins ? y(rowOf.get(message.sent)) : 0];
    const to = [x(message.to), ends ? y(rowOf.get(message.received)) : y(shown.length)];
    let d;
    if (message.from === message.to) {
      d = `M${from[0] + 4} ${from[1]} C${from[0] + width / 3} ${from[1]} ${to[0] + width / 3} ${to[1]} ${to[0] + 6} ${to[1]}`;
    } else {
      const side = Math.sign(to[0] - from[0]);
      d = `M${from[0] + 4 * side} ${from[1]} L${to[0] - 5 * side} ${to[1]}`;
    }
    drawing.append(svg("path", { d, class: `message${later2}`, "marker-end": `url(#${later2 ? "arrow-later" : "arrow"})` }, title));
  }

  #row(drawing, row, index, { x, y, cursor, width, columns, messagesOnly }) {
    const { step } = row;
    const later = index >= cursor ? " later" : "";
    // A text may go over lifelines that have nothing to do with the step, on the side where there is more room.
    const edge = x(columns[columns.length - 1]) + width - 22;
    const label = (column, text, classes, other) => {
      const right = (other && x(other) > x(column) ? x(other) : edge) - x(column) - 12;
      const left = x(column) - (other && x(other) < x(column) ? x(other) : LEFT - 8) - 12;
      const isLeft = text.length * CHARACTER > right && left > right;
      const shown = cut(text, Math.floor((isLeft ? left : right) / CHARACTER));
      drawing.append(svg("text", {
        x: x(column) + (isLeft ? -9 : 9), y: y - 3, class: `label ${classes}${later}`, "text-anchor": isLeft ? "end" : null,
      }, shown, svg("title", {}, text)));
    };
    const dot = (column) =>
      drawing.append(svg("circle", { cx: x(column), cy: y, r: 4, class: `dot p${column.pid % 8}${later}` }));
    drawing.append(svg("text", { x: LEFT - 16, y: y + 4, class: `number${later}` }, String(step.number)));
    dot(row.column);
    const own = step.events.find((event) => event.kind === "send" || event.kind === "receive");
    const spelled = own ? `${own.channel}${own.kind === "send" ? "!" : own.peek ? "?<>" : "?"}${messageText(own.values)}` : step.text;
    const text = messagesOnly ? spelled : step.text;
    label(row.column, [text.replace(/\s+/g, " "), ...row.texts].join(" "), step.fault ? "bad" : "", row.partner);
    if (step.fault) drawing.append(svg("text", { x: x(row.column) - 14, y: y + 4, class: "lost" }, "✗", svg("title", {}, step.fault.message)));
    if (row.partner) {
      dot(row.partner);
      label(row.partner, step.partner.text, "", row.column);
    }
    if (row.starts) {
      const side = Math.sign(x(row.starts) - x(row.column)) || 1;
      drawing.append(svg("path", {
        d: `M${x(row.column) + 4 * side} ${y} L${x(row.starts) - 5 * side} ${y}`, class: `start${later}`, "marker-end": "url(#arrow-later)",
      }));
    }
  }

  #reveal(x, y) {
    const { scrollLeft, clientWidth } = this.body;
    if (x < scrollLeft + LEFT || x > scrollLeft + clientWidth - 40) this.body.scrollLeft = Math.max(0, x - clientWidth / 2);
    const top = this.body.scrollTop;
    const room = this.body.clientHeight - HEAD;
    if (y < top + ROW || y > top + room - ROW) this.body.scrollTop = Math.max(0, y - room / 2);
  }
}
