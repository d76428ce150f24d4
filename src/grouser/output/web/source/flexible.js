// A flexible mesh of one run: a skin over its bricks and round bars for its trusses and beams, moved by its nodes.

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  Mesh,
  ShaderMaterial,
} from "three";

import { makeLinear } from "./colours.js";
import { LIGHT } from "./light.js";

export const GREY = new Color("#8d949e"); // of what a channel has no values of
const SIDES = 7; // of a bar
const GHOST_SHARE = 0.85; // of the colour of its run in a ghost

const SKIN = `
attribute vec3 tint;
varying vec3 shade;
${LIGHT}
void main() {
  shade = screen(tint * light(normal));
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
}`;
// a vertex of a bar is an angle, by cosine and sine, and an end, 0 or 1
const BAR = `
attribute vec3 head;
attribute vec3 tail;
attribute vec3 tint;
uniform float radius;
varying vec3 shade;
${LIGHT}
void main() {
  vec3 way = tail - head;
  vec3 along = way / max(length(way), 1e-12);
  vec3 across = normalize(cross(abs(along.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0), along));
  vec3 outward = position.x * across + position.y * cross(along, across);
  shade = screen(tint * light(outward));
  gl_Position = projectionMatrix * viewMatrix * vec4(head + position.z * way + radius * outward, 1.0);
}`;
const FRAGMENT = `
varying vec3 shade;
uniform float opacity;
void main() {
  gl_FragColor = vec4(shade, opacity);
}`;

export class Flexible {
  /** The mesh with a number; a ghost is seen through, in the colour of its run. */
  constructor(facts, number, read, { isGhost, colour, opacity }) {
    this.number = number;
    this.middle = read(facts.middle);
    this.offset = read(facts.offset);
    this.corner = read(facts.corner);
    this.skin = read(facts.skin);
    this.lines = read(facts.lines);
    this.count = this.offset.length / this.middle.length;
    this.places = new Float32Array(3 * this.count);
    this.colour = new Color(...facts.colour.map((part) => makeLinear(part / 255)));
    if (isGhost) this.colour.lerp(colour, GHOST_SHARE);
    this.look = { isGhost, opacity, radius: facts.radius };
    this.solids = [];
    if (this.skin.length) this.solids.push(this.makeSkin());
    if (this.lines.length) this.solids.push(this.makeBars());
  }

  makeSkin() {
    const geometry = new BufferGeometry();
    for (const name of ["position", "normal", "tint"]) {
      this[name] = new BufferAttribute(new Float32Array(3 * this.corner.length), 3).setUsage(DynamicDrawUsage);
      geometry.setAttribute(name, this[name]);
    }
    geometry.setIndex(new BufferAttribute(this.skin, 1));
    return this.makeSolid(geometry, SKIN);
  }

