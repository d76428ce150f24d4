"""Blocks of stiffness and damping of every force element, against differences of its forces.

The blocks are K = g k g^T and C = g c g^T. Damping forces are linear in the velocities (or nearly), so C is the exact
derivative at any state. K is the exact derivative where the force vanishes; where it does not, the change of g is left
out, and k is compared along the coordinate of the element.
"""

from dataclasses import replace

import numpy as np
import pytest
from block_case import BlockCase

from grouser.compile.realization import Penalty
from grouser.integrators.solvers import make_integrator
from grouser.model.builder import ModelBuilder
from grouser.model.rotation import make_axis_frame
from grouser.presets import find_preset
from grouser.simulate import simulate

NEAR = 1e-6
"""Relative error of central differences with the steps used here."""
JOINTS = ("fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "distance")
PENALTY = find_preset("penalty").with_realization("*", Penalty(k=2e4, c=50.0, arm=0.1))
FULL = np.diag([900.0, 800.0, 700.0, 60.0, 50.0, 40.0])
for row, column, coupling in ((0, 1, 20.0), (1, 2, 10.0), (0, 3, 5.0), (1, 4, 4.0), (4, 5, 3.0), (2, 5, 2.0)):
    FULL[row, column] = FULL[column, row] = coupling


def make_pair(seed=0):
    """Two bodies in odd attitudes."""
    rng = np.random.default_rng(seed)
    builder = ModelBuilder("pair", gravity=(0.0, 0.0, 0.0))
    for name, x in (("one", 0.0), ("two", 0.4)):
        quaternion = rng.standard_normal(4)
        builder.add_body(
            name,
            rng.uniform(1, 3),
            rng.uniform(0.8, 1.2, 3),
            com=rng.uniform(-0.05, 0.05, 3),
            position=(x, *rng.uniform(-0.1, 0.1, 2)),
            orientation=quaternion / np.linalg.norm(quaternion),
        )
    return builder


def add_joint(builder, kind, body_a="one"):
    if kind == "distance":
        builder.add_distance("link", body_a, "two", point_a=(0.05, 0.1, 0.0), point_b=(0.3, 0.0, 0.1))
        return
    builder.add_joint("link", kind, body_a, "two", point=(0.2, 0.0, 0.0), axis=(0.3, 1.0, 0.2))


def make_joint_case(kind, body_a="one", coupled=True):
    builder = make_pair()
    if kind == "full bushing":
        point, axis = (0.2, 0.0, 0.0), (0.3, 1.0, 0.2)
        rows = {"stiffness": FULL.tolist(), "damping": (0.02 * FULL).tolist()}
        builder.add_bushing("link", body_a, "two", point=point, axis=axis, **rows)
    else:
        add_joint(builder, kind, body_a)
    return BlockCase(builder.build(), PENALTY, coupled)


def set_odd_state(case, size=0.05):
    """Deformed and moving."""
    rng = np.random.default_rng(5)
    case.displace(rng.uniform(-size, size, 6 * case.count))
    case.set_velocity(rng.uniform(-1.0, 1.0, 6 * case.count))


def assert_same(found, expected, tolerance=NEAR):
    assert np.abs(expected).max() > 0.0
    assert found == pytest.approx(expected, abs=tolerance * np.abs(expected).max())


@pytest.mark.parametrize("kind", [*JOINTS, "full bushing"])
def test_stiffness_of_deformed_connections_has_the_gradients_of_their_damping(kind):
    """Here k is the same multiple of c in all rows. That C is exact, `tests/families/test_common.py` knows."""
    case = make_joint_case(kind)
    set_odd_state(case)
    stiffness, damping = case.calc_slopes()
    assert_same(stiffness, (50.0 if kind == "full bushing" else 400.0) * damping)


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "full bushing"])
def test_connections_with_the_world_and_without_coupling_add_to_their_own_blocks_only(kind):
    free = make_joint_case(kind)
    set_odd_state(free)
    expected = free.calc_matrix(0.3)
    alone = make_joint_case(kind, coupled=False)
    set_odd_state(alone)
    expected[:6, 6:] = expected[6:, :6] = 0.0
    assert_same(alone.calc_matrix(0.3), expected)
    grounded = make_joint_case(kind, body_a="world")
    stiffness, _ = grounded.calc_slopes()
    assert_same(stiffness, -grounded.difference(grounded.calc_force, 1e-6, of_velocity=False))
    assert not stiffness[:6].any()


