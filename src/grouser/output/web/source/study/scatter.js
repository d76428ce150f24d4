// Any column over any other, coloured by a third.

import { make } from "../page.js";
import { makeChoice, makeScale, Plot, sayColour } from "./plot.js";
import { sayValue } from "./table.js";

export class Scatter {
  constructor(pane, rows, map, look) {
    Object.assign(this, { rows, map, look });
    const names = rows.columns.map((column) => column.name);
    const responses = rows.of("response").map((column) => column.name);
    this.x = names[0];
    this.y = responses[0] ?? names[names.length - 1];
    this.colour = responses[1] ?? names[1] ?? names[0];
    const pick = (key) => (name) => {
      this[key] = name;
      this.refresh();
    };
    this.scale = make("div");
    this.plot = new Plot("", () => this.describe(), { height: 460, listen: (point) => rows.choose(point.customdata) });
    const choices = ["x", "y", "colour"].map((key) => makeChoice(key, names, this[key], pick(key)));
    pane.append(make("div", { class: "choices" }, ...choices), this.scale, this.plot.card, make("p", { class: "note", text: "A click on a run tells its values and where its result is. Drag to zoom, double-click to see all." }));
    rows.subscribe(() => this.refresh());
    this.refresh();
  }

  refresh() {
    const column = this.rows.get(this.colour);
    this.scale.replaceChildren(makeScale(this.map, this.colour, column.isNumber ? sayValue(column.low) : (column.levels[0] ?? ""), column.isNumber ? sayValue(column.high) : (column.levels.at(-1) ?? "")));
    this.plot.refresh();
  }

  describe() {
    const { rows, map, look } = this;
    const [x, y, colour] = [this.x, this.y, this.colour].map((name) => rows.get(name));
    const places = rows.runs.map((_, i) => i).filter((i) => rows.shown[i] && x.values[i] !== null && y.values[i] !== null);
    const tint = places.map((i) => (colour.share(i) === null ? "#8a8f98" : sayColour(map.find(colour.share(i)))));
    const traces = [
      {
        x: places.map((i) => x.values[i]),
        y: places.map((i) => y.values[i]),
        customdata: places,
        text: places.map((i) => sayRun(rows, i)),
        mode: "markers",
        hovertemplate: "%{text}<extra></extra>",
        marker: { color: tint, size: 9, line: { width: places.map((i) => (i === rows.chosen ? 3 : 0.5)), color: places.map((i) => (i === rows.chosen ? look.marked : "rgba(128,128,128,.6)")) } },
      },
    ];
    return { traces, layout: { xaxis: describeAxis(x), yaxis: describeAxis(y) } };
  }
}

export function describeAxis(column) {
  return { title: { text: column.name, standoff: 8 }, type: column.isNumber ? (column.isLog ? "log" : "linear") : "category" };
}

/** All values of a run, a line each. */
export function sayRun(rows, i) {
  const escape = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return [`<b>run ${rows.runs[i].run}</b>`, ...rows.columns.map((column) => `${escape(column.name)}: ${escape(sayValue(column.values[i]))}`)].join("<br>");
}
