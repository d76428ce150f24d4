// Small words for making the page.

/** An element with attributes and children; `on...` attributes are listeners, `text` is its text. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") element.textContent = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

export function find(selector) {
  return document.querySelector(selector);
}

/** The value of a colour of the style sheet. */
export function readColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Calls `listen` whenever the page changes between light and dark. */
export function onTheme(listen) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", listen);
}

/** A number with some digits, without needless zeros; where `size` is given, what is tiny against it is zero. */
export function sayNumber(value, digits = 3, size = 0) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const own = Math.abs(value);
  if (own === 0 || own < 5e-4 * size) return "0";
  if (own >= 1e5 || own < 1e-3) return value.toExponential(digits - 1).replace("e+", "e").replaceAll("-", "−");
  const places = digits - 1 - Math.floor(Math.log10(Math.max(own, size)));
  return value.toFixed(Math.min(4, Math.max(0, places))).replace("-", "−");
}
