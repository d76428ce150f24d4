// Response surfaces over two factors: what a smooth function through the runs says, beside the runs themselves.

import { make } from "../page.js";
import { makeChoice, makeScale, Plot, sayColour } from "./plot.js";
import { describeAxis, sayRun } from "./scatter.js";
import { sayValue } from "./table.js";

const CELLS = 60; // of the picture, along each side

export class Surfaces {
  constructor(pane, rows, surfaces, map, colours) {
    Object.assign(this, { rows, surfaces, map, colours });
    const factors = rows.of("factor");
    this.numbers = factors.filter((column) => column.isNumber && column.high > column.low);
    this.surface = surfaces[0];
    this.x = this.numbers[0];
    this.y = this.numbers[1] ?? null;
    this.at = new Map(factors.map((column) => [column.name, column.isNumber ? 0.5 : column.levels[0]]));
    this.levers = make("div", { class: "choices" });
    this.quality = make("p", { class: "note quality" });
    this.scale = make("div");
    this.plot = new Plot("", () => this.describe(), { height: 440, listen: (point) => point.customdata !== undefined && rows.choose(point.customdata) });
    this.check = new Plot("left out and foretold", () => this.describeCheck(), { height: 300 });
    const names = this.numbers.map((column) => column.name);
    const pick = (key) => (name) => {
      const [before, other] = [this[key], key === "x" ? "y" : "x"];
      this[key] = rows.get(name);
      if (this[other] === this[key]) this[other] = before;
      this.refresh(true);
    };
    const responses = surfaces.map((surface) => surface.response);
    const choices = [makeChoice("response", responses, responses[0], (name) => this.take(name))];
    this.selects = [makeChoice("x", names, this.x.name, pick("x")), ...(this.y ? [makeChoice("y", names, this.y.name, pick("y"))] : [])];
    pane.append(make("div", { class: "choices" }, ...choices, ...this.selects), this.levers, this.quality, this.scale, make("div", { class: "side" }, this.plot.card, this.check.card));
    rows.subscribe(() => this.refresh(false));
    this.refresh(true);
  }

  take(name) {
    this.surface = this.surfaces.find((surface) => surface.response === name);
    this.refresh(false);
  }

  refresh(isNew) {
    if (isNew) {
      this.selects.forEach((label, i) => (label.querySelector("select").value = (i ? this.y : this.x).name));
      this.levers.replaceChildren(...this.rows.of("factor").filter((column) => column !== this.x && column !== this.y).map((column) => this.makeLever(column)));
    }
    this.quality.textContent = this.surface.words;
    this.plot.refresh();
    this.check.refresh();
  }

  makeLever(column) {
    if (!column.isNumber) {
      return makeChoice(column.name, column.levels, this.at.get(column.name), (value) => {
        this.at.set(column.name, value);
        this.refresh(false);
      });
    }
    const told = make("output", { text: sayValue(column.at(this.at.get(column.name))) });
    const range = make("input", { type: "range", min: 0, max: 1, step: 0.01, value: this.at.get(column.name), "aria-label": column.name });
    range.addEventListener("input", () => {
      this.at.set(column.name, Number(range.value));
      told.textContent = sayValue(column.at(Number(range.value)));
      this.refresh(false);
    });
    return make("label", {}, column.name, range, told);
  }

  /** Coordinates of a point of the surface: shares of numbers, and 0 or 1 for each level of the others. */
  encode(shares) {
    return this.surface.inputs.map(({ factor, level }) => {
      if (level !== undefined) return this.at.get(factor) === level ? 1 : 0;
      return shares.get(factor) ?? this.at.get(factor);
    });
  }

  /** The response at shares of some factors; the others stand where their levers are. */
  foretell(shares) {
    return predict(this.surface, this.encode(shares));
  }

