// A check from the page: what is asked, how far it is, what it found.

import * as api from "./api.js";
import { $, bytes, count, el, plural } from "./dom.js";

const seconds = (number) => `${number < 10 ? number.toFixed(1) : Math.round(number)} s`;

export class Search {
  constructor(model, onWalk) {
    this.model = model;
    this.onWalk = onWalk;
    this.running = null;
    const text = (id, title, hint) =>
      el("label", { class: "field" }, title, el("input", { id, type: "text", placeholder: hint, spellcheck: "false", autocomplete: "off" }));
    this.property = el("select", { id: "check-property" },
      el("option", { value: "" }, "everything that the model states"),
      model.properties.map(({ name, title }) => el("option", { value: name }, title === name ? name : `${name}: ${title}`)));
    this.fairness = el("select", { id: "check-fairness" }, ["none", "weak", "strong"].map((name) => el("option", {}, name)));
    this.start = el("button", { id: "check-start", type: "submit" }, "check");
    this.stop = el("button", { id: "check-stop", type: "button", disabled: true, onclick: () => this.cancel() }, "stop");
    this.progress = el("p", { id: "check-progress", role: "status" });
    this.result = el("div", { id: "check-result" });
    const limit = Math.min(60, model.seconds_max);
    const form = el("form", {
      onsubmit: (event) => {
        event.preventDefault();
        this.run();
      },
    },
    el("label", { class: "field" }, "property", this.property),
    text("check-invariant", "or an invariant", "holds in every state: x < 4"),
    text("check-reach", "or a state to reach", "becomes true: len(q) == 2"),
    text("check-ltl", "or a formula", "[] (p -> <> q)"),
    el("div", { class: "line" },
      el("label", {}, "fairness ", this.fairness),
      el("label", {}, el("input", { type: "checkbox", id: "check-shortest" }), " shortest error"),
      el("label", {}, el("input", { type: "checkbox", id: "check-all" }), " all errors"),
      el("label", {}, "at most ", el("input", { type: "number", id: "check-seconds", min: 1, max: model.seconds_max, value: limit }), " s")),
    el("div", { class: "line" }, this.start, this.stop));
    $("check").replaceChildren(el("h2", {}, "Check"), form, this.progress, this.result);
  }

  question() {
    const text = (id) => $(id).value.trim() || null;
    const question = {
      property: this.property.value || null,
      invariant: text("check-invariant"), reach: text("check-reach"), ltl: text("check-ltl"),
      fairness: this.fairness.value, shortest: $("check-shortest").checked, all_errors: $("check-all").checked,
      seconds: Math.max(1, Number($("check-seconds").value) || 60),
    };
    return question;
  }

  async run() {
    if (this.running !== null) return;
    this.running = 0;
    this.start.disabled = true;
    this.stop.disabled = false;
    this.result.replaceChildren();
    this.progress.textContent = "searching …";
    let last = null;
    try {
      await api.check(this.question(), (line) => {
        if (line.search) this.running = line.search;
        else if (line.progress) this.#tell(line.progress);
        else last = line;
      });
      this.progress.textContent = "";
      if (last?.report) this.#show(last);
      else this.result.replaceChildren(el("p", { class: "verdict bad" }, last?.error ?? "The search ended without an answer."));
    } catch (error) {
      this.progress.textContent = "";
      this.result.replaceChildren(el("p", { class: "verdict bad" }, error.message));
    }
    this.running = null;
    this.start.disabled = false;
    this.stop.disabled = true;
  }

  async cancel() {
    if (!this.running) return;
    this.stop.disabled = true;
    await api.cancel(this.running).catch(() => null);
  }

  #tell({ states, depth, bytes: taken, seconds: time }) {
    const rate = time > 0.2 ? `, ${count(Math.round(states / time))} a second` : "";
    this.progress.textContent = `${count(states)} states${rate}, depth ${count(depth)}, ${bytes(taken)}, ${seconds(time)}`;
  }

  #show({ report, walks }) {
    const { verdict, states } = report;
    const word = { verified: "Verified: no violation", violated: "Violated", inconclusive: "Inconclusive" }[verdict] ?? "No verdict";
    const sought = walks.find((walk) => ["goal", "reached"].includes(walk.error?.kind));
    const good = verdict === "verified" || sought;
    const parts = [el("p", { class: `verdict ${good ? "good" : verdict === "violated" ? "bad" : "unsure"}` },
      sought ? "Reached" : word, report.complete ? "" : ` (not everything was looked at${report.limits?.length ? `: ${report.limits.join(", ")}` : ""})`)];
    parts.push(el("p", { class: "faint" },
      `${plural(states.stored, "state")}, ${plural(states.transitions, "transition")}, depth ${count(states.max_depth)}, ${seconds(report.seconds.search)}`));
    walks.forEach((walk, index) => {
      const message = walk.error?.message ?? "an execution";
      const kind = (walk.error?.kind ?? "").replaceAll("-", " ");
      const length = walk.error?.cycle_start !== undefined && walk.error?.cycle_start !== null
        ? `${plural(walk.error.cycle_start, "step")} and a cycle of ${walk.length - walk.error.cycle_start}` : plural(walk.length, "step");
      parts.push(el("div", { class: "finding" },
        el("p", {}, el("strong", {}, kind), ` ${message.startsWith(kind) ? message.slice(kind.length) : message}`, el("span", { class: "faint" }, ` (${length})`)),
        walk.path
          ? el("button", { class: "open-walk", onclick: () => this.onWalk(walk, index) }, "walk it")
          : el("p", { class: "hint" }, walk.why_no_path ?? "")));
    });
    for (const property of report.properties ?? []) {
      const mark = { verified: "✓", violated: "✗" }[property.verdict] ?? "?";
      parts.push(el("p", { class: "faint" }, `${mark} ${property.name}: ${property.verdict}${property.vacuous ? " (vacuously)" : ""}`));
    }
    if (report.unreached?.length) {
      parts.push(el("p", { class: "faint" }, `Never executed: ${plural(report.unreached.length, "statement")}`));
      parts.push(el("ul", { class: "faint" }, report.unreached.slice(0, 20).map((it) => el("li", {}, `${it.process} ${it.location}: ${it.statement}`))));
    }
    this.result.replaceChildren(...parts);
  }
}
