// What all plots of a study have in common.

import { make, onTheme, readColour } from "../page.js";

/** A plot with a title. `describe` gives { traces, layout } anew whenever it is drawn; it is drawn when it is seen. */
export class Plot {
  constructor(title, describe, { height = 300, listen = null } = {}) {
    this.describe = describe;
    this.heading = make("h3", { text: title });
    this.field = make("div", { class: "field", style: `height:${height}px` });
    this.card = make("section", { class: "plot" }, this.heading, this.field);
    this.isSeen = this.isStale = false;
    this.listen = listen;
    new IntersectionObserver(([entry]) => {
      this.isSeen = entry.isIntersecting;
      if (this.isSeen && (this.isStale || !this.isDrawn)) this.draw();
    }).observe(this.card);
    new ResizeObserver(() => this.isDrawn && this.field.offsetParent && Plotly.Plots.resize(this.field)).observe(this.field);
    onTheme(() => this.refresh());
  }

  refresh() {
    if (this.isSeen) this.draw();
    else this.isStale = true;
  }

  draw() {
    this.isStale = false;
    const { traces, layout } = this.describe();
    Plotly.react(this.field, traces, merge(makeLayout(), layout), { displayModeBar: false, doubleClick: "reset+autosize" });
    if (!this.isDrawn && this.listen) this.field.on("plotly_click", (event) => this.listen(event.points[0]));
    this.isDrawn = true;
  }
}

function makeLayout() {
  const ink = readColour("--ink-soft");
  const grid = readColour("--line");
  const axis = { gridcolor: grid, linecolor: grid, zeroline: false, ticks: "", automargin: true, color: ink, nticks: 6 };
  return {
    margin: { l: 54, r: 12, t: 8, b: 42 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: "system-ui, sans-serif", size: 11, color: ink },
    showlegend: false,
    hovermode: "closest",
    hoverlabel: { bgcolor: readColour("--card"), bordercolor: grid, font: { color: readColour("--ink") }, align: "left" },
    dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
    xaxis: { ...axis },
    yaxis: { ...axis },
  };
}

function merge(base, more) {
  const both = { ...base, ...more };
  for (const key of ["xaxis", "yaxis"]) both[key] = { ...base[key], ...more[key] };
  return both;
}

/** A choice among names, with its label. */
export function makeChoice(label, names, chosen, listen) {
  const select = make("select", {}, ...names.map((name) => make("option", { value: name, text: name, selected: name === chosen })));
  select.addEventListener("change", () => listen(select.value));
  return make("label", {}, label, select);
}

/** A scale of colours with its ends. */
export function makeScale(map, name, low, high) {
  return make("div", { class: "scale-line" }, make("span", { text: name }), make("span", { text: low }), make("div", { class: "scale", style: `background:${map.gradient}` }), make("span", { text: high }));
}

export function sayColour(rgb, alpha = 1) {
  return `rgba(${rgb.map(Math.round).join(",")},${alpha})`;
}