  describe() {
    const { rows, map, surface, x, y } = this;
    const column = rows.get(surface.response);
    const places = rows.runs.map((_, i) => i).filter((i) => rows.shown[i] && column.values[i] !== null);
    const text = places.map((i) => sayRun(rows, i));
    const frame = { customdata: places, text, mode: "markers", hovertemplate: "%{text}<extra></extra>" };
    if (!y) {
      const shares = Array.from({ length: 101 }, (_, i) => i / 100);
      const line = { x: shares.map((share) => x.at(share)), y: shares.map((share) => this.foretell(new Map([[x.name, share]]))), mode: "lines", line: { color: this.colours.find(0), width: 2 }, hoverinfo: "skip" };
      this.scale.replaceChildren();
      const dots = { ...frame, x: places.map((i) => x.values[i]), y: places.map((i) => column.values[i]), marker: { color: this.colours.find(1), size: 7 } };
      return { traces: [line, dots], layout: { xaxis: describeAxis(x), yaxis: { title: { text: surface.response } } } };
    }
    const values = new Float64Array(CELLS * CELLS);
    for (let row = 0; row < CELLS; row++) {
      for (let at = 0; at < CELLS; at++) {
        const shares = new Map([[x.name, (at + 0.5) / CELLS], [y.name, (row + 0.5) / CELLS]]);
        values[row * CELLS + at] = this.foretell(shares);
      }
    }
    const low = Math.min(column.low, values.reduce((a, b) => Math.min(a, b)));
    const high = Math.max(column.high, values.reduce((a, b) => Math.max(a, b)));
    const tint = (value) => map.find(high > low ? (value - low) / (high - low) : 0.5);
    this.scale.replaceChildren(makeScale(map, surface.response, sayValue(low), sayValue(high)));
    const dots = { ...frame, x: places.map((i) => x.values[i]), y: places.map((i) => y.values[i]), marker: { color: places.map((i) => sayColour(tint(column.values[i]))), size: 10, line: { width: 1.5, color: "rgba(255,255,255,.9)" } } };
    const picture = { source: paint(values, tint), xref: "paper", yref: "paper", x: 0, y: 1, sizex: 1, sizey: 1, sizing: "stretch", layer: "below" };
    const range = (one) => (one.isLog ? [Math.log10(one.low), Math.log10(one.high)] : [one.low, one.high]);
    const axis = (one) => ({ ...describeAxis(one), range: range(one), fixedrange: true, showgrid: false });
    return { traces: [dots], layout: { images: [picture], xaxis: axis(x), yaxis: axis(y), dragmode: false } };
  }

  /** What the surface says of each run without having seen it, over what the run gave. */
  describeCheck() {
    const { surface } = this;
    const ends = [Math.min(...surface.given, ...surface.foretold), Math.max(...surface.given, ...surface.foretold)];
    const diagonal = { x: ends, y: ends, mode: "lines", line: { color: "#8a8f98", width: 1, dash: "dot" }, hoverinfo: "skip" };
    const dots = { x: surface.given, y: surface.foretold, mode: "markers", marker: { color: this.colours.find(0), size: 6 }, hovertemplate: "run %{x:.4g}, foretold %{y:.4g}<extra></extra>" };
    return { traces: [diagonal, dots], layout: { xaxis: { title: { text: `${surface.response} of the run`, standoff: 8 } }, yaxis: { title: { text: "foretold without it", standoff: 8 } } } };
  }
}

/** The value of a surface at a point. */
function predict(surface, point) {
  if (surface.kind === "polynomial") {
    return surface.powers.reduce((sum, term, k) => sum + surface.coefficients[k] * term.reduce((product, j) => product * point[j], 1), 0);
  }
  const { points, weights, lengths, amplitude, middle, scale } = surface;
  let sum = 0;
  for (let i = 0; i < weights.length; i++) {
    let square = 0;
    for (let j = 0; j < point.length; j++) square += ((point[j] - points[i][j]) / lengths[j]) ** 2;
    sum += weights[i] * amplitude * Math.exp(-0.5 * square);
  }
  return middle + scale * sum;
}

function paint(values, tint) {
  const canvas = make("canvas", { width: CELLS, height: CELLS });
  const pen = canvas.getContext("2d");
  const image = pen.createImageData(CELLS, CELLS);
  for (let row = 0; row < CELLS; row++) {
    for (let at = 0; at < CELLS; at++) {
      const [red, green, blue] = tint(values[(CELLS - 1 - row) * CELLS + at]);
      image.data.set([red, green, blue, 255], 4 * (row * CELLS + at));
    }
  }
  pen.putImageData(image, 0, 0);
  return canvas.toDataURL("image/png");
}
