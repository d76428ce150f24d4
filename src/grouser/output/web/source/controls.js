// Buttons, menus and the bar of time.

import { VIEW_NAMES } from "./camera.js";
import { find, make, sayNumber } from "./page.js";
import { SPEEDS } from "./player.js";

const NONE = "none";

export class Controls {
  constructor({ player, stage, facts, channels, map, colours }) {
    Object.assign(this, { player, stage, facts, channels, map, colours });
    this.addPlayer();
    this.addViews();
    this.addMenus();
    this.addRuns();
  }

  addPlayer() {
    const { player } = this;
    const play = find("#play");
    const scrub = find("#scrub");
    const clock = find("#clock");
    const speed = find("#speed");
    const loop = find("#loop");
    for (const value of SPEEDS) speed.append(make("option", { value, text: `${value}×` }));
    Object.assign(scrub, { min: player.start, max: player.end, step: "any" });
    play.onclick = () => player.toggle();
    scrub.oninput = () => player.seek(Number(scrub.value));
    speed.onchange = () => player.setSpeed(Number(speed.value));
    loop.onclick = () => player.setLooping(!player.isLooping);
    player.subscribe(() => {
      const share = (player.time - player.start) / (player.end - player.start || 1);
      scrub.value = player.time;
      scrub.style.setProperty("--share", `${100 * share}%`);
      clock.textContent = `${player.time.toFixed(2)} / ${player.end.toFixed(2)} s`;
      play.classList.toggle("on", player.isPlaying);
      play.setAttribute("aria-label", player.isPlaying ? "pause" : "play");
      speed.value = player.speed;
      loop.setAttribute("aria-pressed", player.isLooping);
    });
    for (const event of this.facts.events) this.addMark(event);
  }

  addMark({ time, text }) {
    const { start, end } = this.player;
    const mark = make("button", { type: "button", class: "mark", title: text, onclick: () => this.player.seek(time) });
    mark.style.left = `${(100 * (time - start)) / (end - start || 1)}%`;
    find("#marks").append(mark);
  }

  addViews() {
    const { eye } = this.stage;
    const bar = find("#views");
    for (const name of VIEW_NAMES) {
      bar.append(make("button", { type: "button", text: name, "data-view": name, onclick: () => this.setView(name) }));
    }
    const follow = find("#follow");
    const glass = find("#glass");
    follow.onclick = () => eye.setFollowing(!eye.isFollowing);
    glass.onclick = () => this.toggleGlass();
    const redraw = eye.onChange;
    eye.onChange = () => {
      redraw();
      for (const button of bar.children) button.setAttribute("aria-pressed", button.dataset.view === eye.view);
      follow.setAttribute("aria-pressed", eye.isFollowing);
    };
    eye.onChange();
  }

  setView(name) {
    this.stage.eye.setView(name);
  }

  toggleFollow() {
    this.stage.eye.setFollowing(!this.stage.eye.isFollowing);
  }

  toggleGlass() {
    const glass = find("#glass");
    const isGlass = glass.getAttribute("aria-pressed") !== "true";
    glass.setAttribute("aria-pressed", isGlass);
    for (const vehicle of this.stage.vehicles) vehicle.setGlass(isGlass);
    this.stage.isStale = true;
  }

  addMenus() {
    const { arrows } = this.facts.runs[0];
    const colour = find("#colour");
    const arrow = find("#arrows");
    fillMenu(colour, "as built", this.channels);
    fillMenu(arrow, "none", arrows);
    colour.onchange = () => this.setColour(colour.value);
    arrow.onchange = () => this.setArrows(arrow.value);
    this.setColour(this.channels.length ? this.channels[0].key : NONE);
    this.setArrows(NONE);
  }

  /** Colour bodies by a channel. */
  setColour(key) {
    const channel = this.channels.find((one) => one.key === key) ?? null;
    this.channel = channel;
    find("#colour").value = channel ? key : NONE;
    this.stage.vehicles[0].setChannel(channel, this.map);
    this.stage.isStale = true;
    const legend = find("#legend");
    legend.hidden = !channel;
    if (!channel) return;
    const middle = (channel.low + channel.high) / 2;
    const ends = [channel.low, middle, channel.high].map((value) => sayNumber(value));
    if (channel.isCutLow) ends[0] = `≤ ${ends[0]}`;
    if (channel.isCut) ends[2] = `≥ ${ends[2]}`;
    const scale = make("div", { class: "scale" });
    scale.style.background = this.map.gradient;
    const ticks = make("div", { class: "ticks" }, ...ends.map((text) => make("span", { text })));
    legend.replaceChildren(make("div", { class: "name", text: `${channel.label} [${channel.unit}]` }), scale, ticks);
  }

  setArrows(key) {
    const set = this.facts.runs[0].arrows.find((one) => one.key === key) ?? null;
    find("#arrows").value = set ? key : NONE;
    this.stage.chooseArrows(set);
    const note = find("#arrow-note");
    note.hidden = !set;
    if (set) note.textContent = `${set.label}: the longest arrow is ${sayNumber(set.largest)} ${set.unit}`;
  }

  /** The next entry of a menu, by its id. */
  turn(id, set) {
    const menu = find(id);
    menu.selectedIndex = (menu.selectedIndex + 1) % menu.options.length;
    set.call(this, menu.value);
  }

  /** Several runs: a button each, which shows or hides it. */
  addRuns() {
    const { runs } = this.facts;
    if (runs.length < 2) return;
    runs.forEach((run, i) => {
      const swatch = make("i");
      swatch.style.background = this.colours.find(i);
      const button = make("button", { type: "button", class: "run", "aria-pressed": true }, swatch, i ? `${run.label} (ghost)` : run.label);
      button.onclick = () => this.toggleRun(i);
      find("#runs").append(button);
    });
  }

  toggleRun(number) {
    const button = find("#runs").children[number];
    if (!button) return;
    const { group } = this.stage.vehicles[number];
    group.visible = !group.visible;
    button.setAttribute("aria-pressed", group.visible);
    this.stage.setTime(this.player.time);
  }
}

function fillMenu(menu, none, entries) {
  menu.append(make("option", { value: NONE, text: none }));
  for (const entry of entries) menu.append(make("option", { value: entry.key, text: entry.label }));
  menu.closest("label").hidden = !entries.length;
}
