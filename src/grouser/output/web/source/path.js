// The place that the eye looks at: the middle of the model, which goes along with its main body.

import { Vector3 } from "three";

import { findFrame } from "./data.js";

const PLACES = 40; // moments at which it is looked where a model is that stays
const SMOOTH = 0.4; // bounces shorter than this are not followed [s]

/** The size of what has to be seen [m], and a function of time that gives the point to look at and the heading. */
export function makePath(vehicle, size) {
  const { time, way, quaternion, count, main } = vehicle;
  const frames = time.length;
  const points = new Float32Array(3 * frames);
  const headings = new Float32Array(frames);
  const { low, high } = vehicle.findBox();
  const offset = low.add(high).divideScalar(2).toArray().map((value, k) => value - way[k]);
  // a model of flexible meshes alone has no heading
  const first = main < 0 ? 0 : (findHeading(quaternion, 4 * main) ?? 0);
  let heading = first;
  for (let frame = 0; frame < frames; frame++) {
    const turned = main < 0 ? heading : (findHeading(quaternion, 4 * (frame * count + main)) ?? heading);
    heading += turned - heading - 2 * Math.PI * Math.round((turned - heading) / (2 * Math.PI));
    headings[frame] = heading;
    const at = 3 * frame;
    const cosine = Math.cos(heading - first);
    const sine = Math.sin(heading - first);
    points[at] = way[at] + cosine * offset[0] - sine * offset[1];
    points[at + 1] = way[at + 1] + sine * offset[0] + cosine * offset[1];
    points[at + 2] = way[at + 2] + offset[2];
  }
  if (isStanding(points, size)) return makeStanding(vehicle, headings[0]);
  smoothHeight(points, time);
  const find = (now) => {
    const { index, share } = findFrame(time, now);
    const next = Math.min(index + 1, frames - 1);
    const mix = (array, width, k) => array[width * index + k] + share * (array[width * next + k] - array[width * index + k]);
    return { point: new Vector3(mix(points, 3, 0), mix(points, 3, 1), mix(points, 3, 2)), heading: mix(headings, 1, 0) };
  };
  return { size, find };
}

/** The angle of a body's x axis about Z, or null where it stands upright. */
function findHeading(quaternion, at) {
  const [x, y, z, w] = quaternion.subarray(at, at + 4);
  const square = x * x + y * y + z * z + w * w;
  const forward = square - 2 * (y * y + z * z);
  const left = 2 * (x * y + z * w);
  return Math.hypot(forward, left) > 0.2 * square ? Math.atan2(left, forward) : null;
}

/** Whether a model stays where it is, as a mechanism does. */
function isStanding(points, size) {
  for (let i = 0; i < points.length; i += 3) {
    if (Math.hypot(points[i] - points[0], points[i + 1] - points[1], points[i + 2] - points[2]) > size) return false;
  }
  return true;
}

/** The middle of all places where the model is during the run. */
function makeStanding(vehicle, heading) {
  const box = vehicle.findBox();
  for (let i = 1; i <= PLACES; i++) {
    vehicle.setPose(vehicle.time[0] + (i / PLACES) * (vehicle.time[vehicle.time.length - 1] - vehicle.time[0]));
    const { low, high } = vehicle.findBox();
    box.low.min(low);
    box.high.max(high);
  }
  vehicle.setPose(vehicle.time[0]);
  const size = box.low.distanceTo(box.high);
  const point = box.low.add(box.high).divideScalar(2);
  return { size, find: () => ({ point: point.clone(), heading }) };
}

/** Replace heights by their mean over a while. */
function smoothHeight(points, time) {
  const frames = time.length;
  const heights = Array.from({ length: frames }, (_, frame) => points[3 * frame + 2]);
  let low = 0;
  let high = 0;
  let sum = 0;
  for (let frame = 0; frame < frames; frame++) {
    while (high < frames && time[high] <= time[frame] + SMOOTH) sum += heights[high++];
    while (time[low] < time[frame] - SMOOTH) sum -= heights[low++];
    points[3 * frame + 2] = sum / (high - low);
  }
}
