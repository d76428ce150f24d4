// Where the eye is: it goes along with the vehicle, from a side, from above, or wherever the mouse puts it.

import { MathUtils, PerspectiveCamera, Spherical, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

const FIELD_OF_VIEW = 28;
const GLIDE = 0.4; // time of a change of the view [s]
const UP = new Vector3(0, 0, 1);
// direction from the vehicle to the eye, in the axes of its heading: x forward, y left, z up
const VIEWS = {
  free: [0.85, -1.35, 0.55],
  side: [0, -1, 0.06],
  front: [1, 0, 0.12],
  top: [0, -0.001, 1],
};
export const VIEW_NAMES = Object.keys(VIEWS);

export class Eye {
  /** `path` gives the size of what has to be seen, and the place to look at, and the heading, at a time. */
  constructor(canvas, path) {
    const { size } = path;
    this.size = size;
    this.path = path;
    this.camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, size / 100, size * 60);
    this.camera.up.copy(UP);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.minDistance = size / 20;
    this.controls.maxDistance = size * 20;
    this.controls.zoomSpeed = 1.2;
    this.isFollowing = true;
    this.glide = null;
    this.onChange = () => {};
    this.controls.addEventListener("start", () => this.release());
    this.controls.addEventListener("change", () => this.onChange());
    this.target = path.find(-Infinity);
    this.setView("free", false);
  }

  /** Choose a view; the eye glides there. */
  setView(name, isGliding = true) {
    this.view = name;
    this.isOwn = false;
    const direction = new Vector3(...VIEWS[name]).normalize().applyAxisAngle(UP, this.target.heading);
    const distance = this.findDistance(name);
    if (isGliding) {
      const offset = this.camera.position.clone().sub(this.controls.target);
      const from = { direction: offset.clone().normalize(), distance: offset.length(), target: this.controls.target.clone() };
      this.glide = { from, end: { direction, distance }, share: 0 };
    } else this.place(direction, distance, this.target.point);
    this.onChange();
  }

  /** The mouse takes over. */
  release() {
    this.glide = null;
    this.view = "free";
    this.isOwn = true;
    this.onChange();
  }

  /** From where the model fills the picture, whichever of its sides is the narrow one. */
  findDistance(name) {
    const half = Math.tan(MathUtils.degToRad(FIELD_OF_VIEW / 2));
    const width = name === "front" ? 0.4 : 0.56;
    return Math.max((width * this.size) / (half * this.camera.aspect), (0.34 * this.size) / half);
  }

  place(direction, distance, target) {
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(direction, distance);
    this.controls.update();
  }

  setFollowing(isFollowing) {
    this.isFollowing = isFollowing;
    this.onChange();
  }

  resize(aspect) {
    this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
    if (!this.isOwn) this.setView(this.view, false);
  }

  /** Go along with the vehicle; `passed` is the time on the clock since the last call [s]. True while the eye glides. */
  update(now, passed) {
    const before = this.target;
    this.target = this.path.find(now);
    if (this.isFollowing) this.follow(before);
    if (this.glide) return this.glideOn(passed);
    return false;
  }

  follow(before) {
    const moved = this.target.point.clone().sub(before.point);
    const turned = this.target.heading - before.heading;
    if (moved.lengthSq() === 0 && turned === 0) return;
    const offset = this.camera.position.clone().sub(this.controls.target);
    // fixed views turn with the heading, so that the side stays the side
    if (this.view !== "free") offset.applyAxisAngle(UP, turned);
    this.controls.target.add(moved);
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
  }

  glideOn(passed) {
    const { from, end } = this.glide;
    this.glide.share = Math.min(1, this.glide.share + passed / GLIDE);
    const share = MathUtils.smootherstep(this.glide.share, 0, 1);
    const a = makeAngles(from.direction);
    const b = makeAngles(end.direction);
    let turn = b.theta - a.theta;
    turn -= 2 * Math.PI * Math.round(turn / (2 * Math.PI));
    const angles = new Spherical(1, a.phi + share * (b.phi - a.phi), a.theta + share * turn);
    const target = from.target.clone().lerp(this.target.point, share);
    this.place(makeDirection(angles), from.distance + share * (end.distance - from.distance), target);
    if (this.glide.share >= 1) this.glide = null;
    return true;
  }
}

// three.js counts the angles of a sphere from its y axis, which here is z
function makeAngles({ x, y, z }) {
  return new Spherical().setFromVector3(new Vector3(x, z, -y));
}

function makeDirection(angles) {
  const { x, y, z } = new Vector3().setFromSpherical(angles);
  return new Vector3(x, -z, y);
}
