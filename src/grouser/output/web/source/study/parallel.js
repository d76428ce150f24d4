// Parallel coordinates: an axis for each column, a line for each run. A drag along an axis is a filter.

import { make, onTheme, readColour } from "../page.js";
import { makeChoice, makeScale, sayColour } from "./plot.js";
import { sayValue } from "./table.js";

const LEAST = 104; // between two axes [px]
const [TOP, BOTTOM] = [26, 22]; // room above and below the axes [px]
const CLICK = 4; // a drag that is shorter than this takes the filter away [px]

export class Parallel {
  constructor(pane, rows, map) {
    Object.assign(this, { rows, map });
    const responses = rows.of("response").map((column) => column.name);
    this.colour = responses[0] ?? rows.columns[0].name;
    this.canvas = make("canvas");
    this.sheet = make("div", { class: "sheet" }, this.canvas);
    this.scale = make("div");
    this.axes = rows.columns.map((column) => this.makeAxis(column));
    const names = rows.columns.map((column) => column.name);
    const choice = makeChoice("colour", names, this.colour, (name) => {
      this.colour = name;
      this.draw();
    });
    pane.append(make("div", { class: "choices" }, choice), this.scale, make("div", { class: "parallel" }, this.sheet), make("p", { class: "note", text: "Drag along an axis to keep the runs that pass there, in all tabs; click on it to keep all again." }));
    rows.subscribe(() => this.draw());
    onTheme(() => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.sheet.parentElement);
  }

  makeAxis(column) {
    const brush = make("div", { class: "brush", hidden: true });
    const axis = make("div", { class: "axis", title: column.name }, brush);
    const name = make("div", { class: "name", text: column.name, title: column.name });
    const ends = [0, 1].map((share) => make("div", { class: "end", style: share ? `top:${TOP - 14 + 4}px` : "bottom:2px", text: column.isNumber ? sayValue(column.at(share)) : (column.levels[share ? column.levels.length - 1 : 0] ?? "–") }));
    let from = null;
    const find = (event) => {
      const box = axis.getBoundingClientRect();
      return 1 - Math.min(1, Math.max(0, (event.clientY - box.top) / box.height));
    };
    axis.addEventListener("pointerdown", (event) => {
      from = find(event);
      axis.setPointerCapture(event.pointerId);
    });
    axis.addEventListener("pointermove", (event) => from !== null && this.brush(column, axis, from, find(event)));
    axis.addEventListener("pointerup", (event) => {
      if (from !== null && Math.abs(find(event) - from) * axis.clientHeight < CLICK) this.rows.filter(column.name, null);
      from = null;
    });
    this.sheet.append(axis, name, ...ends);
    return { column, axis, brush, parts: [axis, name, ...ends] };
  }

  brush(column, axis, one, other) {
    const [low, high] = [Math.min(one, other), Math.max(one, other)];
    if ((high - low) * axis.clientHeight < CLICK) return;
    if (column.isNumber) this.rows.filter(column.name, { low: low === 0 ? -Infinity : column.at(low), high: high === 1 ? Infinity : column.at(high) });
    else {
      const last = Math.max(1, column.levels.length - 1);
      const inside = column.levels.filter((_, i) => i / last >= low && i / last <= high);
      if (inside.length === 1) this.rows.filter(column.name, { text: String(inside[0]).toLowerCase() });
    }
  }

  draw() {
    const { rows, canvas, axes, map } = this;
    const room = this.sheet.parentElement.clientWidth;
    if (!room) return;
    const step = Math.max(LEAST, (room - LEAST) / Math.max(1, axes.length - 1));
    const [width, height] = [Math.max(room, LEAST + step * (axes.length - 1)), this.sheet.clientHeight];
    this.sheet.style.width = `${width}px`;
    const dense = devicePixelRatio || 1;
    Object.assign(canvas, { width: width * dense, height: height * dense });
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    const places = axes.map((_, k) => LEAST / 2 + step * k);
    axes.forEach((axis, k) => {
      for (const part of axis.parts) part.style.left = `${places[k]}px`;
      this.showBrush(axis);
    });
    const pen = canvas.getContext("2d");
    pen.scale(dense, dense);
    const colour = rows.get(this.colour);
    const span = height - TOP - BOTTOM;
    const order = rows.runs.map((_, i) => i).sort((a, b) => rows.shown[a] - rows.shown[b] || (a === rows.chosen) - (b === rows.chosen));
    for (const i of order) {
      const tint = colour.share(i);
      pen.strokeStyle = !rows.shown[i] ? readColour("--line") : i === rows.chosen ? readColour("--arrow") : tint === null ? "#8a8f98" : sayColour(map.find(tint), 0.8);
      pen.lineWidth = i === rows.chosen ? 3 : rows.shown[i] ? 1.2 : 0.6;
      pen.beginPath();
      let isOn = false;
      axes.forEach(({ column }, k) => {
        const share = column.share(i);
        if (share === null) isOn = false;
        else {
          pen[isOn ? "lineTo" : "moveTo"](places[k], TOP + (1 - share) * span);
          isOn = true;
        }
      });
      pen.stroke();
    }
    this.scale.replaceChildren(makeScale(map, this.colour, colour.isNumber ? sayValue(colour.low) : (colour.levels[0] ?? ""), colour.isNumber ? sayValue(colour.high) : (colour.levels.at(-1) ?? "")));
  }

  showBrush({ column, brush }) {
    const filter = this.rows.filters.get(column.name);
    brush.hidden = !filter || filter.text !== undefined;
    if (brush.hidden) return;
    const find = (value, end) => (Number.isFinite(value) ? (column.isLog ? Math.log(value / column.low) / Math.log(column.high / column.low) : (value - column.low) / (column.high - column.low)) : end);
    const [low, high] = [Math.max(0, find(filter.low, 0)), Math.min(1, find(filter.high, 1))];
    brush.style.top = `${100 * (1 - high)}%`;
    brush.style.height = `${100 * Math.max(0, high - low)}%`;
  }
}
