"""A small model with one of everything, as text, so that a test can spoil one line of it."""

from __future__ import annotations

import pytest

WHOLE = """\
grouser: 1
kind: model
name: rig
gravity: [0, 0, -9.81]
main_body: chassis
bodies:
  chassis: {mass: 100, inertia: [10, 20, 25], position: [0, 0, 1]}
  arm: {mass: 5, inertia: [0.1, 0.2, 0.2, 0.01, 0, 0], orientation: [1, 0, 0.1, 0]}
  sprocket: {mass: 20, inertia: [0.6, 0.9, 0.6]}
  idler: {mass: 20, inertia: [0.6, 0.9, 0.6]}
  left.link1: {mass: 8, inertia: [0.1, 0.1, 0.1]}
  left.link2: {mass: 8, inertia: [0.1, 0.1, 0.1]}
  left.link3: {mass: 8, inertia: [0.1, 0.1, 0.1]}
joints:
  hinge: {type: revolute, frame_a: {body: chassis}, frame_b: {body: arm, position: [0, 0, 0.5]}}
  slide: {type: prismatic, frame_a: {body: chassis}, frame_b: {body: idler}}
  axle: {type: revolute, frame_a: {body: chassis}, frame_b: {body: sprocket}}
  left.pin1: {type: revolute, group: pins, frame_a: {body: left.link1}, frame_b: {body: left.link2}}
  left.pin2: {type: revolute, group: pins, frame_a: {body: left.link2}, frame_b: {body: left.link3}}
  left.pin3: {type: revolute, group: pins, frame_a: {body: left.link3}, frame_b: {body: left.link1}}
forces:
  shock:
    type: spring
    frame_a: {body: chassis}
    frame_b: {body: arm}
    stiffness: 2.0e+4
    damping: [[-1, -500], [0, 0], [1, 900]]
    stops: {lower: -0.1, upper: 0.2, stiffness: 1.0e+6}
  bar: {type: joint_spring, joint: hinge, coordinate: rotation, stiffness: 3000, friction: 2}
  mount:
    type: bushing
    frame_a: {body: chassis}
    frame_b: {body: idler}
    stiffness: [1.0e+6, 1.0e+6, 1.0e+6, 1000, 1000, 0]
  push: {type: applied, frame: {body: chassis}, force: ["100*sin(t)", 0, [[0, 0], [1, 5]]]}
  motor: {type: actuator, joint: axle, coordinate: rotation, control: speed, target: 10*t, p: 50}
motions:
  feed: {joint: slide, coordinate: translation, quantity: position, value: "step(t, 0, 0, 1, 0.02)"}
shapes:
  pad: {type: points, body: left.link1, group: pads, positions: [[0.1, 0, 0], [-0.1, 0, 0]]}
  plate: {type: plate, body: left.link1, group: plates, length: 0.1, width: 0.2}
  pin: {type: pin, body: left.link1, group: track_pins, positions: [[0, 0.1, 0]], radius: 0.015}
  horn: {type: horn, body: left.link1, group: horns, position: [0, 0, 0.05], half_width: 0.01}
  roller: {type: wheel, body: idler, group: rollers, radius: 0.3, planes: [-0.1, 0.1], groove: 0.03}
  gear:
    type: sprocket
    body: sprocket
    group: gears
    teeth: 10
    arc_radius: 0.089
    arc_centre_radius: 0.3
    addendum_radius: 0.2605
    groove: 0.03
contacts:
  ground: {a: pads, b: terrain, stiffness: 1.0e+6, per: area, friction: {mu: 0.8}}
  rolling: {a: rollers, b: plates, stiffness: 2.0e+6}
  driving: {a: gears, b: track_pins, stiffness: 2.0e+6}
  guiding: {a: horns, b: rollers, stiffness: 1.0e+5}
terrain: {type: profile, points: [[0, 0], [5, 0], [6, 0.3]]}
sensors:
  seat: {frame: {body: chassis, position: [1, 0, 0]}, quantity: acceleration, axes: body}
tracks:
  left:
    links: [left.link1, left.link2, left.link3]
    pins: [left.pin1, left.pin2, left.pin3]
    sprocket: sprocket
    idler: idler
    wheels: [arm]
    drive: motor
    pitch: 0.15
    teeth: 10
"""


@pytest.fixture
def whole() -> str:
    """Text of a faultless model."""
    return WHOLE