CURVE = [(-0.1, -40.0), (0.0, 0.0), (0.05, 10.0), (0.2, 100.0)]
STOPS = {"lower": -0.02, "upper": 0.03, "stiffness": 3e3, "damping": 20.0}
SPRINGS = {
    "linear": {"stiffness": 500.0, "damping": 8.0, "preload": 3.0},
    "curve": {"stiffness": CURVE, "damping": [(-2.0, -30.0), (0.0, 0.0), (1.0, 5.0)]},
    "friction": {"stiffness": 100.0, "friction": 5.0, "friction_velocity": 0.7},
    "stops": {"stiffness": 50.0, "stops": STOPS},
}
ACTUATORS = {
    "position": {"control": "position", "target": 0.3, "p": 200.0, "i": 30.0, "d": 5.0},
    "speed": {"control": "speed", "target": 0.3, "p": 200.0, "d": 5.0},
    "force": {"control": "force", "target": 7.0},
    "saturated": {"control": "position", "target": 0.3, "p": 200.0, "d": 5.0, "limit": 1e-3},
}
MOTIONS = {"position": {"position": 0.2}, "speed": {"speed": 0.4}}
SCALARS = [
    *(("distance", name, SPRINGS[name]) for name in SPRINGS),
    *((coordinate, name, SPRINGS[name]) for coordinate in ("translation", "rotation") for name in SPRINGS),
    *((coordinate, name, ACTUATORS[name]) for coordinate in ("translation", "rotation") for name in ACTUATORS),
    *((coordinate, name, MOTIONS[name]) for coordinate in ("translation", "rotation") for name in MOTIONS),
]


def make_scalar_case(coordinate, fields):
    builder = make_pair()
    if coordinate == "distance":
        builder.add_spring("law", "one", "two", point_a=(0.1, 0, 0), point_b=(0.3, 0.1, 0), **fields)
        return BlockCase(builder.build())
    add_joint(builder, "free")
    if "control" in fields:
        builder.add_actuator("law", "link", coordinate, **fields)
    elif fields in MOTIONS.values():
        builder.add_motion("law", "link", coordinate, **fields)
    else:
        builder.add_joint_spring("law", "link", coordinate, **fields)
    return BlockCase(builder.build())


def read(case, column):
    """Force, coordinate, rate or target of the first scalar element."""
    case.calc_matrix(1.0)
    return case.work.scalar_value[0, column]


def assert_rank_one(found, push, g):
    """`found` is k g g^T with k = -d(force)/d(coordinate), from the derivatives of both."""
    slope = -(push @ g) / (g @ g)
    assert push == pytest.approx(-slope * g, abs=1e-5 * (1.0 + abs(slope)))
    assert found == pytest.approx(slope * np.outer(g, g), abs=1e-5 * (1.0 + abs(slope)))


@pytest.mark.parametrize("reach", [-0.3, -0.04, 0.02, 0.1, 0.4])
@pytest.mark.parametrize(("coordinate", "name", "fields"), SCALARS, ids=[f"{c} {n}" for c, n, _ in SCALARS])
def test_loaded_scalar_elements_have_the_slopes_of_their_law(coordinate, name, fields, reach):
    """Everything by differences: k = -df/dq, c = -df/d(dq), g = dq/d(displacement) = d(dq)/du."""
    case = make_scalar_case(coordinate, fields)
    g = case.difference(lambda: read(case, 1), 1e-6, of_velocity=False)
    case.displace(reach * g / (g @ g))
    stiffness, _ = case.calc_slopes()
    g = case.difference(lambda: read(case, 1), 1e-6, of_velocity=False)
    assert_rank_one(stiffness, case.difference(lambda: read(case, 0), 1e-6, of_velocity=False), g)
    for speed in (0.5, -0.5):
        case.set_velocity(speed * g)
        _, damping = case.calc_slopes()
        assert case.difference(lambda: read(case, 2), 1e-6, of_velocity=True) == pytest.approx(g, abs=1e-6)
        assert_rank_one(damping, case.difference(lambda: read(case, 0), 1e-6, of_velocity=True), g)


