// Light, reckoned at the corners of the triangles: a processor without a graphics card has to draw them as well.

import { Vector3 } from "three";

export const SUN = new Vector3(0.42, -0.5, 0.76).normalize();

/** Lines of GLSL: `light(normal)` is the light on a face, `screen(colour)` a colour as a screen shows it. */
export const LIGHT = `
const vec3 SUN = vec3(${SUN.toArray().map((part) => part.toFixed(5)).join(", ")});
vec3 light(vec3 normal) {
  vec3 sky = mix(vec3(0.36, 0.34, 0.32), vec3(0.70, 0.73, 0.78), 0.5 + 0.5 * normal.z);
  return sky + max(0.0, dot(normal, SUN)) * vec3(0.66, 0.62, 0.56);
}
vec3 screen(vec3 colour) {
  return pow(min(colour, vec3(1.0)), vec3(1.0 / 2.2));
}
`;
