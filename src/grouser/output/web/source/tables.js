// Numbers, settings and parameters as tables behind tabs.

import { find, make } from "./page.js";

/** Tabs of the side pane; the first holds the plots. */
export function makeTabs(names) {
  const bar = find("#tabs");
  const panes = find("#panes");
  const tabs = names.map((name) => {
    const pane = make("div", { class: "pane", id: `pane-${name.toLowerCase()}`, role: "tabpanel" });
    const tab = make("button", { type: "button", role: "tab", text: name, onclick: () => choose(tab) });
    tab.pane = pane;
    bar.append(tab);
    panes.append(pane);
    return tab;
  });
  const choose = (chosen) => {
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", tab === chosen);
      tab.pane.hidden = tab !== chosen;
    }
    panes.scrollTop = 0;
  };
  choose(tabs[0]);
  return Object.fromEntries(tabs.map((tab) => [tab.textContent, tab.pane]));
}

export function makeTable(table) {
  const section = make("section", { class: "table" }, make("h3", { text: table.title }));
  const body = make("tbody");
  for (const row of table.rows) body.append(make("tr", {}, ...row.map((cell, i) => make(i === 0 ? "th" : "td", { text: cell }))));
  const heads = table.heads.some((head) => head) ? [make("thead", {}, make("tr", {}, ...table.heads.map((head) => make("th", { text: head }))))] : [];
  section.append(make("div", { class: "wide" }, make("table", { class: table.isOfRuns ? "runs" : "" }, ...heads, body)));
  if (table.note) section.append(make("p", { class: "note", text: table.note }));
  return section;
}

/** The numbers that everybody asks for first, one card each with a value for each run. */
export function makeCards(cards, runs, colours) {
  const strip = make("div", { class: "cards" });
  for (const card of cards) {
    const values = card.values.map((value, i) => {
      const line = make("strong", { text: value || "–" });
      if (runs.length > 1) line.style.borderLeftColor = colours.find(i);
      return line;
    });
    strip.append(make("div", { class: runs.length > 1 ? "card several" : "card" }, make("span", { text: card.label }), ...values));
  }
  return strip;
}
