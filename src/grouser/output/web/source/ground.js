// The terrain. It fades out towards its edge, so that the eye stays with the vehicle, and is darker below it.

import { Color, Mesh, ShaderMaterial, Vector2 } from "three";

import { LIGHT } from "./light.js";
import { makeGeometry } from "./vehicle.js";

const EDGE = 0.16; // width of the edge of the shadow, as a share of the model's size

// what can be told at the corners is: the edge of the ground is far wider than its tiles
const VERTEX = `
attribute vec3 color;
uniform float brightness;
uniform vec2 low;
uniform vec2 high;
uniform float fade;
uniform vec2 middle;
uniform vec2 along;
varying vec3 shade;
varying float share;
varying vec2 own;
${LIGHT}
void main() {
  vec3 grey = vec3(dot(color, vec3(0.3, 0.5, 0.2)));
  shade = screen(mix(grey, color, 0.45) * light(normal) * brightness);
  vec2 inside = smoothstep(0.0, fade, min(position.xy - low, high - position.xy));
  share = inside.x * inside.y;
  vec2 offset = position.xy - middle;
  own = vec2(dot(offset, along), offset.x * along.y - offset.y * along.x);
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
}`;
// the shadow of the sky is soft at the edge of the box around the vehicle; opaque, since mixing colours costs more
const FRAGMENT = `
uniform vec2 footprint;
uniform float blur;
uniform vec3 sky;
varying vec3 shade;
varying float share;
varying vec2 own;
void main() {
  vec2 dark = clamp(footprint - abs(own) * blur, 0.0, 1.0);
  gl_FragColor = vec4(mix(sky, shade * (1.0 - 0.45 * dark.x * dark.y), share), 1.0);
}`;

export class Ground {
  /** The ground of a terrain mesh; `size` is that of the model, `box` half its length, width and height [m]. */
  constructor(mesh, read, size, box) {
    const geometry = makeGeometry(mesh, read);
    geometry.computeBoundingBox();
    const { min, max } = geometry.boundingBox;
    this.uniforms = {
      low: { value: new Vector2(min.x, min.y) },
      high: { value: new Vector2(max.x, max.y) },
      fade: { value: 0.75 * size },
      middle: { value: new Vector2() },
      along: { value: new Vector2(1, 0) },
      // in the shader both are divided by the width of the edge
      footprint: { value: new Vector2(box.x, box.y).divideScalar(EDGE * size) },
      blur: { value: 1 / (EDGE * size) },
      brightness: { value: 1 },
      sky: { value: new Color() },
    };
    const material = new ShaderMaterial({
      uniforms: this.uniforms,
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
    });
    this.mesh = new Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 1; // behind the bodies, where nothing has to be drawn any more
  }

  /** Put the shadow below a point, along a heading. */
  follow(point, heading) {
    this.uniforms.middle.value.set(point.x, point.y);
    this.uniforms.along.value.set(Math.cos(heading), Math.sin(heading));
  }

  /** Fade into the colour of the sky, as a screen shows it; darker on a dark page. */
  setTheme(sky, isDark) {
    this.uniforms.sky.value.copyLinearToSRGB(sky);
    this.uniforms.brightness.value = isDark ? 0.28 : 1.35;
  }
}
