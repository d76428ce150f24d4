"""A slider-crank with a flexible rod, of each kind of element, against an independent model of its bending.

The rod, of length L, mass m, and stiffness EI, is hinged at the crank pin A and at the slider B. Its deflection from
the line AB, w = sum q_n sin(n pi s/L), follows from its inertia: with the acceleration a(s) of the points of that line,
e along and n across it, the angle b of the line, and the tension P(s) that inertia and the slider give,

    m/2 (q_n'' - b'^2 q_n) + EI (n pi/L)^4 L/2 q_n + sum_k q_k int P w_n' w_k' ds = -m/L int a.n w_n ds       (1)
    dP/ds = m/L a.e,   P(L) = -(force of the rod on the slider).e
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import grouser as gr
from grouser.presets import find_preset

CRANK, ROD, SPEED = 0.15, 0.3, 100.0
"""Radius of the crank and length of the rod [m], speed of the crank [rad/s]."""
SIDE, YOUNG, DENSITY, SLIDER = 0.006, 7e10, 2700.0, 0.02
"""Side of the rod's section [m], its modulus [Pa] and density [kg/m^3], mass of the slider [kg]."""
DURATION = 0.06
MODES = 3
MATERIAL = {"type": "linear", "young": YOUNG, "poisson": 0.0, "density": DENSITY}


def add_rod(builder, kind):
    """The rod along x, with the velocity that the crank gives it at the start."""
    motion = {
        "position": (CRANK, 0.0, 0.0),
        "velocity": (0.0, CRANK * SPEED, 0.0),
        "angular_velocity": (0.0, 0.0, -CRANK * SPEED / ROD),
        "material": MATERIAL,
    }
    if kind == "brick":
        half = 0.5 * SIDE
        builder.add_mesh(
            "rod", "block", sides=(ROD, SIDE, SIDE), origin=(0.0, -half, -half), counts=(12, 1, 1), **motion
        )
        return "revolute"
    builder.add_mesh(
        "rod",
        "line",
        element=kind,
        start=(0.0, 0.0, 0.0),
        end=(ROD, 0.0, 0.0),
        count=12 if kind == "beam_thick" else 24,
        section={"rectangle": (SIDE, SIDE)},
        **motion,
    )
    return "revolute" if kind == "beam_thick" else "spherical"


def make_model(kind):
    builder = gr.ModelBuilder("slider-crank", gravity=(0.0, 0.0, 0.0))
    # heavy, so that the drive holds its speed
    builder.add_body("crank", 500.0, (5.0, 5.0, 5.0), angular_velocity=(0.0, 0.0, SPEED))
    builder.add_body("slider", SLIDER, (1e-5, 1e-5, 1e-5), position=(CRANK + ROD, 0.0, 0.0))
    joint = add_rod(builder, kind)
    z = (0.0, 0.0, 1.0)
    builder.add_joint("main", "revolute", "world", "crank", axis=z)
    builder.add_joint("a", joint, "crank", "rod", point=(CRANK, 0.0, 0.0), axis=z)
    builder.add_joint("b", joint, "slider", "rod", point=(CRANK + ROD, 0.0, 0.0), axis=z)
    builder.add_joint("guide", "prismatic", "world", "slider", axis=(1.0, 0.0, 0.0))
    builder.add_motion("drive", "main", speed=SPEED)
    for name, place in (("start", 0.0), ("middle", 0.5), ("end", 1.0)):
        builder.add_sensor(name, "rod", "position", point=(CRANK + place * ROD, 0.0, 0.0))
    return builder.build()


def calc_reference(times):
    """Deflection of the middle by (1)."""
    mass, stiffness = DENSITY * SIDE**2 * ROD, YOUNG * SIDE**4 / 12.0
    s, weights = np.polynomial.legendre.leggauss(24)
    s, weights = 0.5 * ROD * (s + 1.0), 0.5 * ROD * weights
    k = np.arange(1, MODES + 1)[:, None] * np.pi / ROD
    shape, slope = np.sin(k * s), k * np.cos(k * s)

    def calc_rates(t, y):
        turn = SPEED * t
        sine = -CRANK / ROD * np.sin(turn)
        cosine = np.sqrt(1.0 - sine**2)
        spin = -CRANK / ROD * SPEED * np.cos(turn) / cosine
        spin_rate = (CRANK / ROD * SPEED**2 * np.sin(turn) + spin**2 * sine) / cosine
        along, across = np.array([cosine, sine]), np.array([-sine, cosine])
        pin = -CRANK * SPEED**2 * np.array([np.cos(turn), np.sin(turn)])
        inertia_along = mass / ROD * (pin @ along - spin**2 * s)
        inertia_across = mass / ROD * (pin @ across + spin_rate * s)
        slider = (pin + ROD * (spin_rate * across - spin**2 * along))[0]
        # of the rod on the slider: across it by the moments about A, along the guide by the slider's inertia
        push_across = -(weights @ (s * inertia_across)) / ROD
        push_along = (SLIDER * slider + push_across * sine) / cosine
        tension = -push_along - np.array([weights @ (inertia_along * (s > at)) for at in s])
        geometric = (slope * tension * weights) @ slope.T
        stiff = np.diag(stiffness * k[:, 0] ** 4 * 0.5 * ROD) + geometric - np.eye(MODES) * 0.5 * mass * spin**2
        load = -(shape * weights) @ inertia_across
        return np.concatenate([y[MODES:], 2.0 / mass * (load - stiff @ y[:MODES])])

    found = solve_ivp(calc_rates, (0.0, times[-1]), np.zeros(2 * MODES), t_eval=times, rtol=1e-8, atol=1e-12)
    return np.sin(k[:, 0] * 0.5 * ROD) @ found.y[:MODES]


@pytest.mark.parametrize(
    ("kind", "way"),
    [
        ("brick", ("penalty", "trapezoidal")),
        ("brick", ("implicit", "sdirk")),
        ("beam_thick", ("penalty", "leapfrog")),
        ("beam_thin", ("penalty", "trapezoidal")),
    ],
    ids=lambda value: value if isinstance(value, str) else value[1],
)
def test_a_flexible_rod_bends_as_its_modes_do(kind, way):
    result = gr.simulate(
        make_model(kind), preset=find_preset(way[0]).with_integrator(way[1]), duration=DURATION, output_interval=1e-3
    )
    start, middle, end = (result[f"{name}.value"] for name in ("start", "middle", "end"))
    along = (end - start) / np.linalg.norm(end - start, axis=1, keepdims=True)
    across = np.column_stack([-along[:, 1], along[:, 0], np.zeros(len(along))])
    bent = ((middle - 0.5 * (start + end)) * across).sum(axis=1)
    expected = calc_reference(result.time)
    scale = np.abs(expected).max()
    assert scale > 0.002 * ROD
    assert np.abs(bent - expected).max() < 0.03 * scale
    assert np.abs(middle[:, 2]).max() < 1e-9
    assert result.summary["energy_residual"] < 2e-3
