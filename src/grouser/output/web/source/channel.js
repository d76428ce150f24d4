// A quantity of bodies by which they can be coloured.

import { findFrame } from "./data.js";

export class Channel {
  constructor(facts, time, read) {
    Object.assign(this, facts);
    this.time = time;
    this.values = read(facts.values);
    this.count = facts.bodies.length;
    this.place = new Map(facts.bodies.map((body, i) => [body, i]));
  }

  /** Values of all its bodies at a time. */
  at(now) {
    const { index } = findFrame(this.time, now);
    return this.values.subarray(index * this.count, (index + 1) * this.count);
  }

  has(body) {
    return this.place.has(body);
  }

  /** Values of one body over time. */
  of(body) {
    const place = this.place.get(body);
    return Float32Array.from(this.time, (_, frame) => this.values[frame * this.count + place]);
  }
}
