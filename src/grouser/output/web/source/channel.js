// A quantity of bodies by which they can be coloured.

import { findFrame } from "./data.js";

export class Channel {
  constructor(facts, time, read) {
    Object.assign(this, facts);
    this.time = time;
    this.values = read(facts.values);
    this.count = facts.bodies.length;
    this.meshes = new Map(facts.meshes.map((one) => [one.mesh, { ...one, values: read(one.values) }]));
    this.place = new Map(facts.bodies.map((body, i) => [body, i]));
  }

  /** Values of all its bodies at a time. */
  at(now) {
    const { index } = findFrame(this.time, now);
    return this.values.subarray(index * this.count, (index + 1) * this.count);
  }

  /** Values of nodes or bars of a flexible mesh, from the `first` on, between two frames; null if it has none. */
  ofMesh(mesh, { index, next, share }) {
    const found = this.meshes.get(mesh);
    if (!found) return null;
    const { values, count, first } = found;
    const mixed = new Float32Array(count);
    for (let i = 0; i < count; i++) mixed[i] = (1 - share) * values[index * count + i] + share * values[next * count + i];
    return { first, values: mixed };
  }

  /** The step of the map of colours, from 0 to 255, of a value. */
  findStep(value) {
    return Math.round(255 * Math.min(1, Math.max(0, (value - this.low) / (this.high - this.low || 1))));
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