@pytest.mark.parametrize("coordinate", ["distance", "translation", "rotation"])
def test_relaxed_scalar_elements_have_the_exact_stiffness(coordinate):
    """The curve begins where the spring is relaxed: its slope holds there too."""
    case = make_scalar_case(coordinate, {"stiffness": [(0.0, 0.0), (0.1, 50.0)]})
    stiffness, _ = case.calc_slopes()
    assert_same(stiffness, -case.difference(case.calc_force, 1e-6, of_velocity=False))


def test_stop_that_would_pull_has_no_slopes():
    case = make_scalar_case("distance", {"stops": STOPS})
    g = case.difference(lambda: read(case, 1), 1e-6, of_velocity=False)
    case.displace(0.031 * g / (g @ g))
    assert case.calc_matrix(1.0).any()
    case.set_velocity(-g)
    assert not case.calc_matrix(1.0).any()


@pytest.mark.parametrize("h", [1e-3, 0.2])
@pytest.mark.parametrize("element", ["full bushing", *JOINTS, *range(len(SCALARS))])
def test_right_hand_side_is_minus_h_stiffness_velocity(element, h):
    case = make_joint_case(element) if isinstance(element, str) else make_scalar_case(*SCALARS[element][::2])
    set_odd_state(case)
    stiffness, _ = case.calc_slopes()
    velocity = case.get_velocity()
    expected = -h * stiffness @ velocity
    forward = case.calc_bias(h).copy()
    case.set_velocity(-velocity)
    # what joints add for points that move on circles is even in the velocity
    odd = 0.5 * (forward - case.calc_bias(h))
    assert odd == pytest.approx(expected, abs=1e-9 * (1e-9 + np.abs(expected).max()))


@pytest.mark.parametrize("preset", ["penalty", "bushing"])
def test_a_rod_that_spins_on_a_stiff_pin_loads_it_by_its_centrifugal_force_in_implicit_steps(preset):
    """Without the part (6) of `kernel_point.py` the pin would carry k (omega h)^2 r/2 = 10 kN, not 40 N along the rod.
    The next order is left: k (omega h)^3 r/6 = 33 N across it."""
    builder = ModelBuilder("rod", gravity=(0.0, 0.0, 0.0))
    builder.add_body(
        "rod", 2.0, (0.01, 0.2, 0.2), position=(0.2, 0, 0), velocity=(0, 0, -2), angular_velocity=(0, 10, 0)
    )
    builder.add_joint("pin", "revolute", "world", "rod", point=(0, 0, 0), axis=(0, 1, 0), group="track-pins")
    implicit = replace(find_preset(preset), integrator="implicit-euler", step=1e-3)
    result = simulate(builder.build(), preset=implicit, duration=0.5)
    outward = result["rod.position"] / np.linalg.norm(result["rod.position"], axis=1, keepdims=True)
    along = -np.einsum("fi,fi->f", make_world(result["pin.force"]), outward)[result.time > 0.1]
    assert along == pytest.approx(2.0 * 0.2 * 10.0**2, rel=0.05)


def make_world(force):
    """Forces in world axes of a joint whose frame a has its z axis along Y and is fixed in the world."""
    frame = make_axis_frame((0.0, 1.0, 0.0))
    return force @ frame.T


SHARED = {"stiffness": 2e5, "damping": 300.0, "separation": 0.4}
ONE_BODY = ("points terrain", "wheel terrain", "sphere terrain")
PAIRS = (
    *ONE_BODY, "wheel plate", "wheel edge", "sprocket pin", "horn side", "horn rim", "sphere sphere", "sphere plate",
    "sphere corner",
)  # fmt: skip