  makeBars() {
    const geometry = new InstancedBufferGeometry();
    const ring = [];
    const faces = [];
    for (let i = 0; i < SIDES; i++) {
      const angle = (2 * Math.PI * i) / SIDES;
      for (const end of [0, 1]) ring.push(Math.cos(angle), Math.sin(angle), end);
      const [a, b] = [2 * i, 2 * ((i + 1) % SIDES)];
      faces.push(a, b, b + 1, a, b + 1, a + 1);
      if (i > 0 && i < SIDES - 1) faces.push(0, b, a, 1, a + 1, b + 1);
    }
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(ring), 3));
    geometry.setIndex(faces);
    for (const name of ["head", "tail", "barTint"]) {
      this[name] = new InstancedBufferAttribute(new Float32Array((3 * this.lines.length) / 2), 3).setUsage(DynamicDrawUsage);
      geometry.setAttribute(name === "barTint" ? "tint" : name, this[name]);
    }
    return this.makeSolid(geometry, BAR);
  }

  makeSolid(geometry, vertexShader) {
    const { isGhost, opacity, radius } = this.look;
    const material = new ShaderMaterial({
      uniforms: { opacity: { value: isGhost ? opacity : 1 }, radius: { value: radius } },
      vertexShader,
      fragmentShader: FRAGMENT,
      transparent: isGhost,
      polygonOffset: isGhost,
      polygonOffsetFactor: 2,
      polygonOffsetUnits: 8,
    });
    const solid = new Mesh(geometry, material);
    solid.frustumCulled = false;
    solid.renderOrder = isGhost ? 2 : 0;
    return solid;
  }

  /** Put all nodes where they were between two frames, on a straight line. */
  setPose(moment) {
    this.moment = moment;
    const { index, next, share } = moment;
    const { places, offset, middle, count } = this;
    const [a, b] = [3 * count * index, 3 * count * next];
    for (let k = 0; k < 3; k++) {
      const centre = middle[3 * index + k] + share * (middle[3 * next + k] - middle[3 * index + k]);
      for (let i = k; i < 3 * count; i += 3) places[i] = centre + offset[a + i] + share * (offset[b + i] - offset[a + i]);
    }
    if (this.skin.length) this.setSkin();
    if (this.lines.length) this.setBars();
  }

  setSkin() {
    const { places, corner, skin } = this;
    const position = this.position.array;
    const normal = this.normal.array;
    for (let i = 0; i < corner.length; i++) {
      const from = 3 * corner[i];
      for (let k = 0; k < 3; k++) position[3 * i + k] = places[from + k];
    }
    normal.fill(0);
    for (let i = 0; i < skin.length; i += 3) addNormal(position, 3 * skin[i], 3 * skin[i + 1], 3 * skin[i + 2], normal);
    for (let i = 0; i < normal.length; i += 3) {
      const factor = 1 / (Math.hypot(normal[i], normal[i + 1], normal[i + 2]) || 1);
      for (let k = 0; k < 3; k++) normal[i + k] *= factor;
    }
    this.position.needsUpdate = true;
    this.normal.needsUpdate = true;
  }

  setBars() {
    const { places, lines } = this;
    for (const [end, attribute] of [this.head, this.tail].entries()) {
      for (let i = 0; i < lines.length / 2; i++) {
        const from = 3 * lines[2 * i + end];
        for (let k = 0; k < 3; k++) attribute.array[3 * i + k] = places[from + k];
      }
      attribute.needsUpdate = true;
    }
  }

  /** Colour it by a channel and a map, or as it is with null. */
  paint(channel, map) {
    const plain = channel ? this.colour.clone().lerp(GREY, 0.5) : this.colour;
    const held = channel?.ofMesh(this.number, this.moment);
    const find = (place) => (held && place >= held.first ? held.values[place - held.first] : NaN);
    const write = (tint, i, value) => {
      if (!Number.isFinite(value)) return plain.toArray(tint, 3 * i);
      const step = 3 * channel.findStep(value);
      for (let k = 0; k < 3; k++) tint[3 * i + k] = map.table[step + k];
    };
    if (this.skin.length) {
      for (let i = 0; i < this.corner.length; i++) write(this.tint.array, i, find(this.corner[i]));
      this.tint.needsUpdate = true;
    }
    if (this.lines.length) {
      for (let i = 0; i < this.lines.length / 2; i++) write(this.barTint.array, i, find(this.count + i));
      this.barTint.needsUpdate = true;
    }
  }
}

/** Add the normal of a triangle, as long as twice its area, to those of its three vertices. */
function addNormal(position, a, b, c, normal) {
  const ux = position[b] - position[a];
  const uy = position[b + 1] - position[a + 1];
  const uz = position[b + 2] - position[a + 2];
  const vx = position[c] - position[a];
  const vy = position[c + 1] - position[a + 1];
  const vz = position[c + 2] - position[a + 2];
  const x = uy * vz - uz * vy;
  const y = uz * vx - ux * vz;
  const z = ux * vy - uy * vx;
  for (const vertex of [a, b, c]) {
    normal[vertex] += x;
    normal[vertex + 1] += y;
    normal[vertex + 2] += z;
  }
}
