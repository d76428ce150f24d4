"""A four-bar linkage held together by penalty joints: a closed loop without multipliers.

Four revolute joints hold three moving bars. In space that is more than they need (the loop is redundant); joints by
forces do not mind. A motion turns the crank at a constant speed; the angle of the rocker is compared with the closed
form, and the opening of the joints shows what the penalty costs.

Run with:  python examples/four_bar_by_penalty.py
"""

from __future__ import annotations

import math

import numpy as np

import grouser as gr

GROUND, CRANK, COUPLER, ROCKER = 1.0, 0.3, 0.9, 0.6
SPEED = 4.0
"""Speed of the crank [rad/s]."""


def calc_rocker_angle(crank: np.ndarray) -> np.ndarray:
    """Angle of the rocker from x towards z for the angle of the crank, both measured at the ground joints [rad]."""
    x, z = CRANK * np.cos(crank) - GROUND, CRANK * np.sin(crank)
    distance = np.hypot(x, z)
    cosine = (distance**2 + ROCKER**2 - COUPLER**2) / (2.0 * distance * ROCKER)
    return np.arctan2(z, x) - np.arccos(cosine)


def make_linkage() -> gr.Model:
    """Bars in the x-z plane; the crank starts along x."""
    rocker = float(calc_rocker_angle(np.array([0.0]))[0])
    points = {
        "o": np.zeros(3),
        "a": np.array([CRANK, 0.0, 0.0]),
        "b": np.array([GROUND + ROCKER * math.cos(rocker), 0.0, ROCKER * math.sin(rocker)]),
        "c": np.array([GROUND, 0.0, 0.0]),
    }
    builder = gr.ModelBuilder("four-bar")
    for name, start, end in (("crank", "o", "a"), ("coupler", "a", "b"), ("rocker", "c", "b")):
        along = points[end] - points[start]
        length, angle = float(np.linalg.norm(along)), math.atan2(along[2], along[0])
        mass = 5.0 * length
        moment = mass * length**2 / 12.0
        builder.add_body(
            name,
            mass,
            (1e-2, moment, moment),
            position=0.5 * (points[start] + points[end]),
            # x along the bar; the angle is counted from x towards z, which is about -y
            orientation=(math.cos(angle / 2), 0.0, -math.sin(angle / 2), 0.0),
        )
    y = (0, 1, 0)
    builder.add_joint("joint_o", "revolute", "world", "crank", point=points["o"], axis=y)
    builder.add_joint("joint_a", "revolute", "crank", "coupler", point=points["a"], axis=y)
    builder.add_joint("joint_b", "revolute", "coupler", "rocker", point=points["b"], axis=y)
    builder.add_joint("joint_c", "revolute", "world", "rocker", point=points["c"], axis=y)
    # a positive rotation about +y turns from z towards x
    builder.add_motion("drive", "joint_o", speed=[(0.0, 0.0), (0.5, -SPEED)])
    return builder.build()


def main() -> None:
    """Simulate two seconds and compare the rocker with the closed form."""
    result = gr.simulate(make_linkage(), duration=2.0)
    crank = np.unwrap(-result["joint_o.coordinate"][:, 1])
    place = result["rocker.position"]
    rocker = np.arctan2(place[:, 2], place[:, 0] - GROUND)
    error = np.abs(np.angle(np.exp(1j * (rocker - calc_rocker_angle(crank))))).max()
    opening = max(result[f"joint_{name}.deformation"].max() for name in "oabc")
    print(f"crank turned by {crank[-1]:.3f} rad; rocker off by {error:.1e} rad; joints open by {opening:.1e} m")
    assert abs(crank[-1] - SPEED * 1.75) < 1e-3, crank[-1]
    assert error < 1e-4, error
    assert opening < 1e-5, opening


if __name__ == "__main__":
    main()