def make_contact_case(pair, depth=1e-7, **fields):
    """Two bodies, or one and the terrain, that touch with a given depth; side a of the contact is body 0."""
    builder = ModelBuilder("contact", gravity=(0.0, 0.0, 0.0))
    turned = {"orientation": (np.cos(0.05), 0.0, 0.0, np.sin(0.05)), "com": (0.01, -0.02, 0.005)}
    start = {"points terrain": 0.08, "wheel terrain": 0.3, "wheel plate": 0.299, "wheel edge": 0.28,
             "sphere terrain": 0.19, "sphere plate": 0.19}.get(pair, 0.1)  # fmt: skip
    builder.add_body("a", 2.0, (0.1, 0.2, 0.15), position=(0.0, 0.0, start), **turned)
    contact = {**SHARED, **fields}
    if pair in ONE_BODY:
        if pair == "points terrain":
            builder.add_shape("foot", "points", "a", group="a", positions=[(0.05, 0.03, -0.1)])
        elif pair == "wheel terrain":
            builder.add_shape("rim", "wheel", "a", group="a", radius=0.3, planes=[0.04])
        else:
            builder.add_shape("ball", *BALL[:1], "a", group="a", **BALL[1])
        builder.add_contact("contact", "a", "terrain", **contact)
        builder.set_terrain({"type": "plane", "normal": (0.1, 0.05, 1.0)})
    else:
        where, shape, other = {
            "wheel plate": ((0.02, 0.0, 0.0), WHEEL, ("plate", {"length": 0.15, "width": 0.4})),
            "wheel edge": ((-0.17, 0.0, 0.0), WHEEL, ("plate", {"length": 0.15, "width": 0.4})),
            "sprocket pin": ((0.23, 0.0, 0.1), SPROCKET, ("pin", {"radius": 0.02, "positions": [(0.0, 0.0, 0.0)]})),
            "horn side": ((0.0, 0.0205, -0.1), GROOVE, ("horn", {"position": (0.0, 0.0, 0.0), "half_width": 0.01})),
            "sphere sphere": ((0.05, 0.1, -0.14), BALL, ("sphere", {"radius": 0.1})),
            "sphere plate": ((0.02, 0.0, 0.0), BALL, ("plate", {"length": 0.3, "width": 0.4})),
            "sphere corner": ((-0.17, -0.2, 0.0), BALL, ("plate", {"length": 0.15, "width": 0.2})),
            "horn rim": ((0.0, 0.03, -0.195), GROOVE, ("horn", {"position": (0.0, 0.0, 0.0), "half_width": 0.01})),
        }[pair]
        builder.add_body("b", 3.0, (0.2, 0.1, 0.15), position=where, **turned)
        builder.add_shape("first", shape[0], "a", group="a", **shape[1])
        builder.add_shape("second", other[0], "b", group="b", **other[1])
        builder.add_contact("contact", "a", "b", **contact)
    case = BlockCase(builder.build())
    for _ in range(6):
        force, found = case.calc_force()[:3], case.work.contact_sum[0, 5]
        assert case.work.contact_sum[0, 4] == 1
        case.state.x[1] += (found - depth) * force / np.linalg.norm(force)
    assert found == pytest.approx(depth, rel=1e-3)
    return case


WHEEL = ("wheel", {"radius": 0.3, "planes": [0.04]})
BALL = ("sphere", {"radius": 0.2, "position": (0.01, 0.02, 0.0)})
GROOVE = ("wheel", {"radius": 0.3, "groove": 0.03})
SPROCKET = (
    "sprocket",
    {
        "addendum_radius": 0.2598,
        "arc_radius": 0.056,
        "arc_centre_radius": 0.267,
        "teeth": 10,
        "width": 0.1,
        "reference": (1.0, 0.0, 0.0),
    },
)


def set_sliding(case, speed, closing=0.0):
    """Velocity of body a: sliding with `speed` in the tangent plane, penetration growing at `closing`."""
    force = case.calc_force()[:3]
    normal = force / np.linalg.norm(force)
    tangent = np.cross(normal, (0.3, 0.5, 0.4))
    case.stop()
    case.state.v[1] = speed * tangent / np.linalg.norm(tangent) - closing * normal
    return normal


@pytest.mark.parametrize("pair", PAIRS)
def test_contacts_have_the_stiffness_of_their_depth(pair):
    """The depth is small, so that the change of normal and lever matters little beside k: 1e-7 m to the radius."""
    case = make_contact_case(pair)
    stiffness, _ = case.calc_slopes()
    expected = -case.difference(case.calc_force, 2e-9, of_velocity=False)
    assert_same(stiffness, expected, 2e-5)


