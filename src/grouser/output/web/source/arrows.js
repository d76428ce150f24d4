// Forces as arrows: one instanced shaft and one instanced head for all of them.

import { ConeGeometry, CylinderGeometry, DynamicDrawUsage, Group, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, Vector3 } from "three";

import { findFrame } from "./data.js";

const UP = new Vector3(0, 0, 1);
const LONGEST = 0.16; // length of the largest force, as a share of the model's size
const THIN = 0.0025; // radius of a shaft, likewise
const HEAD = 0.009; // radius of a head, likewise

export class Arrows {
  constructor(vehicle, size) {
    this.vehicle = vehicle;
    this.size = size;
    this.group = new Group();
    this.set = null;
  }

  /** Choose a set of forces, or none with null. */
  choose(set, read, colour) {
    this.group.clear();
    this.set = set;
    if (!set) return;
    this.vectors = read(set.vectors);
    this.points = read(set.points);
    this.count = set.bodies.length;
    this.scale = (LONGEST * this.size) / (set.largest || 1);
    const shaft = new CylinderGeometry(1, 1, 1, 6).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const head = new ConeGeometry(1, 2.6, 10).rotateX(Math.PI / 2).translate(0, 0, 1.3);
    this.shafts = this.makeSolid(shaft, colour);
    this.heads = this.makeSolid(head, colour);
  }

  makeSolid(geometry, color) {
    // seen through the bodies: a force inside of a wheel would be lost otherwise
    const material = new MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.9 });
    const solid = new InstancedMesh(geometry, material, this.count);
    solid.instanceMatrix.setUsage(DynamicDrawUsage);
    solid.frustumCulled = false;
    solid.renderOrder = 10;
    this.group.add(solid);
    return solid;
  }

  update(now) {
    if (!this.set) return;
    const { index } = findFrame(this.vehicle.time, now);
    const [point, vector, end, scale] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
    const matrix = new Matrix4();
    const turn = new Quaternion();
    for (let i = 0; i < this.count; i++) {
      this.vehicle.placePoint(this.set.bodies[i], this.points.subarray(3 * i, 3 * i + 3), point);
      vector.fromArray(this.vectors, 3 * (index * this.count + i)).multiplyScalar(this.scale);
      const length = vector.length();
      const isSeen = length > 0.004 * this.size;
      if (isSeen) turn.setFromUnitVectors(UP, vector.clone().divideScalar(length));
      const radius = isSeen ? Math.min(HEAD * this.size, 0.3 * length) : 0;
      const shaft = Math.max(0, length - 2.6 * radius);
      const thin = isSeen ? Math.min(THIN * this.size, 0.4 * radius) : 0;
      this.shafts.setMatrixAt(i, matrix.compose(point, turn, scale.set(thin, thin, isSeen ? shaft : 0)));
      end.copy(point).addScaledVector(vector, length ? shaft / length : 0);
      this.heads.setMatrixAt(i, matrix.compose(end, turn, scale.set(radius, radius, radius)));
    }
    this.shafts.instanceMatrix.needsUpdate = true;
    this.heads.instanceMatrix.needsUpdate = true;
  }
}
