// Plots over time, with a cursor that follows the player and moves it, and a legend that tells values at the cursor.

import { findFrame } from "./data.js";
import { make, onTheme, readColour, sayNumber } from "./page.js";

const DASHES = ["solid", "6px,3px", "6px,3px,1px,3px", "2px,3px", "10px,3px,2px,3px", "12px,4px"];
const HEIGHT = 168; // of a plot [px]
const CLICK = 4; // a pointer that moves less than this has clicked [px]
const VALUES_EVERY = 90; // time between two changes of the values in the legends [ms]

export class Plots {
  constructor(container, panels, player, colours) {
    this.player = player;
    this.colours = colours;
    this.container = container;
    this.range = null;
    this.valuesAt = -Infinity;
    this.plots = [];
    // plots are drawn when they come into sight, so that the page opens at once
    this.watcher = new IntersectionObserver((entries) => entries.forEach((entry) => this.see(entry)), { rootMargin: "150px" });
    for (const panel of panels) this.add(panel);
    onTheme(() => this.plots.filter((plot) => plot.isDrawn).forEach((plot) => plot.draw()));
    player.subscribe(() => this.follow());
  }

  add(panel, before = null) {
    const plot = new Plot(panel, this);
    this.plots.push(plot);
    this.container.insertBefore(plot.card, before);
    this.watcher.observe(plot.card);
    return plot;
  }

  remove(plot) {
    this.watcher.unobserve(plot.card);
    plot.card.remove();
    this.plots = this.plots.filter((other) => other !== plot);
  }

  see({ target, isIntersecting }) {
    const plot = this.plots.find((one) => one.card === target);
    if (!plot) return;
    plot.isSeen = isIntersecting;
    if (isIntersecting && !plot.isDrawn) plot.draw();
    if (isIntersecting) plot.follow(this.player.time, true);
  }

  /** Move all cursors that are in sight. */
  follow() {
    const clock = performance.now();
    const isDue = !this.player.isPlaying || clock - this.valuesAt > VALUES_EVERY;
    if (isDue) this.valuesAt = clock;
    for (const plot of this.plots) if (plot.isSeen && plot.isDrawn) plot.follow(this.player.time, isDue);
  }

  /** Show the same span of time in all plots; null for all of it. */
  zoom(range, source) {
    this.range = range;
    for (const plot of this.plots) if (plot !== source && plot.isDrawn && plot.panel.isTime) plot.setRange(range);
  }
}

class Plot {
  constructor(panel, plots) {
    this.panel = panel;
    this.plots = plots;
    this.isDrawn = this.isSeen = false;
    this.values = panel.lines.map(() => make("output"));
    const sizes = panel.lines.map((line) => line.y.reduce((most, y) => Math.max(most, Math.abs(y) || 0), 0));
    // a line that is nothing but rounding errors beside the others is zero
    this.sizes = sizes.map((size) => (size < 1e-9 * Math.max(...sizes) ? Infinity : size));
    this.legend = make("div", { class: "legend" });
    panel.lines.forEach((line, i) => line.label && this.legend.append(this.makeEntry(line, i)));
    this.cursor = make("div", { class: panel.isTime ? "cursor" : "cursor dot" });
    this.field = make("div", { class: "field", style: `height:${HEIGHT * (panel.isEqual ? 1.35 : 1)}px` });
    const heading = make("h3", {}, panel.title, make("span", { class: "unit", text: panel.yLabel }));
    this.card = make("section", { class: "plot", "data-key": panel.key }, heading, this.legend, make("div", { class: "frame" }, this.field, this.cursor));
    this.listen();
    new ResizeObserver(() => this.isDrawn && this.fit()).observe(this.field);
  }

  makeEntry(line, i) {
    const swatch = make("i", { class: line.isFaint ? "faint" : line.dash ? "dashed" : "" });
    const parts = line.isFaint ? [swatch, line.label] : [swatch, line.label, this.values[i]];
    const entry = make("button", { type: "button", class: "entry", title: "show or hide" }, ...parts);
    entry.addEventListener("click", () => {
      entry.classList.toggle("off");
      const places = this.panel.lines.flatMap((other, k) => (k === i || (!other.label && this.findOwner(k) === i) ? [k] : []));
      Plotly.restyle(this.field, { visible: !entry.classList.contains("off") }, places);
    });
    this.entries = [...(this.entries ?? []), { entry, swatch, line }];
    return entry;
  }

  /** The named line that a line without a name belongs to: the last one before it. */
  findOwner(place) {
    while (place > 0 && !this.panel.lines[place].label) place--;
    return place;
  }