@pytest.mark.parametrize("closing", [0.01, -0.01])
@pytest.mark.parametrize("pair", PAIRS)
def test_contacts_have_the_damping_of_approach_and_of_separation(pair, closing):
    case = make_contact_case(pair, 1e-3)
    set_sliding(case, 0.2, closing)
    _, damping = case.calc_slopes()
    assert_same(damping, -case.difference(case.calc_force, 1e-4, of_velocity=True))


@pytest.mark.parametrize("pair", PAIRS)
def test_bodies_that_touch_are_coupled(pair):
    case = make_contact_case(pair, 1e-3, friction={"mu": 0.5})
    set_sliding(case, 0.01, 0.01)
    case.calc_matrix(1e-3)
    assert case.blocks.coupled_count[0] == (0 if pair in ONE_BODY else 1)
    coupling = case.calc_coupling()
    assert coupling == pytest.approx(coupling.T)
    assert coupling.any() == (pair not in ONE_BODY)


@pytest.mark.parametrize("pair", PAIRS)
def test_implicit_step_solves_the_system_with_bodies_that_touch(pair):
    case = make_contact_case(pair, 1e-3, friction={"mu": 0.5})
    set_sliding(case, 0.01, 0.01)
    h = 1e-2  # the contact is then as strong as the masses
    matrix, force, bias = case.calc_matrix(h), case.calc_force(), case.calc_bias(h)
    body = case.tables.node
    for i in range(case.count):
        matrix[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] += body.mass[i + 1] * np.eye(3)
        matrix[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] += body.inertia[i + 1]
    expected = np.linalg.solve(matrix, force + bias)
    solver = make_integrator(case.compiled, "explicit", "implicit-euler")
    start = case.get_velocity()
    solver.advance(case.state, 1, h)
    found = (case.get_velocity() - start) / h
    assert np.linalg.norm(found - expected) < 0.03 * np.linalg.norm(expected)


def test_contact_without_force_has_no_slopes_unless_it_sticks():
    fields = {"friction": {"mu": 0.5, "model": "asperity", "stiffness": 1e5}}
    case = make_contact_case("points terrain", **fields)
    set_sliding(case, 0.2, -1.0)
    assert not case.calc_matrix(1.0).any()
    case = make_contact_case("points terrain", sticking=True)
    set_sliding(case, 0.2, -1.0)
    _, damping = case.calc_slopes()
    assert_same(damping, -case.difference(case.calc_force, 1e-4, of_velocity=True))


@pytest.mark.parametrize("speed", [0.0, 0.004, 0.03])
@pytest.mark.parametrize("law", ["tanh", "trilinear", "asperity"])
@pytest.mark.parametrize("pair", PAIRS)
def test_friction_has_its_slopes_along_and_across(pair, law, speed):
    """Without damping of the normal force, which would change friction with it. The regularisation is 0.01 m/s."""
    friction = {"model": law, "mu": 0.6, "velocity": 0.01, "stiffness": 1e5}
    case = make_contact_case(pair, 1e-3, damping=0.0, friction=friction)
    set_sliding(case, speed)
    _, damping = case.calc_slopes()
    expected = -case.difference(case.calc_force, 1e-7, of_velocity=True)
    assert_same(damping, expected, 1e-5)


HELD = [(0.0, 1e-4), (0.004, 2e-4), (0.004, 2e-3)]
"""Speed of sliding [m/s], and displacement from the anchor before [m], which is not along the velocity."""


@pytest.mark.parametrize(("speed", "held"), [*HELD, (0.03, 0.0)])
@pytest.mark.parametrize("pair", PAIRS[1:])
def test_anchor_of_friction_counts_as_a_spring(pair, speed, held):
    """A velocity moves the anchor by dt times itself, so that the derivative is C + dt K: sticking, and sliding with
    the force scaled back."""
    friction = {"model": "asperity", "mu": 0.6, "velocity": 0.01, "stiffness": 1e5}
    case = make_contact_case(pair, 1e-3, damping=0.0, friction=friction)
    plain, _ = make_contact_case(pair, 1e-3, damping=0.0).calc_slopes()
    normal = set_sliding(case, speed)
    case.memory_dt = 5e-3
    side = np.cross(normal, (0.7, -0.2, 0.4))
    case.state.anchor[:] = held * side / np.linalg.norm(side)
    case.state.anchor_stamp[:] = case.state.stamp[0]
    stiffness, damping = case.calc_slopes()
    expected = -case.difference(case.calc_force, 1e-7, of_velocity=True)
    assert_same(damping + case.memory_dt * (stiffness - plain), expected, 1e-4)


