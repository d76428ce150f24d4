// The keyboard, and the list of its keys.

import { find, make } from "./page.js";
import { VIEW_NAMES } from "./camera.js";

/** Listens to keys. */
export function addKeys({ player, controls, stage }) {
  const help = find("#help");
  const many = 10;
  const keys = [
    [" ", "space", "play or pause", () => player.toggle()],
    ["ArrowLeft", "←", "a frame back; ten with shift", (event) => stepBy(player, event.shiftKey ? -many : -1)],
    ["ArrowRight", "→", "a frame on; ten with shift", (event) => stepBy(player, event.shiftKey ? many : 1)],
    ["ArrowUp", "↑", "faster", () => player.changeSpeed(1)],
    ["ArrowDown", "↓", "slower", () => player.changeSpeed(-1)],
    ["Home", "home", "to the start", () => player.seek(player.start)],
    ["End", "end", "to the end", () => player.seek(player.end)],
    ...VIEW_NAMES.map((name, i) => [`${i + 1}`, `${i + 1}`, `view: ${name}`, () => controls.setView(name)]),
    ["f", "F", "follow the vehicle, or stay", () => controls.toggleFollow()],
    ["c", "C", "colour by the next quantity", () => controls.turn("#colour", controls.setColour)],
    ["a", "A", "next kind of arrows", () => controls.turn("#arrows", controls.setArrows)],
    ["h", "H", "see through the hull", () => controls.toggleGlass()],
    ["g", "G", "show or hide ghosts", () => stage.vehicles.forEach((_, i) => i && controls.toggleRun(i))],
    ["l", "L", "repeat at the end", () => player.setLooping(!player.isLooping)],
    ["?", "?", "this list", () => toggleHelp(help)],
    ["Escape", "esc", "close this list", () => help.open && help.close()],
  ];
  const table = new Map(keys.map(([key, , , act]) => [key.toLowerCase(), act]));
  addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input:not([type=range]), textarea, select");
    const act = table.get(event.key.toLowerCase());
    if (!act || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    // the space bar would press a focused button too
    if (event.target instanceof HTMLButtonElement) event.target.blur();
    act(event);
  });
  find("#keys").append(...keys.map(([, sign, text]) => make("div", {}, make("kbd", { text: sign }), text)));
  find("#show-help").onclick = () => toggleHelp(help);
  find("#hide-help").onclick = () => help.close();
  help.onclick = (event) => event.target === help && help.close();
}

function toggleHelp(help) {
  if (help.open) help.close();
  else help.showModal();
}

function stepBy(player, frames) {
  player.toggle(false);
  player.seek(player.time + frames * player.step);
}
