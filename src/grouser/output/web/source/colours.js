// Colours of values, by a map of colours that the report brings along.

/** A map of colours from stops of red, green and blue, 0 to 255. */
export class ColourMap {
  constructor(stops) {
    this.stops = stops;
    // as light adds up, from 0 to 1, for the 3D view
    this.table = new Float32Array(3 * 256);
    for (let i = 0; i < 256; i++) this.find(i / 255).forEach((value, k) => (this.table[3 * i + k] = makeLinear(value / 255)));
  }

  /** Red, green and blue from 0 to 255 of a share from 0 to 1. */
  find(share) {
    const last = this.stops.length - 1;
    const place = Math.min(1, Math.max(0, share)) * last;
    const i = Math.min(last - 1, Math.floor(place));
    return this.stops[i].map((value, k) => value + (place - i) * (this.stops[i + 1][k] - value));
  }

  /** The map as a background of CSS. */
  get gradient() {
    return `linear-gradient(to right, ${this.stops.map((stop) => `rgb(${stop.join(",")})`).join(", ")})`;
  }
}

/** A part of a colour as light adds up, from a part as a screen shows it (sRGB), both from 0 to 1. */
export function makeLinear(value) {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}