@pytest.mark.parametrize(("speed", "held"), [*HELD, (0.03, 1e-3)])
def test_anchor_of_a_point_is_a_place_on_the_ground(speed, held):
    """Displacements along the ground, which leave the normal force as it is."""
    friction = {"model": "asperity", "mu": 0.6, "velocity": 0.01, "stiffness": 1e5}
    case = make_contact_case("points terrain", 1e-3, damping=0.0, friction=friction)
    normal = set_sliding(case, speed)
    side = np.cross(normal, (0.7, -0.2, 0.4))
    case.calc_force()
    case.state.anchor[:] = case.work.touch[0, 4:7] - held * side / np.linalg.norm(side)
    case.state.anchor_stamp[:] = case.state.stamp[0]
    stiffness, _ = case.calc_slopes()
    expected = -case.difference(case.calc_force, 1e-8, of_velocity=False)
    along = np.linalg.svd(normal[None])[2][1:]
    assert_same(along @ stiffness[:3, :3] @ along.T, along @ expected[:3, :3] @ along.T, 1e-4)


@pytest.mark.parametrize("pair", PAIRS)
def test_right_hand_side_of_contacts(pair):
    """Body a moves alone, and sticks through the step: its force is minus h times stiffness times velocity, and body b
    gets the opposite."""
    friction = {"model": "asperity", "mu": 0.6, "velocity": 0.01, "stiffness": 1e5}
    case = make_contact_case(pair, 1e-3, friction=friction)
    case.set_velocity(np.random.default_rng(2).uniform(-1e-3, 1e-3, 6 * case.count) * (np.arange(6 * case.count) < 6))
    h, matrices = 1e-3, []
    for step in (h, 2.0 * h):
        case.blocks.ahead[0] = step
        matrices.append(case.calc_matrix(step))
    expected = -(matrices[1] - 2.0 * matrices[0]) @ case.get_velocity() / (2.0 * h)  # h C + h^2 K
    assert_same(case.calc_bias(h)[:6], expected[:6], 1e-9)
    if pair not in ONE_BODY:
        assert_same(case.blocks.f[2], -case.blocks.f[1], 1e-12)


def test_linearly_implicit_steps_are_stable_far_beyond_the_explicit_step():
    """A chain of stiff pins that falls in its plane, with steps of 1 ms, more than 50 times the explicit ones: after
    0.3 s it is where the explicit formulation has it, to the first order of the step."""
    builder = ModelBuilder("chain")
    before = "world"
    for i in range(6):
        body = builder.add_body(f"link{i}", 2.0, (0.004, 0.004, 0.006), position=(0.1 + 0.2 * i, 0.0, 0.0))
        builder.add_joint(f"pin{i}", "revolute", before, body, point=(0.2 * i, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
        before = body
    model = builder.build()
    preset = find_preset("penalty").with_realization("*", Penalty(k=1e9, c=5e4, arm=0.1))
    case = BlockCase(model, preset)
    step, count = 1e-3, 300
    body = case.tables.node
    mass = np.zeros((6 * case.count, 6 * case.count))
    for i in range(case.count):
        mass[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = body.mass[i + 1] * np.eye(3)
        mass[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = body.inertia[i + 1]
    weight = (mass.reshape(-1, case.count, 6) @ np.append(body.gravity, [0.0, 0.0, 0.0])).sum(axis=1)
    for _ in range(count):
        matrix = mass + case.calc_matrix(step)
        force = case.as_rows(case.work.f + case.blocks.f, case.work.torque + case.blocks.torque) + weight
        u = case.get_velocity() + step * np.linalg.solve(matrix, force)
        case.set_velocity(u)
        case.displace(step * u)
    result = simulate(model, preset=preset, duration=step * count, output_interval=0.1)
    assert result.summary["step"] < step / 50
    end = [result[f"link{i}.position"][-1] for i in range(case.count)]
    assert case.state.x[1:] == pytest.approx(np.array(end), abs=0.01)
