// The 3D view: bodies of all runs, ground, light, arrows, and the picture of them.

import { Color, Raycaster, Scene, Vector2, WebGLRenderer } from "three";

import { Arrows } from "./arrows.js";
import { Eye } from "./camera.js";
import { Ground } from "./ground.js";
import { onTheme, readColour } from "./page.js";
import { makePath } from "./path.js";
import { Vehicle } from "./vehicle.js";

const SLOW = 28; // frames that take longer than this on average ask for less work [ms]
const REST = 350; // a picture that has not changed for so long is drawn in full [ms]
const SOFTWARE = /swiftshader|llvmpipe|software|basic render/i; // names of what draws without a graphics card
const FRAMES_JUDGED = 20;
const LEAST_RATIO = 0.6; // pixels of the picture for one of the page

export class Stage {
  constructor(canvas, runs, read) {
    this.canvas = canvas;
    this.read = read;
    this.scene = new Scene();
    this.size = Math.max(...runs.map((run) => run.scene.size));
    const isSoftware = SOFTWARE.test(findDrawer());
    this.renderer = new WebGLRenderer({ canvas, antialias: !isSoftware, powerPreference: "high-performance" });
    this.isSparing = isSoftware; // coarse while anything moves
    // without a graphics card, edges are smoothed by more pixels, and only at rest
    this.finest = isSoftware ? 2 : Math.min(2, devicePixelRatio);
    this.ratio = Math.min(this.finest, devicePixelRatio);
    this.isCoarse = false;
    this.quiet = 0;
    this.vehicles = runs.map((run, i) => new Vehicle(run, read, { isGhost: i > 0, colour: run.colour }));
    for (const vehicle of this.vehicles) this.scene.add(vehicle.group);
    this.setCoarse(isSoftware);
    const terrain = runs.find((run) => run.terrain)?.terrain;
    this.eye = new Eye(canvas, makePath(this.vehicles[0], this.size));
    const { low, high } = this.vehicles[0].findBox(this.eye.target.heading);
    this.ground = terrain ? new Ground(terrain, read, this.size, high.sub(low).divideScalar(2)) : null;
    if (this.ground) this.scene.add(this.ground.mesh);
    this.eye.onChange = () => (this.isStale = true);
    this.arrows = new Arrows(this.vehicles[0], this.size);
    this.scene.add(this.arrows.group);
    this.durations = [];
    this.setTheme();
    onTheme(() => this.setTheme());
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  setTheme() {
    this.scene.background = new Color(readColour("--sky"));
    this.ground?.setTheme(this.scene.background, matchMedia("(prefers-color-scheme: dark)").matches);
    this.isStale = true;
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas.parentElement;
    if (!clientWidth || !clientHeight) return;
    this.renderer.setPixelRatio(this.isCoarse ? this.ratio : this.finest);
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.eye.resize(clientWidth / clientHeight);
    this.isStale = true;
  }

  /** Show the runs at a time. */
  setTime(now) {
    for (const vehicle of this.vehicles) if (vehicle.group.visible) vehicle.setPose(now);
    this.arrows.update(now);
    this.now = now;
    this.isStale = true;
  }

  chooseArrows(set) {
    this.arrows.choose(set, this.read, readColour("--arrow"));
    this.arrows.update(this.now);
    this.isStale = true;
  }

  /** Draw if anything has changed; `passed` is the time on the clock since the last call [ms]. */
  draw(passed) {
    const isGliding = this.eye.update(this.now, passed / 1000);
    const isMoving = this.isStale || isGliding;
    this.quiet = isMoving ? 0 : this.quiet + passed;
    const isWaiting = !isMoving && this.isCoarse && this.quiet > REST;
    if (!isMoving) this.durations = [];
    if (!isMoving && !isWaiting) return;
    this.setCoarse(this.isSparing && isMoving);
    this.isStale = false;
    this.ground?.follow(this.eye.target.point, this.eye.target.heading);
    this.renderer.render(this.scene, this.eye.camera);
    if (isMoving) this.judge(passed);
  }

  setCoarse(isCoarse) {
    if (isCoarse === this.isCoarse) return;
    this.isCoarse = isCoarse;
    for (const vehicle of this.vehicles) vehicle.setCoarse(isCoarse);
    this.renderer.setPixelRatio(isCoarse ? this.ratio : this.finest);
  }

  /** Where drawing is slow, do with fewer triangles, and then with fewer pixels. */
  judge(passed) {
    this.durations.push(passed);
    if (this.durations.length < FRAMES_JUDGED) return;
    const mean = this.durations.reduce((sum, value) => sum + value, 0) / this.durations.length;
    this.durations = [];
    if (mean < SLOW) return;
    if (!this.isSparing) this.isSparing = true;
    else if (this.ratio > LEAST_RATIO) {
      this.ratio = this.ratio > 1 ? 1 : Math.max(LEAST_RATIO, this.ratio - 0.2);
      this.renderer.setPixelRatio(this.ratio);
    }
  }

  /** The body of the first run under a point of the canvas, in pixels of the page, or -1. */
  pick(x, y) {
    const box = this.canvas.getBoundingClientRect();
    const place = new Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
    const ray = new Raycaster();
    ray.setFromCamera(place, this.eye.camera);
    const vehicle = this.vehicles[0];
    for (const solid of vehicle.solids) solid.computeBoundingSphere();
    const hits = ray.intersectObjects(vehicle.solids.filter((solid) => !solid.material.transparent));
    return hits.length ? vehicle.findBody(hits[0]) : -1;
  }
}

/** The name of what draws pictures here. */
function findDrawer() {
  const context = document.createElement("canvas").getContext("webgl2");
  const names = context?.getExtension("WEBGL_debug_renderer_info");
  return names ? context.getParameter(names.UNMASKED_RENDERER_WEBGL) : "";
}
