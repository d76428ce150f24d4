"""Contacts of a crawler: bushing and valley, wheel and rail, sole and ground, against samplings and closed forms."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.path import Path as Polygon

from grouser.compile.compile import make_layout
from grouser.compile.contact import make_shapes
from grouser.compile.state import copy_state
from grouser.errors import ModelError
from grouser.integrators.solvers import make_integrator
from grouser.kernels.contact.outline_geometry import calc_chain_gap, calc_valley_gap
from grouser.model.builder import ModelBuilder
from grouser.model.contact import Toothed
from grouser.model.valley import calc_outline, calc_valley
from grouser.simulate import prepare, simulate

TEETH = {
    "teeth": 19, "face_angle": math.radians(25.0), "root_radius": 0.28, "tip_radius": 0.335, "round_radius": 0.008,
    "seat_radius": 0.026, "flat_width": 0.012,
}  # fmt: skip
PIN = 0.024


def evaluate(model):
    """The solver of a model, with everything that acts in its initial state."""
    compiled, _ = prepare(model)
    solver = make_integrator(compiled, "explicit", "trapezoidal")
    solver.advance(copy_state(compiled.initial), 0, 1e-4)
    return compiled, solver


def measure(points, u, s):
    return float(np.sqrt(((points - [u, s]) ** 2).sum(axis=1).min()))


def densify(polygon, spacing):
    closed = np.vstack([polygon, polygon[:1]])
    pieces = []
    for a, b in pairwise(closed):
        count = max(int(np.linalg.norm(b - a) / spacing), 1)
        pieces.append(a + np.linspace(0.0, 1.0, count, endpoint=False)[:, None] * (b - a))
    return np.vstack(pieces)


@pytest.mark.parametrize("changes", [{}, {"round_radius": 0.0, "flat_width": 0.0}, {"face_angle": 0.0, "teeth": 16}])
def test_valley_gap_is_the_distance_to_the_outline(changes):
    teeth = Toothed(body="b", group="g", **{**TEETH, **changes})
    builder = ModelBuilder("teeth")
    builder.add_body("b", 1.0, (1.0, 1.0, 1.0))
    builder.add_shape("s", "toothed", "b", group="g", **{**TEETH, **changes})
    model = builder.build()
    table = make_shapes(model, make_layout(model))
    polygon = calc_outline(teeth, pieces=400)
    # lands are arcs: drawn as chords they would lie too deep
    tip, half = calc_valley(teeth).tip, np.pi / teeth.teeth
    start = np.arctan2(tip[1], tip[0])
    angle = np.concatenate([np.linspace(start, 2 * half - start, 200), np.linspace(start - 2 * half, -start, 200)])
    land = teeth.tip_radius * np.column_stack([np.cos(angle), np.sin(angle)])
    inside, kept = Polygon(polygon), np.vstack([densify(polygon, 2e-4), land])
    rng, checked = np.random.default_rng(1), 0
    while checked < 200:
        turn, radius = rng.uniform(-half, half), rng.uniform(0.29, 0.35)
        u, s = radius * np.cos(turn), radius * np.sin(turn)
        over_land = radius > teeth.tip_radius
        if inside.contains_point((u, s)) and not over_land:
            continue
        depth, nu, ns = calc_valley_gap(
            u, s, table.item, int(table.item_stop[0]), teeth.tip_radius, teeth.seat_radius, teeth.round_radius, PIN
        )
        nearest = measure(kept, u, s)
        if nearest > PIN:
            assert depth <= 1e-4
            continue
        assert depth == pytest.approx(PIN - nearest, abs=2e-4)
        assert np.hypot(nu, ns) == pytest.approx(1.0)
        checked += 1


def test_depth_and_normal_of_the_valley_are_continuous():
    builder = ModelBuilder("teeth")
    builder.add_body("b", 1.0, (1.0, 1.0, 1.0))
    builder.add_shape("s", "toothed", "b", group="g", **TEETH)
    model = builder.build()
    table = make_shapes(model, make_layout(model))
    turn = np.linspace(-np.pi / 19, np.pi / 19, 20_001)
    found = np.array(
        [
            calc_valley_gap(r * np.cos(a), r * np.sin(a), table.item, int(table.item_stop[0]), 0.335, 0.026, 0.008, PIN)
            for a in turn
            for r in (0.305,)
        ]
    )
    # as far as the middle of the bushing is outside of the teeth
    is_outside = found[:, 0] < PIN
    steps = np.abs(np.diff(found, axis=0))[is_outside[1:] & is_outside[:-1]]
    assert steps[:, 0].max() < 1e-4
    assert np.sort(steps[:, 1:].max(axis=1))[-1] < 0.01


def test_a_convex_chain_touches_with_one_piece_at_a_time():
    corners = np.array([[-0.1, 0.0, -0.02], [-0.06, 0.0, 0.0], [0.05, 0.0, 0.0], [0.1, 0.0, -0.03]])
    points = densify(corners[:, [0, 2]], 1e-5)
    closing = len(points) - int(np.linalg.norm(corners[-1] - corners[0]) / 1e-5)
    rng, radius = np.random.default_rng(2), 0.08
    for _ in range(300):
        cx, cz = rng.uniform(-0.14, 0.14), rng.uniform(0.01, 0.1)
        depths = [calc_chain_gap(cx, cz, radius, corners, 0, 3, k)[0] for k in range(3)]
        assert sum(d > 0 for d in depths) <= 1
        nearest = measure(points[:closing], cx, cz)
        assert max(*depths, 0.0) == pytest.approx(max(radius - nearest, 0.0), abs=2e-5)


def test_a_hollow_chain_touches_with_both_segments():
    corners = np.array([[-0.1, 0.0, 0.05], [0.0, 0.0, 0.0], [0.1, 0.0, 0.05]])
    depths = [calc_chain_gap(0.0, 0.05, 0.05, corners, 0, 2, k) for k in range(2)]
    assert depths[0][0] == pytest.approx(0.05 * (1 - np.cos(np.arctan(0.5))))
    assert depths[1][0] == pytest.approx(depths[0][0])
    assert depths[1][1] == pytest.approx(-depths[0][1])


def test_a_wheel_rests_on_the_rail_of_a_link():
    builder = ModelBuilder("rail")
    builder.add_body("wheel", 50.0, (0.5, 1.0, 0.5), position=(0.01, 0.0, 0.2 - 1e-4))
    builder.add_body("link", 20.0, (0.2, 0.3, 0.4))
    builder.add_shape("rim", "wheel", "wheel", group="rims", radius=0.2)
    builder.add_shape("top", "rail", "link", group="rails", points=[(-0.1, -0.02), (-0.05, 0.0), (0.1, 0.0)], width=0.1)
    builder.add_contact("roll", "rims", "rails", stiffness=1e6)
    compiled, solver = evaluate(builder.build())
    wheel, link = (compiled.layout.find_body(name) for name in ("wheel", "link"))
    assert solver.work.f[wheel] == pytest.approx([0.0, 0.0, 100.0])
    assert solver.work.f[link] == pytest.approx([0.0, 0.0, -100.0])
    assert solver.work.torque[link] == pytest.approx([0.0, 0.01 * 100.0, 0.0])


def make_sole(tilt, depth, terrain, cells=1, friction=None):
    """A strip of 0.4 m, its middle `depth` below the ground, turned about Y."""
    builder = ModelBuilder("sole")
    builder.add_body(
        "shoe",
        10.0,
        (1.0, 1.0, 1.0),
        position=(0.0, 0.0, -depth),
        orientation=(np.cos(tilt / 2), 0, np.sin(tilt / 2), 0),
    )
    builder.add_shape("sole", "strip", "shoe", group="soles", start=(-0.2, 0.0, 0.0), end=(0.2, 0.0, 0.0), cells=cells)
    builder.add_contact("ground", "soles", "terrain", stiffness=1e6, damping=1e3, per="length", friction=friction)
    builder.set_terrain(terrain)
    return builder.build()


@pytest.mark.parametrize("cells", [1, 3, 8])
@pytest.mark.parametrize("depth", [0.05, 0.0, -0.01])
def test_a_tilted_sole_is_pressed_as_a_winkler_foundation(cells, depth):
    """Pressure k d over the part below ground, d linear: force k w L/2, moment about the middle by the triangle."""
    tilt = 0.1
    _, solver = evaluate(make_sole(tilt, depth, {"type": "plane"}, cells))
    s = np.linspace(-0.2, 0.2, 400_001)
    d = np.maximum(depth + s * np.sin(tilt), 0.0)
    force = 1e6 * np.trapezoid(d, s)
    moment = -1e6 * np.trapezoid(d * s * np.cos(tilt), s)
    assert solver.work.f[1] == pytest.approx([0.0, 0.0, force], rel=1e-6)
    assert solver.work.torque[1] == pytest.approx([0.0, moment, 0.0], rel=1e-6)


def test_a_sole_on_a_curved_profile():
    x = np.linspace(-1.0, 1.0, 401)
    points = list(zip(x.tolist(), (0.02 - 0.5 * x**2).tolist(), strict=True))
    _, solver = evaluate(make_sole(0.0, 0.0, {"type": "profile", "points": points}, cells=40))
    s = np.linspace(-0.2, 0.2, 100_001)
    height = np.interp(s, *np.array(points).T)
    slope = np.gradient(height, s)
    d = np.maximum(height, 0.0) / (1 + slope**2)  # depth h n_z, and its part along Z
    assert solver.work.f[1, 2] == pytest.approx(1e6 * np.trapezoid(d, s), rel=5e-3)


def test_a_sole_holds_on_a_slope_by_its_tangential_springs():
    """Anchors per length: k_t times the length carries the share of the weight along the slope."""
    slope, k_t = 0.3, 5e5
    normal = np.array([np.sin(slope), 0.0, np.cos(slope)])
    friction = {"model": "asperity", "mu": 0.6, "stiffness": k_t, "velocity": 0.01}
    rest = 10 * 9.81 * np.cos(slope) / (0.4 * 1e6)
    model = make_sole(slope, rest / np.cos(slope), {"type": "plane", "normal": tuple(normal)}, friction=friction)
    result = simulate(model, duration=2.0, output_interval=0.1)
    along = np.array([np.cos(slope), 0.0, -np.sin(slope)])
    moved = (result["shoe.position"][-1] - result["shoe.position"][0]) @ along
    assert moved == pytest.approx(10 * 9.81 * np.sin(slope) / (0.4 * k_t), rel=0.05)
    assert np.linalg.norm(result["shoe.velocity"][-1]) < 1e-4


def make_seated_bushing(shared):
    builder = ModelBuilder("bushing", gravity=(0.0, 0.0, 0.0))
    builder.add_body("hub", 100.0, (5.0, 5.0, 5.0))
    place = (0.28 + PIN - 1e-4, 0.0, 0.0)
    builder.add_body("left", 10.0, (0.1, 0.1, 0.1), position=(place[0], 0.0, 0.1))
    builder.add_body("right", 10.0, (0.1, 0.1, 0.1), position=(place[0], 0.0, -0.1))
    builder.add_shape("teeth", "toothed", "hub", group="teeth", **TEETH)
    builder.add_shape(
        "bushing", "pin", "left", group="bushings", positions=[(0.0, 0.0, -0.1)], radius=PIN,
        shared="right" if shared else None,
    )  # fmt: skip
    builder.add_contact("drive", "teeth", "bushings", stiffness=1e7, damping=1e3, depth_limit=0.01)
    return builder.build()


def test_a_force_at_a_pin_is_split_between_its_two_links():
    compiled, alone = evaluate(make_seated_bushing(False))
    _, shared = evaluate(make_seated_bushing(True))
    hub, left, right = (compiled.layout.find_body(name) for name in ("hub", "left", "right"))
    assert alone.work.f[left] == pytest.approx([1000.0, 0.0, 0.0])
    assert alone.work.f[right] == pytest.approx([0.0, 0.0, 0.0])
    for link in (left, right):
        assert shared.work.f[link] == pytest.approx([500.0, 0.0, 0.0])
    assert shared.work.f[hub] == pytest.approx([-1000.0, 0.0, 0.0])


def test_what_is_deeper_than_the_limit_is_on_the_other_side():
    model = make_seated_bushing(False)
    deep = {"position": (0.28 + PIN - 0.011, 0.0, 0.1)}
    bodies = {**model.bodies, "left": {**dict(model.bodies["left"]), **deep}}
    _, solver = evaluate(model.with_changes(bodies=bodies))
    assert np.abs(solver.work.f).max() == 0.0


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ({"type": "toothed", **TEETH, "teeth": 40}, "shapes.one.teeth: is 40, but a valley takes"),
        ({"type": "toothed", **TEETH, "reference": (0.0, 1.0, 0.0)}, "is not normal to the axis"),
        ({"type": "rail", "points": [(0.0, 0.0), (0.0, 0.0)], "width": 0.1}, "each segment needs a length"),
        ({"type": "strip", "start": (0, 0, 0), "end": (0, 0, 0)}, "a strip needs a length"),
        ({"type": "pin", "positions": [(0, 0, 0)], "radius": 0.01, "shared": "body"}, "is 'body' itself"),
        ({"type": "pin", "positions": [(0, 0, 0)], "radius": 0.01, "shared": "bodi"}, "unknown body 'bodi'"),
    ],
)
def test_impossible_shapes(shape, words):
    builder = ModelBuilder("faulty")
    builder.add_body("body", 1.0, (1.0, 1.0, 1.0))
    kind = shape.pop("type")
    builder.add_shape("one", kind, "body", group="ones", **shape)
    with pytest.raises(ModelError) as error:
        builder.build()
    assert words in str(error.value)


def test_contacts_that_do_not_fit_their_shapes():
    builder = ModelBuilder("faulty")
    builder.add_body("body", 1.0, (1.0, 1.0, 1.0))
    builder.add_body("other", 1.0, (1.0, 1.0, 1.0))
    builder.add_shape("sole", "strip", "body", group="soles", start=(0, 0, 0), end=(1, 0, 0))
    builder.add_shape("teeth", "toothed", "body", group="teeth", **TEETH)
    builder.add_shape("bushing", "pin", "other", group="pins", positions=[(0, 0, 0)], radius=0.03)
    builder.add_contact("ground", "soles", "terrain", stiffness=1e5)
    builder.add_contact("drive", "teeth", "pins", stiffness=1e5)
    builder.set_terrain({"type": "plane"})
    with pytest.raises(ModelError) as error:
        builder.build()
    assert "contacts.ground.per: is 'contact'; strips, and they alone" in str(error.value)
    assert "contacts.drive: pins of radius 0.03 m do not fit into seats of radius 0.026 m" in str(error.value)
