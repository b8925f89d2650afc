// The state space as a graph in layers: a node's layer is its distance from the initial state.

import * as api from "./api.js";
import { $, el, plural, svg } from "./dom.js";

const GAP_X = 34;
const GAP_Y = 52;

/** The nodes of each layer in an order that keeps edges short. */
function layers(graph) {
  const rows = [];
  graph.nodes.forEach((node, id) => (rows[node.depth] ??= []).push(id));
  const up = graph.nodes.map(() => []);
  const down = graph.nodes.map(() => []);
  for (const { from, to } of graph.edges) {
    if (graph.nodes[to].depth === graph.nodes[from].depth + 1) {
      down[from].push(to);
      up[to].push(from);
    }
  }
  const at = new Float64Array(graph.nodes.length);
  const number = (row) => row.forEach((id, index) => (at[id] = index - row.length / 2));
  rows.forEach(number);
  const sort = (row, neighbours) => {
    const middle = (id) => {
      const around = neighbours[id];
      return around.length ? around.reduce((sum, other) => sum + at[other], 0) / around.length : at[id];
    };
    const keys = new Map(row.map((id) => [id, middle(id)]));
    row.sort((a, b) => keys.get(a) - keys.get(b));
    number(row);
  };
  for (let sweep = 0; sweep < 6; sweep += 1) {
    rows.slice(1).forEach((row) => sort(row, up));
    rows.slice(0, -1).reverse().forEach((row) => sort(row, down));
  }
  return { rows, at };
}

export class StateGraph {
  constructor(onPath) {
    this.onPath = onPath;
    this.graph = null;
    this.states = el("input", { type: "number", min: 1, max: 2000, value: 200, id: "graph-states" });
    this.body = el("div", { class: "scroll-both", id: "graph-body" });
    this.note = el("p", { class: "hint" });
    const form = el("form", {
      class: "line",
      onsubmit: (event) => {
        event.preventDefault();
        this.load();
      },
    }, el("label", {}, "at most ", this.states, " states"), el("button", { id: "graph-draw" }, "draw the state space"));
    $("graph").replaceChildren(el("h2", {}, "State space"), form, this.note, this.body);
  }

  async load() {
    this.note.textContent = "…";
    try {
      this.graph = await api.graph(Number(this.states.value) || 200);
    } catch (error) {
      this.note.textContent = error.message;
      return;
    }
    const { nodes, edges, cut } = this.graph;
    this.note.textContent = `${plural(nodes.length, "state")}, ${plural(edges.length, "step")}. ${cut ? `Not all of it: ${cut}.` : "That is all of it."}`;
    this.next = new Map(edges.map((edge) => [`${edge.from}.${edge.choice}`, edge.to]));
    this.#draw();
    this.light(this.path ?? []);
  }

  #draw() {
    const { nodes, edges } = this.graph;
    const { rows, at } = layers(this.graph);
    const widest = Math.max(...rows.map((row) => row.length));
    const width = Math.max(220, (widest + 1) * GAP_X);
    const height = rows.length * GAP_Y + 20;
    const x = (id) => width / 2 + (at[id] + 0.5) * GAP_X;
    const y = (id) => nodes[id].depth * GAP_Y + 24;
    const drawing = svg("svg", { width, height, class: "state-graph", role: "img", "aria-label": "State space" });
    for (const edge of edges) {
      const [x1, y1, x2, y2] = [x(edge.from), y(edge.from), x(edge.to), y(edge.to)];
      const isDown = y2 > y1;
      const bend = isDown ? 0 : 26;
      const d = edge.from === edge.to
        ? `M${x1 + 6} ${y1 - 6} c14 -14 14 18 0 12`
        : `M${x1} ${y1} C${x1 + bend} ${y1 + (isDown ? 20 : 6)} ${x2 + bend} ${y2 - (isDown ? 20 : -6)} ${x2} ${y2}`;
      drawing.append(svg("path", { d, class: `edge${edge.fault ? " bad" : ""}` },
        svg("title", {}, edge.fault ? `${edge.text}\n${edge.fault}` : edge.text)));
    }
    this.circles = nodes.map((node, id) =>
      svg("circle", {
        cx: x(id), cy: y(id), r: node.kind === "inside" ? 4 : 8, class: `graph-node ${node.kind}`,
        onclick: () => this.onPath(this.#pathTo(id)),
      }, svg("title", {}, `${id}: ${node.kind}\n${node.text}`)));
    drawing.append(...this.circles);
    this.body.replaceChildren(drawing);
  }

  #pathTo(id) {
    const path = [];
    for (let at = this.graph.nodes[id]; at.parent; at = this.graph.nodes[at.parent[0]]) path.push(at.parent[1]);
    return path.reverse();
  }

  /** Marks where the walk has come to. */
  light(path) {
    this.path = path;
    if (!this.graph) return;
    let id = 0;
    for (const choice of path) {
      id = this.next.get(`${id}.${choice}`);
      if (id === undefined) break;
    }
    this.circles.forEach((circle, other) => circle.classList.toggle("here", other === id));
    const here = this.circles[id];
    if (here) {
      const [x, y] = [here.cx.baseVal.value, here.cy.baseVal.value];
      const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.body;
      if (x < scrollLeft || x > scrollLeft + clientWidth) this.body.scrollLeft = x - clientWidth / 2;
      if (y < scrollTop || y > scrollTop + clientHeight) this.body.scrollTop = y - clientHeight / 2;
    }
  }
}
