// Main effects: the mean of a response over each factor, whatever the others are.

import { make } from "../page.js";
import { makeChoice, Plot } from "./plot.js";

export class Effects {
  constructor(pane, effects, colours) {
    const responses = [...new Set(effects.map((effect) => effect.response))];
    this.effects = effects;
    this.colours = colours;
    this.grid = make("div", { class: "small-plots" });
    const choice = makeChoice("response", responses, responses[0], (name) => this.show(name));
    pane.append(make("div", { class: "choices" }, choice), this.grid, make("p", { class: "note", text: "Means over all runs that ended, with their standard error. The share is that of the variance of the response between these means: what the factor alone explains." }));
    this.show(responses[0]);
  }

  show(response) {
    const chosen = this.effects.filter((effect) => effect.response === response).sort((a, b) => b.share - a.share);
    const least = Math.min(...chosen.flatMap((effect) => effect.mean.map((value, i) => value - effect.error[i])));
    const most = Math.max(...chosen.flatMap((effect) => effect.mean.map((value, i) => value + effect.error[i])));
    const room = 0.06 * (most - least) || 1;
    this.grid.replaceChildren(...chosen.map((effect) => this.makePlot(effect, [least - room, most + room]).card));
  }

  makePlot(effect, range) {
    const share = `${Math.round(100 * effect.share)} % of the variance`;
    const plot = new Plot("", () => this.describe(effect, range), { height: 220 });
    plot.heading.append(effect.factor, make("span", { class: "unit", text: share }));
    return plot;
  }

  describe(effect, range) {
    const colour = this.colours.find(0);
    const trace = {
      x: effect.at,
      y: effect.mean,
      mode: "lines+markers",
      line: { color: colour, width: 1.5 },
      marker: { color: colour, size: 7 },
      error_y: { type: "data", array: effect.error, color: colour, thickness: 1, width: 3 },
      text: effect.count.map((count) => `${count} runs`),
      hovertemplate: "%{x}: %{y:.4g}, %{text}<extra></extra>",
    };
    const type = typeof effect.at[0] === "number" ? (effect.isLog ? "log" : "linear") : "category";
    return { traces: [trace], layout: { xaxis: { type, title: { text: effect.factor, standoff: 8 } }, yaxis: { range, title: { text: effect.response, standoff: 8 } } } };
  }
}
