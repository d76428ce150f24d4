// The table of all runs, with a filter for each column, failed runs first.

import { make, sayNumber } from "../page.js";

const MOST = 200; // rows that are shown at once

export class Table {
  constructor(pane, rows) {
    this.rows = rows;
    this.order = null;
    this.most = MOST;
    this.body = make("tbody");
    this.head = make("tr");
    this.more = make("button", { type: "button", text: "show more", onclick: () => this.fill((this.most *= 4)) });
    this.inputs = new Map();
    this.addHead("run", "run", (i) => rows.runs[i].run);
    for (const column of rows.columns) this.addHead(column.name, column.name, (i) => column.values[i], column);
    this.addHead("status", "status", (i) => rows.runs[i].status);
    this.head.append(make("th", { text: "" }));
    pane.append(make("div", { class: "wide" }, make("table", { class: "rows" }, make("thead", {}, this.head), this.body)), this.more);
    rows.subscribe((what) => (what === "filter" ? this.showFilters() : this.mark()));
    this.fill();
  }

  addHead(name, text, read, column = null) {
    const button = make("button", { type: "button", text, title: "sort", onclick: () => this.sort(name, read, button) });
    const cell = make("th", {}, button);
    if (column || name === "status") {
      const hint = column?.isNumber ? "low..high" : "text";
      const input = make("input", { placeholder: hint, "aria-label": `filter ${name}`, title: "as in 2..5, >2, <5, or text" });
      input.addEventListener("input", () => this.filter(name, input, column));
      this.inputs.set(name, input);
      cell.append(input);
    }
    this.head.append(cell);
  }

  sort(name, read, button) {
    const isUp = this.order?.name !== name || !this.order.isUp;
    this.order = { name, read, isUp };
    for (const other of this.head.querySelectorAll("button")) delete other.dataset.order;
    button.dataset.order = isUp ? "↑" : "↓";
    this.fill();
  }

  filter(name, input, column) {
    const text = input.value.trim();
    const range = column?.isNumber ? readRange(text) : null;
    input.classList.toggle("bad", Boolean(text) && Boolean(column?.isNumber) && !range);
    this.isTyping = true;
    if (!text) this.rows.filter(name, null);
    else if (range) this.rows.filter(name, range);
    else if (!column?.isNumber) this.rows.filter(name, { text: text.toLowerCase() });
    this.isTyping = false;
  }

  /** Filters that were set elsewhere, told in the head. */
  showFilters() {
    for (const [name, input] of this.inputs) {
      const filter = this.rows.filters.get(name);
      if (this.isTyping && document.activeElement === input) continue;
      input.value = !filter ? "" : (filter.text ?? sayRange(filter));
    }
    this.fill();
  }

  fill() {
    const { rows } = this;
    const places = rows.runs.map((_, i) => i).filter((i) => rows.shown[i]);
    const isFailed = (i) => rows.runs[i].status !== "done";
    if (this.order) {
      const { read, isUp } = this.order;
      places.sort((a, b) => compare(read(a), read(b)) * (isUp ? 1 : -1));
    } else places.sort((a, b) => isFailed(b) - isFailed(a) || a - b);
    this.body.replaceChildren(...places.slice(0, this.most).map((i) => this.makeRow(i)));
    this.more.hidden = places.length <= this.most;
    this.mark();
  }

  makeRow(i) {
    const run = this.rows.runs[i];
    const cells = this.rows.columns.map((column) => make("td", { text: sayValue(column.values[i]) }));
    const reason = make("td", { class: run.reason ? "reason" : "", text: run.reason || run.status });
    const row = make("tr", { class: run.status === "done" ? "" : "failed", "data-at": i }, make("th", { text: run.run }), ...cells, reason, make("td", {}, ...makeLinks(run)));
    row.addEventListener("click", (event) => event.target.tagName !== "A" && this.rows.choose(i));
    return row;
  }

  mark() {
    for (const row of this.body.children) row.classList.toggle("on", Number(row.dataset.at) === this.rows.chosen);
  }
}

/** Links to what there is of a run. */
export function makeLinks(run) {
  const links = [];
  for (const name of ["report", "result"]) if (run[name]) links.push(make("a", { href: run[name], text: name, target: "_blank" }), " ");
  return links;
}

export function sayValue(value) {
  return typeof value === "number" ? (Number.isInteger(value) && Math.abs(value) < 1e7 ? String(value) : sayNumber(value, 5)) : value === null ? "–" : String(value);
}

function sayRange({ low, high }) {
  const say = (value) => Number(value.toPrecision(4));
  if (high === Infinity) return `>${say(low)}`;
  return low === -Infinity ? `<${say(high)}` : `${say(low)}..${say(high)}`;
}

/** A range from text as 2..5, >2, <5 or 3; null where it is none. */
function readRange(text) {
  const number = "([-+]?[0-9]*\\.?[0-9]+(?:[eE][-+]?[0-9]+)?)";
  const both = text.match(new RegExp(`^${number}\\s*\\.\\.\\s*${number}$`));
  if (both) return { low: Number(both[1]), high: Number(both[2]) };
  const one = text.match(new RegExp(`^([<>]?)=?\\s*${number}$`));
  if (!one) return null;
  const value = Number(one[2]);
  return { low: one[1] === "<" ? -Infinity : value, high: one[1] === ">" ? Infinity : value };
}

function compare(a, b) {
  if (a === null || b === null) return (a === null) - (b === null);
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}
