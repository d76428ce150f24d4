// The bodies of one run: one instanced mesh for all bodies that look the same, posed at any time.

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  Group,
  InstancedBufferAttribute,
  InstancedMesh,
  ShaderMaterial,
  Vector3,
} from "three";

import { makeLinear } from "./colours.js";
import { findFrame } from "./data.js";
import { GREY, Flexible } from "./flexible.js";
import { LIGHT } from "./light.js";

const GHOST_OPACITY = 0.32;
const GLASS_OPACITY = 0.18;
const UP = new Vector3(0, 0, 1);
const MARKED = new Color("#ff3d81");

/** A geometry of the report's mesh, its colours as light adds up. */
export function makeGeometry(mesh, read) {
  const colours = Float32Array.from(read(mesh.colours), (value) => makeLinear(value / 255));
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(read(mesh.vertices), 3));
  geometry.setAttribute("normal", new BufferAttribute(Float32Array.from(read(mesh.normals), (n) => n / 127), 3));
  geometry.setAttribute("color", new BufferAttribute(colours, 3));
  geometry.setIndex(new BufferAttribute(read(mesh.faces), 1));
  return geometry;
}

// the colour of each body is mixed with its tint: red, green, blue, and how much of it
const VERTEX = `
attribute vec3 color;
attribute vec4 tint;
varying vec3 shade;
${LIGHT}
void main() {
  shade = screen(mix(color, tint.rgb, tint.a) * light(mat3(instanceMatrix) * normal));
  gl_Position = projectionMatrix * viewMatrix * instanceMatrix * vec4(position, 1.0);
}`;
const FRAGMENT = `
varying vec3 shade;
uniform float opacity;
void main() {
  gl_FragColor = vec4(shade, opacity);
}`;

export class Vehicle {
  /** Bodies of a run; a ghost is seen through, in the colour of its run. */
  constructor(run, read, { isGhost, colour }) {
    const scene = run.scene;
    this.bodies = scene.bodies;
    this.time = read(scene.time);
    this.position = read(scene.position);
    this.quaternion = read(scene.quaternion);
    this.main = scene.main;
    this.way = read(scene.way);
    this.count = scene.bodies.length;
    this.isGhost = isGhost;
    this.colour = new Color(colour);
    this.channel = null;
    this.marked = -1;
    this.pose = new Float32Array(7 * this.count);
    this.group = new Group();
    const geometries = [scene.meshes, scene.coarse].map((meshes) => meshes.map((mesh) => makeGeometry(mesh, read)));
    this.solids = scene.meshes.map((_, number) => this.makeSolid(geometries.map((list) => list[number]), number, scene.mesh));
    this.flexible = scene.deforming.map((mesh, i) => new Flexible(mesh, i, read, { isGhost, colour: this.colour, opacity: GHOST_OPACITY }));
    for (const mesh of this.flexible) this.group.add(...mesh.solids);
    this.setPose(this.time[0]);
    this.paint();
  }

  /** All bodies with one look, of which there is a fine and a coarse geometry. */
  makeSolid([fine, coarse], number, meshOfBody) {
    const members = meshOfBody.flatMap((mesh, body) => (mesh === number ? [body] : []));
    const tint = new InstancedBufferAttribute(new Float32Array(4 * members.length), 4);
    for (const geometry of [fine, coarse]) geometry.setAttribute("tint", tint);
    const material = new ShaderMaterial({
      uniforms: { opacity: { value: this.isGhost ? GHOST_OPACITY : 1 } },
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: this.isGhost,
      // where a ghost is in the same place as the first run, that is seen
      polygonOffset: this.isGhost,
      polygonOffsetFactor: 2,
      polygonOffsetUnits: 8,
    });
    const solid = new InstancedMesh(fine, material, members.length);
    solid.instanceMatrix.setUsage(DynamicDrawUsage);
    solid.frustumCulled = false;
    solid.renderOrder = this.isGhost ? 2 : 0;
    Object.assign(solid.userData, { members, fine, coarse });
    this.group.add(solid);
    return solid;
  }

  /** Put all bodies where they were at a time, between two frames on a straight line. */
  setPose(now) {
    const { index, share } = findFrame(this.time, now);
    const next = Math.min(index + 1, this.time.length - 1);
    const { position, quaternion, count, pose } = this;
    for (let body = 0; body < count; body++) {
      const p0 = 3 * (index * count + body);
      const p1 = 3 * (next * count + body);
      const q0 = 4 * (index * count + body);
      const q1 = 4 * (next * count + body);
      for (let k = 0; k < 3; k++) pose[7 * body + k] = position[p0 + k] + share * (position[p1 + k] - position[p0 + k]);
      let square = 0;
      for (let k = 0; k < 4; k++) {
        const value = quaternion[q0 + k] + share * (quaternion[q1 + k] - quaternion[q0 + k]);
        pose[7 * body + 3 + k] = value;
        square += value * value;
      }
      const factor = 1 / Math.sqrt(square);
      for (let k = 3; k < 7; k++) pose[7 * body + k] *= factor;
    }
    for (const solid of this.solids) {
      const matrices = solid.instanceMatrix.array;
      solid.userData.members.forEach((body, place) => writeMatrix(pose, 7 * body, matrices, 16 * place));
      solid.instanceMatrix.needsUpdate = true;
    }
    for (const mesh of this.flexible) mesh.setPose({ index, next, share });
    this.now = now;
    if (this.channel) this.paint();
  }