  draw() {
    const ink = readColour("--ink-soft");
    const grid = readColour("--line");
    const { panel, plots } = this;
    const axis = { gridcolor: grid, linecolor: grid, zeroline: false, ticks: "", automargin: false, color: ink };
    const traces = panel.lines.map((line) => ({
      x: line.x,
      y: line.y,
      mode: "lines",
      hoverinfo: "skip",
      line: { color: plots.colours.find(line.color), width: line.isFaint ? 0.8 : 1.5, dash: DASHES[line.dash % DASHES.length] },
      opacity: line.isFaint ? 0.4 : 1,
    }));
    const layout = {
      margin: { l: 46, r: 8, t: 4, b: 34 },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: "system-ui, sans-serif", size: 11, color: ink },
      showlegend: false,
      hovermode: false,
      // on a screen that is touched, a finger scrolls the page
      dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
      xaxis: { ...axis, title: { text: panel.xLabel, standoff: 4 }, ...(panel.isTime && this.plots.range ? { range: this.plots.range } : {}) },
      yaxis: { ...axis, fixedrange: panel.isTime, type: panel.isLog ? "log" : "linear", nticks: 6 },
    };
    if (panel.isEqual) Object.assign(layout.yaxis, { scaleanchor: "x", scaleratio: 1 });
    Plotly.react(this.field, traces, layout, { displayModeBar: false, doubleClick: "reset+autosize", responsive: false });
    for (const { swatch, line } of this.entries ?? []) swatch.style.color = plots.colours.find(line.color);
    if (!this.isDrawn) this.field.on("plotly_relayout", (change) => this.tellZoom(change));
    this.isDrawn = true;
    this.follow(plots.player.time, true);
  }

  fit() {
    Plotly.Plots.resize(this.field);
    this.follow(this.plots.player.time, true);
  }

  tellZoom(change) {
    if (this.isSilent || !this.panel.isTime) return this.follow(this.plots.player.time, true);
    if ("xaxis.range[0]" in change) this.plots.zoom([change["xaxis.range[0]"], change["xaxis.range[1]"]], this);
    else if (change["xaxis.autorange"]) this.plots.zoom(null, this);
    this.follow(this.plots.player.time, true);
  }

  setRange(range) {
    this.isSilent = true;
    Plotly.relayout(this.field, range ? { "xaxis.range": range } : { "xaxis.autorange": true }).then(() => {
      this.isSilent = false;
      this.follow(this.plots.player.time, true);
    });
  }

  /** Move the cursor to a time, and tell the values there. */
  follow(now, isTelling) {
    const { xaxis, yaxis, _size: size } = this.field._fullLayout;
    const { isTime, lines } = this.panel;
    let x = now;
    let y = null;
    if (!isTime) {
      const { index } = findFrame(lines[0].time, now);
      [x, y] = [lines[0].x[index], lines[0].y[index]];
    }
    const across = size.l + xaxis.l2p(x);
    const down = isTime ? size.t : size.t + yaxis.l2p(y);
    const isInside = across >= size.l - 1 && across <= size.l + size.w + 1;
    this.cursor.style.visibility = isInside ? "visible" : "hidden";
    this.cursor.style.transform = `translate(${across}px, ${down}px)`;
    this.cursor.style.height = isTime ? `${size.h}px` : "";
    if (isTelling) lines.forEach((line, i) => !line.isFaint && (this.values[i].textContent = this.sayValue(line, i, now)));
  }

  /** The value of a line at a time; none where it has ended. */
  sayValue(line, i, now) {
    const time = line.time ?? line.x;
    if (now > time[time.length - 1] + 1e-6) return "–";
    const { index } = findFrame(time, now);
    const value = sayNumber(line.y[index], 3, this.sizes[i]);
    return this.panel.isTime ? value : `${sayNumber(line.x[index])}, ${value}`;
  }

  /** A click moves the player; a drag is left to the zoom. */
  listen() {
    let start = null;
    this.field.addEventListener("pointerdown", (event) => (start = [event.clientX, event.clientY]), true);
    addEventListener("pointerup", (event) => {
      const from = start;
      start = null;
      if (!from || !this.isDrawn || Math.hypot(event.clientX - from[0], event.clientY - from[1]) > CLICK) return;
      const box = this.field.getBoundingClientRect();
      const { xaxis, yaxis, _size: size } = this.field._fullLayout;
      const across = event.clientX - box.left - size.l;
      const down = event.clientY - box.top - size.t;
      if (across < 0 || across > size.w || down < 0 || down > size.h) return;
      this.plots.player.seek(this.panel.isTime ? xaxis.p2l(across) : this.findNearest(xaxis.p2l(across), yaxis.p2l(down)));
    });
  }

  findNearest(x, y) {
    const line = this.panel.lines[0];
    let best = 0;
    let least = Infinity;
    for (let i = 0; i < line.x.length; i++) {
      const distance = Math.hypot(line.x[i] - x, line.y[i] - y);
      if (distance < least) [best, least] = [i, distance];
    }
    return line.time[best];
  }
}

/** Colours of lines; on a dark page they are lighter, and black becomes white. */
export class LineColours {
  constructor(colours) {
    this.colours = colours;
  }

  find(number) {
    const colour = this.colours[number % this.colours.length];
    if (!matchMedia("(prefers-color-scheme: dark)").matches) return colour;
    const parts = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
    const share = Math.max(...parts) === 0 ? 0.85 : 0.25;
    return `rgb(${parts.map((part) => Math.round(part + share * (255 - part))).join(",")})`;
  }
}
