// Starts the report: reads its content, makes the view, the plots and the tables, and lets the clock run.

import { Channel } from "./channel.js";
import { ColourMap } from "./colours.js";
import { Controls } from "./controls.js";
import { loadContent } from "./data.js";
import { addKeys } from "./keys.js";
import { find, make } from "./page.js";
import { Player } from "./player.js";
import { LineColours, Plots } from "./plots.js";
import { Stage } from "./stage.js";
import { makeCards, makeTable, makeTabs } from "./tables.js";

const CLICK = 4; // a pointer that moves less than this has clicked [px]

async function start() {
  const { facts, read } = await loadContent();
  const { runs, look } = facts;
  const colours = new LineColours(look.colours);
  runs.forEach((run, i) => (run.colour = look.colours[i % look.colours.length]));
  const stage = new Stage(find("#canvas"), runs, read);
  const times = stage.vehicles.map((vehicle) => vehicle.time);
  const first = times[0];
  const end = Math.max(...times.map((time) => time[time.length - 1]));
  const step = first.length > 1 ? (first[first.length - 1] - first[0]) / (first.length - 1) : 0;
  const player = new Player(Math.min(...times.map((time) => time[0])), end, step);
  const channels = runs[0].channels.map((channel) => new Channel(channel, first, read));
  const controls = new Controls({ player, stage, facts, channels, map: new ColourMap(look.map), colours });
  player.subscribe(() => stage.setTime(player.time));
  addKeys({ player, controls, stage });
  const plots = facts.panels ? fillPanes({ facts, read, player, colours }) : null;
  addPicking({ stage, plots, controls, channels });
  let last = performance.now();
  const tick = (clock) => {
    player.advance(clock);
    stage.draw(clock - last);
    last = clock;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame((clock) => {
    tick(clock);
    document.documentElement.dataset.ready = "yes";
  });
  window.report = { facts, player, stage, controls, plots };
}

/** Plots and tables of the side pane; gives the plots. */
function fillPanes({ facts, read, player, colours }) {
  const panes = makeTabs(["Plots", ...new Set(facts.tables.map((table) => table.tab))]);
  for (const table of facts.tables) panes[table.tab].append(makeTable(table));
  const panels = facts.panels.map((panel) => ({ ...panel, lines: panel.lines.map((line) => readLine(line, read)) }));
  panes.Plots.append(makeCards(facts.cards, facts.runs, colours), make("div", { id: "plots" }));
  return new Plots(find("#plots"), panels, player, colours);
}

function readLine(line, read) {
  return { ...line, x: read(line.x), y: read(line.y), time: line.time ? read(line.time) : null };
}

/** A click on a body marks it, names it, and plots its quantities. */
function addPicking({ stage, plots, controls, channels }) {
  const canvas = stage.canvas;
  let from = null;
  let shown = [];
  canvas.addEventListener("pointerdown", (event) => (from = [event.clientX, event.clientY]));
  canvas.addEventListener("pointerup", (event) => {
    if (!from || Math.hypot(event.clientX - from[0], event.clientY - from[1]) > CLICK) return;
    const vehicle = stage.vehicles[0];
    const body = stage.pick(event.clientX, event.clientY);
    vehicle.mark(body);
    stage.isStale = true;
    const name = find("#body");
    name.hidden = body < 0;
    name.textContent = body < 0 ? "" : vehicle.bodies[body];
    if (!plots) return;
    for (const plot of shown) plots.remove(plot);
    const fitting = body < 0 ? [] : channels.filter((channel) => channel.has(body));
    fitting.sort((a, b) => (b === controls.channel) - (a === controls.channel));
    const before = plots.container.firstChild;
    shown = fitting.map((channel) => plots.add(makeBodyPanel(vehicle, body, channel), before));
  });
}

function makeBodyPanel(vehicle, body, channel) {
  const line = { label: channel.label, x: vehicle.time, y: channel.of(body), color: 0, dash: 0 };
  return {
    key: `body-${channel.key}`,
    title: vehicle.bodies[body],
    yLabel: `${channel.label} [${channel.unit}]`,
    xLabel: "time [s]",
    isTime: true,
    lines: [line],
  };
}

start().catch((error) => {
  const message = make("p", { class: "fault", text: `This report cannot be shown: ${error.message}` });
  find("#view").prepend(message);
  throw error;
});