  /** A point of a body in the world, into `out`. */
  placePoint(body, point, out) {
    if (body < 0) return out.fromArray(point);
    const at = 7 * body;
    const [x, y, z, w] = this.pose.subarray(at + 3, at + 7);
    out.fromArray(point);
    out.applyQuaternion({ x, y, z, w });
    out.x += this.pose[at];
    out.y += this.pose[at + 1];
    out.z += this.pose[at + 2];
    return out;
  }

  /** Corners of the box around all bodies as they are posed, along axes turned about Z by a heading. */
  findBox(heading = 0) {
    const low = new Vector3(Infinity, Infinity, Infinity);
    const high = low.clone().negate();
    const corner = new Vector3();
    for (const { userData } of this.solids) {
      userData.fine.computeBoundingBox();
      const { min, max } = userData.fine.boundingBox;
      for (const body of userData.members) {
        for (let i = 0; i < 8; i++) {
          const own = [i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z];
          this.placePoint(body, own, corner).applyAxisAngle(UP, -heading);
          low.min(corner);
          high.max(corner);
        }
      }
    }
    for (const mesh of this.flexible) {
      for (let i = 0; i < mesh.places.length; i += 3) {
        corner.fromArray(mesh.places, i).applyAxisAngle(UP, -heading);
        low.min(corner);
        high.max(corner);
      }
    }
    return { low, high };
  }

  /** Colour bodies by a channel and a map, or as they are with null. */
  setChannel(channel, map) {
    this.channel = channel;
    this.map = map;
    this.paint();
  }

  mark(body) {
    this.marked = body;
    this.paint();
  }

  paint() {
    const tints = new Float32Array(4 * this.count);
    const { channel } = this;
    for (let body = 0; body < this.count; body++) {
      if (this.isGhost) writeTint(tints, body, this.colour, 0.85);
      else if (channel) writeTint(tints, body, GREY, 0.5);
    }
    if (channel && !this.isGhost) {
      const values = channel.at(this.now ?? this.time[0]);
      channel.bodies.forEach((body, i) => {
        if (!Number.isFinite(values[i])) return;
        const step = 3 * channel.findStep(values[i]);
        for (let k = 0; k < 3; k++) tints[4 * body + k] = this.map.table[step + k];
        tints[4 * body + 3] = 1;
      });
    }
    for (const mesh of this.flexible) mesh.paint(this.isGhost ? null : channel, this.map);
    if (this.marked >= 0) writeTint(tints, this.marked, MARKED, 0.75);
    for (const solid of this.solids) {
      const tint = solid.geometry.getAttribute("tint");
      solid.userData.members.forEach((body, place) => tint.array.set(tints.subarray(4 * body, 4 * body + 4), 4 * place));
      tint.needsUpdate = true;
    }
  }

  /** Draw fewer triangles, or all of them. */
  setCoarse(isCoarse) {
    for (const solid of this.solids) solid.geometry = isCoarse ? solid.userData.coarse : solid.userData.fine;
  }

  /** Make the main body glass, or solid again. */
  setGlass(isGlass) {
    for (const solid of this.solids) {
      if (!solid.userData.members.includes(this.main) || this.isGhost) continue;
      solid.material.transparent = isGlass;
      solid.material.uniforms.opacity.value = isGlass ? GLASS_OPACITY : 1;
      solid.material.depthWrite = !isGlass;
      solid.renderOrder = isGlass ? 3 : 0;
    }
  }

  /** The body that a hit of the ray caster belongs to. */
  findBody(hit) {
    return hit.object.userData.members[hit.instanceId];
  }
}

function writeTint(tints, body, colour, share) {
  tints[4 * body] = colour.r;
  tints[4 * body + 1] = colour.g;
  tints[4 * body + 2] = colour.b;
  tints[4 * body + 3] = share;
}

/** The 4 x 4 matrix, by columns, of a position and a quaternion x, y, z, w. */
function writeMatrix(pose, at, matrix, to) {
  const x = pose[at + 3];
  const y = pose[at + 4];
  const z = pose[at + 5];
  const w = pose[at + 6];
  matrix[to] = 1 - 2 * (y * y + z * z);
  matrix[to + 1] = 2 * (x * y + z * w);
  matrix[to + 2] = 2 * (x * z - y * w);
  matrix[to + 4] = 2 * (x * y - z * w);
  matrix[to + 5] = 1 - 2 * (x * x + z * z);
  matrix[to + 6] = 2 * (y * z + x * w);
  matrix[to + 8] = 2 * (x * z + y * w);
  matrix[to + 9] = 2 * (y * z - x * w);
  matrix[to + 10] = 1 - 2 * (x * x + y * y);
  matrix[to + 12] = pose[at];
  matrix[to + 13] = pose[at + 1];
  matrix[to + 14] = pose[at + 2];
  matrix[to + 3] = matrix[to + 7] = matrix[to + 11] = 0;
  matrix[to + 15] = 1;
}
