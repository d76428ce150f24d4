// Starts the report of a study.

import { ColourMap } from "../colours.js";
import { find, make, readColour } from "../page.js";
import { LineColours } from "../plots.js";
import { makeCards, makeTable, makeTabs } from "../tables.js";
import { Effects } from "./effects.js";
import { Parallel } from "./parallel.js";
import { Plot } from "./plot.js";
import { Rows } from "./rows.js";
import { Scatter } from "./scatter.js";
import { Surfaces } from "./surface.js";
import { makeLinks, sayValue, Table } from "./table.js";

const DASHES = ["solid", "6px,3px", "6px,3px,1px,3px", "2px,3px"];

function start() {
  const facts = JSON.parse(find("#facts").textContent);
  const colours = new LineColours(facts.look.colours);
  const map = new ColourMap(facts.look.map);
  const look = { marked: readColour("--arrow") };
  const rows = new Rows(facts);
  const names = ["Runs"];
  if (facts.panels.length) names.unshift("History");
  if (facts.effects.length) names.push("Effects");
  if (rows.columns.length > 1) names.push("Parallel");
  if (rows.columns.length) names.push("Scatter");
  if (facts.surfaces.length) names.push("Surfaces");
  const panes = makeTabs([...names, ...new Set(facts.tables.map((table) => table.tab))]);
  for (const table of facts.tables) panes[table.tab].append(makeTable(table));
  panes[names[0]].append(makeCards(facts.cards, ["one"], colours));
  if (panes.History) showPanels(panes.History, facts.panels, colours);
  new Table(panes.Runs, rows);
  if (panes.Effects) new Effects(panes.Effects, facts.effects, colours);
  if (panes.Parallel) new Parallel(panes.Parallel, rows, map);
  if (panes.Scatter) new Scatter(panes.Scatter, rows, map, look);
  const surfaces = panes.Surfaces && new Surfaces(panes.Surfaces, rows, facts.surfaces, map, colours);
  const sieve = find("#sieve");
  rows.subscribe((what) => (what === "filter" ? showSieve(sieve, rows) : showChosen(find("#chosen"), rows)));
  showSieve(sieve, rows);
  window.report = { facts, rows, surfaces };
  document.documentElement.dataset.ready = "yes";
}

/** How many runs pass the filters. */
function showSieve(place, rows) {
  const count = rows.shown.filter(Boolean).length;
  const clear = make("button", { type: "button", text: "show all", onclick: () => rows.clear() });
  place.replaceChildren(`${count} of ${rows.count} runs`, ...(rows.filters.size ? [` · filters on ${[...rows.filters.keys()].join(", ")}`, clear] : []));
}

/** The run that was clicked: its values and where its result is. */
function showChosen(place, rows) {
  const i = rows.chosen;
  place.hidden = i === null;
  if (i === null) return;
  const run = rows.runs[i];
  const values = rows.columns.map((column) => make("div", {}, make("span", { text: `${column.name} ` }), sayValue(column.values[i])));
  const close = make("button", { type: "button", text: "close", onclick: () => rows.choose(i) });
  const reason = run.reason ? [make("div", { text: run.reason })] : [];
  place.replaceChildren(make("b", { text: `run ${run.run}` }), ...values, ...reason, make("div", {}, ...makeLinks(run)), close);
}

function showPanels(pane, panels, colours) {
  for (const panel of panels) {
    const describe = () => ({
      traces: panel.lines.map((line) => ({
        x: line.x,
        y: line.y,
        name: line.label,
        mode: line.isFaint ? "markers" : "lines",
        marker: { color: colours.find(line.color), size: 6, opacity: 0.7 },
        line: { color: colours.find(line.color), width: 1.8, dash: DASHES[line.dash % DASHES.length], shape: "hv" },
        hovertemplate: "run %{x}: %{y:.5g}",
      })),
      layout: { showlegend: panel.lines.length > 1, legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 }, margin: { l: 54, r: 12, t: 26, b: 42 }, xaxis: { title: { text: panel.xLabel, standoff: 8 } }, yaxis: { title: { text: panel.yLabel, standoff: 8 }, type: panel.isLog ? "log" : "linear" } },
    });
    pane.append(new Plot(panel.title, describe, { height: 270 }).card);
  }
}

try {
  start();
} catch (error) {
  find("main").prepend(make("p", { class: "fault", text: `This report cannot be shown: ${error.message}` }));
  throw error;
}
