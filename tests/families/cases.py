"""Small models of every family of elements, in odd attitudes and moving: what `test_common.py` tests each family by.

A new family adds an entry to `CASES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from tyre_rig import TYRE

from grouser.compile.realization import Bushing, Penalty, PenaltyScaled
from grouser.model.builder import ModelBuilder
from grouser.model.model import Model
from grouser.model.rotation import quaternion_to_matrix
from grouser.presets import Preset, find_preset

PENALTY = find_preset("penalty").with_realization("*", Penalty(k=2e4, c=50.0, arm=0.1))
BUSHING = find_preset("penalty").with_realization(
    "*", Bushing(stiffness=(2e4, 3e4, 4e4, 300.0, 200.0, 100.0), damping=(50.0, 40.0, 30.0, 3.0, 2.0, 1.0))
)
IDEAL = find_preset("constrained")
"""Joints and motions without forces: those of the family are the only ones."""


@dataclass(frozen=True)
class Case:
    """A model with elements of a family, and what holds for them.

    Attributes
    ----------
    make : makes the model
    preset : realizations of its joints and motions
    acts : it has forces at all
    is_closed : its forces act between nodes, so that they balance each other
    turns : how it may be turned without a change: anyhow, about the vertical, or not at all
    stiffness : what the stiffness K of an implicit step is beside differences of the forces at rest: the same in the
        relaxed start (`start`), where the change of geometry that is left out is none; the same where it is loaded
        (`loaded`); larger there (`above`); or not to be compared (`none`)
    damping : whether the damping C is the same as by differences
    is_definite : K and C have no negative eigenvalue in odd states; the exact tangent of a pressed brick has
    has_memory : K is that of the forces together with that of the states z, which follow the motion
    compared : so many of the first numbers of a node K and C are compared for
    springs : what K and C of the stable step are beside those of an implicit step in the start, at rest: the same
        (`equal`), larger in every direction (`above`), or with a larger largest eigenvalue (`largest`)
    beside : other families of which it has elements with springs
    reach, speed, states : sizes of random displacements, velocities and changes of z
    near : relative error of central differences
    """

    make: Callable[[], Model]
    preset: Preset = PENALTY
    acts: bool = True
    is_closed: bool = True
    turns: Literal["any", "level", "none"] = "any"
    stiffness: Literal["start", "loaded", "above", "none"] = "start"
    damping: bool = True
    is_definite: bool = True
    has_memory: bool = False
    compared: int = 6
    springs: Literal["equal", "above", "largest"] = "equal"
    beside: tuple[str, ...] = ()
    reach: float = 0.05
    speed: float = 1.0
    states: float = 0.1
    near: float = 2e-6


SIDES = (("one", "two"), ("two", "one"), ("world", "two"), ("one", "world"))
"""Both orders of two bodies, so that blocks between them are met as they are and transposed, and the world."""


def make_bodies(names: tuple[str, ...] = ("one", "two")) -> ModelBuilder:
    """Bodies in odd attitudes, tumbling."""
    rng = np.random.default_rng(0)
    builder = ModelBuilder("bodies", gravity=(0.0, 0.0, 0.0))
    for i, name in enumerate(names):
        quaternion = rng.standard_normal(4)
        builder.add_body(
            name,
            rng.uniform(1, 3),
            rng.uniform(0.8, 1.2, 3),
            com=rng.uniform(-0.05, 0.05, 3),
            position=(0.4 * i, *rng.uniform(-0.1, 0.1, 2)),
            orientation=quaternion / np.linalg.norm(quaternion),
            velocity=rng.uniform(-0.5, 0.5, 3),
            angular_velocity=rng.uniform(-1, 1, 3),
        )
    return builder


def add_joints(builder: ModelBuilder, kind: str) -> list[str]:
    """Joints of a kind on all sides."""
    names = []
    for i, (a, b) in enumerate(SIDES):
        if kind == "distance":
            ends = {"point_a": (0.05, 0.1 - 0.2 * i, 0.0), "point_b": (0.3, 0.0, 0.1 + 0.1 * i)}
            names.append(builder.add_distance(f"link{i}", a, b, **ends))
        else:
            place = {"point": (0.2, 0.05 * i, -0.03 * i), "axis": (0.3, 1.0 - 0.3 * i, 0.2)}
            names.append(builder.add_joint(f"link{i}", kind, a, b, **place))
    return names


def make_joints(kind: str) -> Model:
    """Two bodies with joints."""
    builder = make_bodies()
    add_joints(builder, kind)
    return builder.build()


FULL = np.diag([900.0, 800.0, 700.0, 60.0, 50.0, 40.0])
for row, column, coupling in ((0, 1, 20.0), (1, 2, 10.0), (0, 3, 5.0), (1, 4, 4.0), (4, 5, 3.0), (2, 5, 2.0)):
    FULL[row, column] = FULL[column, row] = coupling


def make_bushings(**fields: object) -> Model:
    """Two bodies with bushings."""
    builder = make_bodies()
    for i, (a, b) in enumerate(SIDES):
        place = {"point": (0.2, 0.05 * i, -0.03 * i), "axis": (0.3, 1.0 - 0.3 * i, 0.2)}
        builder.add_bushing(f"link{i}", a, b, **place, **fields)
    return builder.build()


JOINTS = ("fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "distance")
WHOLE = {"stiffness": FULL.tolist(), "damping": (0.02 * FULL).tolist()}
DIAGONAL = {"stiffness": np.diag(FULL).tolist(), "damping": (0.02 * np.diag(FULL)).tolist()}
JOINT_CASES = {
    **{f"{kind} by penalty": Case(partial(make_joints, kind)) for kind in JOINTS},
    **{
        f"{kind} by bushing": Case(partial(make_joints, kind), BUSHING)
        for kind in JOINTS
        if kind not in ("universal", "distance")
    },
    "bushing": Case(partial(make_bushings, **DIAGONAL)),
    "full bushing": Case(partial(make_bushings, **WHOLE)),
    "preloaded bushing": Case(
        partial(make_bushings, preload=(30.0, -20.0, 10.0, 2.0, 3.0, -1.0), **WHOLE), stiffness="none"
    ),
    "ideal": Case(
        partial(make_joints, "revolute"), IDEAL, acts=False, stiffness="none", damping=False, springs="above"
    ),
}


def make_scalars(coordinate: str, kind: str, **fields: object) -> Model:
    """Two bodies with springs between points, or with springs, actuators or motions on free joints."""
    builder = make_bodies()
    if coordinate == "distance":
        for i, (a, b) in enumerate(SIDES):
            ends = {"point_a": (0.1, 0.1 * i, 0.0), "point_b": (0.3, 0.1, 0.1 * i)}
            builder.add_spring(f"law{i}", a, b, **ends, **fields)
        return builder.build()
    add = {"spring": builder.add_joint_spring, "actuator": builder.add_actuator, "motion": builder.add_motion}[kind]
    for i, link in enumerate(add_joints(builder, "free")):
        add(f"law{i}", link, coordinate, **fields)
    return builder.build()


def make_steered() -> Model:
    """A motion that a driver steers."""
    builder = make_bodies()
    builder.add_joint("link", "free", "one", "two", point=(0.2, 0.0, 0.0), axis=(0.3, 1.0, 0.2))
    builder.add_motion("law", "link", "rotation", position="0.1*(1 - cos(2*t))")
    builder.add_driver("driver", "one", steering={"motion": "law", "ratio": 1.0, "wheelbase": 2.0, "limit": 0.5})
    return builder.build()


CURVE = [(-0.1, -40.0), (-0.02, -4.0), (0.05, 10.0), (0.2, 100.0)]
STOPS = {"lower": -0.02, "upper": 0.03, "stiffness": 3e3, "damping": 20.0}
SPRINGS = {
    "spring": ({"stiffness": 500.0, "damping": 8.0}, {}),
    "preloaded spring": ({"stiffness": 500.0, "preload": 3.0, "free": 0.1}, {"stiffness": "none"}),
    "curve": ({"stiffness": CURVE, "damping": [(-2.0, -30.0), (-0.1, -0.5), (1.0, 5.0)]}, {"springs": "above"}),
    "friction": ({"stiffness": 100.0, "friction": 5.0, "friction_velocity": 0.7}, {}),
    "stops": ({"stiffness": 50.0, "stops": STOPS}, {"springs": "above"}),
}
"""Fields of a spring, and what is particular of its case."""
TARGET = "0.05*(1 - cos(3*t))"
"""At the start it is zero and at rest, and so are the forces."""
ACTUATORS = {
    "position control": ({"control": "position", "target": TARGET, "p": 200.0, "i": 30.0, "d": 5.0}, {}),
    "speed control": ({"control": "speed", "target": TARGET, "p": 200.0, "i": 30.0, "d": 5.0}, {}),
    "force control": ({"control": "force", "target": 7.0}, {"springs": "above", "stiffness": "none"}),
    "saturated control": (
        {"control": "position", "target": 0.3, "p": 200.0, "d": 5.0, "limit": 1e-3},
        {"springs": "above", "stiffness": "none"},
    ),
}
MOTIONS = {"motion": ({"position": TARGET}, {}), "motion by speed": ({"speed": TARGET}, {})}
HELD = Preset("held", "motions by soft springs", "explicit", PENALTY.realizations, PenaltyScaled(100.0, 0.3))
SCALAR_CASES = {
    **{
        f"{name} between points": Case(partial(make_scalars, "distance", "spring", **f), **c)
        for name, (f, c) in SPRINGS.items()
    },
    **{
        f"{name}, {coordinate}": Case(partial(make_scalars, coordinate, kind, **fields), HELD, **changes)
        for kind, elements in (("spring", SPRINGS), ("actuator", ACTUATORS), ("motion", MOTIONS))
        for coordinate in ("translation", "rotation")
        for name, (fields, changes) in elements.items()
    },
    "steered motion": Case(make_steered, HELD),
}


def make_applied(axes: str) -> Model:
    """Two bodies with loads that change with time."""
    builder = make_bodies()
    for i, name in enumerate(("one", "two")):
        force, torque = ("8*sin(t)", 2.0 + i, -3.0), (0.5, [(0.0, 0.0), (1.0, 4.0)], -1.0)
        builder.add_force(f"push{i}", name, point=(0.1, 0.2, 0.3 * i), force=force, torque=torque, axes=axes)
    return builder.build()


APPLIED_CASES = {
    "in world axes": Case(partial(make_applied, "world"), is_closed=False, turns="none"),
    "in body axes": Case(partial(make_applied, "body"), is_closed=False),
}

ROAD = {"type": "plane", "normal": [-0.1, 0.05, 1.0]}
WAVES = [[0.02 * np.sin(0.9 * i) * np.cos(0.5 * j) for j in range(9)] for i in range(40)]
ROUGH = {"type": "grid", "origin": [-2.0, -2.0], "spacing": [0.4, 0.5], "heights": WAVES}


def make_tyres(terrain: Mapping[str, object], height: float = 0.46, speed: float = 6.0) -> Model:
    """Two wheels, one behind the other, with some slip, camber and toe."""
    builder = ModelBuilder("wheels", gravity=(0.0, 0.0, 0.0))
    for i, lean in enumerate((0.03, -0.05)):
        builder.add_body(
            f"wheel{i}",
            40.0,
            (3.0, 4.0, 3.0),
            com=(0.01, 0.02, -0.01),
            position=(0.0, i, height - 0.05 * i),
            orientation=(1.0, lean, 0.0, 0.02),
            velocity=(speed, 0.05 * speed, 0.0),
            angular_velocity=(0.1, 2.0 * speed, 0.2),
        )
        tyre = {**TYRE, "rolling_resistance": 0.015, "progression": 1e6, "radius_share": (0.375, 0.75)}
        builder.add_tyre(f"tyre{i}", f"wheel{i}", **tyre)
    builder.set_terrain(terrain)
    return builder.build()


# Tread gives way more softly while it rolls than an implicit step counts, and its load changes what it gives: K and C
# are those of the forces where a wheel stands, for displacements of its centre.
_TYRE = Case(
    make_tyres,
    is_closed=False,
    damping=False,
    has_memory=True,
    compared=3,
    springs="largest",
    reach=3e-3,
    speed=0.3,
    states=1e-3,
    near=1e-3,
)
TYRE_CASES = {
    "rolling": replace(_TYRE, make=partial(make_tyres, ROAD)),
    "creeping": replace(_TYRE, make=partial(make_tyres, ROAD, speed=0.01), speed=1e-3),
    "on rough ground": replace(_TYRE, make=partial(make_tyres, ROUGH), turns="none", stiffness="none"),
    "in the air": replace(_TYRE, make=partial(make_tyres, ROAD, height=1.0), acts=False),
}

ENGINE = {
    "torque": [(0.0, 80.0), (300.0, 120.0)],
    "drag": [(0.0, -10.0), (300.0, -20.0)],
    "idle": 80.0,
    "launch": 150.0,
}
GEARBOX = {"ratios": [10.0, 5.0, 2.5], "up": [250.0, 250.0], "down": 100.0, "shift_time": 0.05, "multiplication": 1.8}


def make_wheels(spin: float, throttle: float | None = None, pedal: float | None = None) -> Model:
    """A chassis with two wheels on ideal hinges, driven or braked."""
    builder = make_bodies(("chassis",))
    shares = {}
    for i in range(2):
        turn = {"orientation": (1.0, 0.2, -0.3, 0.1 * i), "angular_velocity": (0.1, -0.2, spin)}
        builder.add_body(f"wheel{i}", 10.0, (0.4, 0.5, 0.6), position=(0.3, i, 0.1), **turn)
        # the hinge is along z of the wheel
        axis = quaternion_to_matrix(turn["orientation"])[:, 2]
        shares[builder.add_joint(f"hinge{i}", "revolute", "chassis", f"wheel{i}", point=(0.3, i, 0.1), axis=axis)] = 0.5
    if throttle is not None:
        drive = {"engine": ENGINE, "gearbox": GEARBOX, "throttle": throttle}
        builder.add_powertrain("drive", reaction="chassis", wheels=shares, **drive)
    if pedal is not None:
        for joint in shares:
            builder.add_brake(f"brake of {joint}".replace(" ", "."), joint, torque=300.0, pedal=pedal)
    return builder.build()


POWERTRAIN_CASES = {
    "starting": Case(partial(make_wheels, 1.0, throttle=0.7), IDEAL),
    "driving": Case(partial(make_wheels, 22.0, throttle=1.0), IDEAL),
    "coasting": Case(partial(make_wheels, 22.0, throttle=0.0), IDEAL),
}


def make_sprockets(spins: tuple[float, float], throttle: float, rate: float | None = None) -> Model:
    """A chassis with two sprockets on ideal hinges, driven by an engine and steered by a driver or not."""
    builder = make_bodies(("chassis",))
    for i, name in enumerate(("left", "right")):
        motion = {"angular_velocity": (0.0, spins[i], 0.0)}
        builder.add_body(name, 10.0, (0.4, 0.6, 0.4), position=(0.3, i, 0.1), **motion)
        builder.add_joint(f"{name}_hinge", "revolute", "chassis", name, point=(0.3, i, 0.1), axis=(0.0, 1.0, 0.0))
    builder.add_track_powertrain(
        "drive", left="left_hinge", right="right_hinge", throttle=throttle,
        engine={key: value for key, value in ENGINE.items() if key != "launch"} | {"inertia": 1.5},
        converter={"capacity": [(0.0, 0.01), (0.8, 0.008), (1.0, 0.0)], "multiplication": [(0.0, 2.0), (0.9, 1.0)]},
        gearbox={key: value for key, value in GEARBOX.items() if key != "multiplication"} | {"final": 1.5},
        steering={"turn": 0.3, "torque": 500.0, "gain": 100.0},
    )  # fmt: skip
    if rate is not None:
        steering = {"tread": 0.6, "radius": 0.1, "rate": rate}
        builder.add_driver("driver", "chassis", steering=steering, pedals={"powertrain": "drive"})
    return builder.build()


TRACK_POWERTRAIN_CASES = {
    "starting": Case(partial(make_sprockets, (1.0, 1.2), 0.7), IDEAL),
    "steering": Case(partial(make_sprockets, (8.0, 9.0), 1.0, 0.5), IDEAL, turns="level"),
    "coasting": Case(partial(make_sprockets, (20.0, 19.0), 0.0), IDEAL),
}
# at rest the torque of a brake bends with the spin, by a share 1e-5 within the differences
_BRAKE = Case(make_wheels, IDEAL, has_memory=True, springs="above", near=5e-5)
BRAKE_CASES = {
    "turning": replace(_BRAKE, make=partial(make_wheels, 20.0, pedal=0.6)),
    "standing": replace(_BRAKE, make=partial(make_wheels, 0.0, pedal=1.0), springs="equal"),
    "released": replace(_BRAKE, make=partial(make_wheels, 5.0, pedal=0.0), acts=False),
}


def make_driver(*, steers: bool) -> Model:
    """A vehicle that follows a path, or keeps a speed alone."""
    builder = make_bodies()
    builder.add_joint("link", "revolute", "one", "two", point=(0.2, 0.0, 0.0), axis=(0.3, 1.0, 0.2))
    builder.add_motion("steer", "link", position=0.02)
    pedals = {"p": 0.5, "i": 0.2, "brake_gain": 0.4}
    if not steers:
        builder.add_driver("driver", "one", speed=1.5, pedals=pedals)
        return builder.build()
    steering = {"motion": "steer", "ratio": 1.2, "wheelbase": 2.5, "limit": 0.6, "understeer": 0.01, "angle": "0.01*t"}
    path = [(-5.0, -1.0), (5.0, 1.0), (20.0, 8.0), (30.0, 30.0)]
    builder.add_driver("driver", "one", steering=steering, path=path, speed="1 + t", pedals=pedals)
    return builder.build()


def make_track_driver() -> Model:
    """A vehicle that is steered by the speeds of two motions."""
    builder = make_bodies()
    for name, y in (("left", 0.3), ("right", -0.3)):
        builder.add_body(name, 1.0, (0.1, 0.2, 0.1), position=(0.1, y, 0.0))
        builder.add_joint(f"{name}_axle", "revolute", "one", name, point=(0.1, y, 0.0), axis=(0.0, 1.0, 0.1))
        builder.add_motion(f"{name}_drive", f"{name}_axle", speed="2*sin(t)")
    steering = {"left": "left_drive", "right": "right_drive", "tread": 0.6, "radius": 0.1, "rate": "0.1*t"}
    path = [(-5.0, -1.0), (5.0, 1.0), (20.0, 8.0)]
    builder.add_driver("driver", "one", steering=steering, path=path, speed="1 + t")
    return builder.build()


_DRIVER = Case(partial(make_driver, steers=True), IDEAL, acts=False, turns="level")
DRIVER_CASES = {
    "on a path": _DRIVER,
    "pedals alone": replace(_DRIVER, make=partial(make_driver, steers=False)),
    "on tracks": replace(_DRIVER, make=make_track_driver),
}


def make_trusses(stretch: float, *, approach: float = 0.0, **fields: object) -> Model:
    """Three points that move and two that do not, between them trusses with relaxed lengths of 1/stretch of theirs."""
    rng = np.random.default_rng(3)
    places = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.2, 0.3, 1), (1, 1, 0.5)]) + rng.uniform(-0.1, 0.1, (5, 3))
    builder = ModelBuilder("net", gravity=(0.0, 0.0, 0.0))
    centre = places.mean(axis=0)
    for i, place in enumerate(places):
        motion = {"mass": 0.5 + 0.2 * i, "velocity": approach * (centre - place)} if i < 3 else {}
        builder.add_point(f"p{i}", place, **motion)
    # both orders of points, in one block of the sparse system and in two
    for a, b in ((0, 1), (2, 0), (1, 2), (2, 3), (4, 1), (1, 0)):
        relaxed = float(np.linalg.norm(places[b] - places[a])) / stretch
        builder.add_truss(f"bar{a}{b}", f"p{a}", f"p{b}", modulus=1e6, area=1e-3, length=relaxed, **fields)
    return builder.build()


BRICK_LAWS: dict[str, dict[str, object]] = {
    "linear": {"type": "linear", "young": 2e5, "poisson": 0.3},
    "linear by volume": {"type": "linear", "young": 2e5, "poisson": 0.3, "by_volume": True},
    "Neo-Hookean": {"type": "neo_hookean", "shear": 8e4, "bulk": 2e5},
    "Mooney-Rivlin": {"type": "mooney_rivlin", "c1": 3e4, "c2": 1e4, "bulk": 2e5},
}


def make_mesh(element: str, **law: object) -> Model:
    """A mesh of a few elements that is free in space, and turns."""
    builder = ModelBuilder(element, gravity=(0.0, 0.0, 0.0))
    motion = {"velocity": (0.1, -0.2, 0.3), "angular_velocity": (0.5, -0.4, 0.3)}
    if element == "brick":
        material = {"density": 1000.0, "dilatational": 2e-3, "deviatoric": 1e-3, **law}
        sides, counts = (0.4, 0.15, 0.2), (2, 1, 1)
        builder.add_mesh(
            "mesh", "block", origin=(0.0, 0.0, 0.0), sides=sides, counts=counts, material=material, **motion
        )
    else:
        material = {"type": "linear", "young": 2e6, "poisson": 0.3, "density": 1000.0, "damping": 1e-3}
        section = {"circle": 0.03} if element == "beam_thin" else {"rectangle": (0.03, 0.05)}
        builder.add_mesh(
            "mesh", "line", start=(0.0, 0.0, 0.0), end=(0.4, 0.1, 0.2), count=4, element=element, material=material,
            section=section, **motion,
        )  # fmt: skip
    return builder.build()


def make_ancf(element: str, law: str, **fields: object) -> Model:
    """A line of elements by gradients that is free in space, and turns; pinned ones have a corner too."""
    damping = {"damping": 1e-3} if element == "ancf_cable" else {"dilatational": 2e-3, "deviatoric": 1e-3}
    section = {"circle": 0.05} if element == "ancf_cable" else {"rectangle": (0.03, 0.05)}
    points = [(0.0, 0.0, 0.0), (0.2, 0.05, 0.1), (0.4, 0.1, 0.2)]
    if "pins" in fields:
        points, fields = [*points[:2], (0.3, 0.25, 0.1)], {"pins": {}, **fields}
        fields["count"] = 2
        fields["pins"] = {"start_edge": (0.3, 1.0, 0.2)}
    builder = ModelBuilder(element, gravity=(0.0, 0.0, 0.0))
    builder.add_mesh(
        "mesh", "line", points=points, element=element, section=section,
        material={"density": 1000.0, **damping, **BRICK_LAWS[law]}, velocity=(0.1, -0.2, 0.3),
        angular_velocity=(0.5, -0.4, 0.3), **fields,
    )  # fmt: skip
    return builder.build()


def make_cable_ring() -> Model:
    """A ring of cables that are curved without stress."""
    builder = ModelBuilder("ring", gravity=(0.0, 0.0, 0.0))
    material = {"density": 1000.0, "damping": 1e-3, **BRICK_LAWS["linear"]}
    section, spin = {"circle": 0.05}, (0.5, -0.4, 0.3)
    builder.add_mesh(
        "mesh", "ring", radius=0.3, count=4, element="ancf_cable", section=section, material=material,
        angular_velocity=spin,
    )  # fmt: skip
    return builder.build()


_TRUSS = Case(partial(make_trusses, 1.2, damping=5e3), stiffness="loaded", reach=0.01)
TRUSS_CASES = {
    "pulled": _TRUSS,
    "pressed": replace(_TRUSS, make=partial(make_trusses, 0.8, damping=5e3), stiffness="above"),
    "pulled rope": replace(_TRUSS, make=partial(make_trusses, 1.2, damping=5e3, is_rope=True)),
    "slack rope": replace(
        _TRUSS, make=partial(make_trusses, 0.8, damping=5e3, is_rope=True), acts=False, springs="above"
    ),
    # its damper would push: it gives up what it has stored
    "rope let go": replace(
        _TRUSS, make=partial(make_trusses, 1.05, approach=40.0, damping=5e4, is_rope=True), acts=False
    ),
}


def make_frictions(coordinate: str, kind: str = "free", **fields: object) -> Model:
    """Two bodies with friction in their joints."""
    builder = make_bodies()
    for i, link in enumerate(add_joints(builder, kind)):
        builder.add_joint_friction(f"friction{i}", link, coordinate, **fields)
    return builder.build()


# far from its limit or beyond it a joint has the slopes of its spring and of its damper alone
HOLDING: dict[str, object] = {"constant": 50.0, "stiffness": 400.0, "sliding_speed": 20.0}
SLIDING: dict[str, object] = {"constant": 5.0, "presliding": 0.1, "sliding_speed": 0.01}
BEARING: dict[str, object] = {"constant": 2.0, "stiffness": 400.0, "sliding_speed": 20.0, "mu": 0.3}
JOINT_FRICTION_CASES = {
    **{
        f"{title}, {coordinate}": Case(partial(make_frictions, coordinate, **fields), has_memory=True, states=0.02)
        for title, fields in (("holding", HOLDING), ("sliding", SLIDING))
        for coordinate in ("rotation", "translation")
    },
    # its limit follows the velocities by the damping of the joint, which the matrix leaves out
    "bearing": Case(
        partial(make_frictions, "rotation", "revolute", radius=0.05, **BEARING),
        has_memory=True,
        damping=False,
        beside=("joint",),
        states=0.02,
    ),
    "guide": Case(
        partial(make_frictions, "translation", "prismatic", **BEARING),
        has_memory=True,
        damping=False,
        beside=("joint",),
        states=0.02,
    ),
}

CASES: dict[str, dict[str, Case]] = {
    "joint": JOINT_CASES,
    "scalar": SCALAR_CASES,
    "applied": APPLIED_CASES,
    "tyre": TYRE_CASES,
    "powertrain": POWERTRAIN_CASES,
    "brake": BRAKE_CASES,
    "driver": DRIVER_CASES,
    "truss": TRUSS_CASES,
    "beam_thin": {"line": Case(partial(make_mesh, "beam_thin"), springs="above", reach=0.01)},
    "beam_thick": {"line": Case(partial(make_mesh, "beam_thick"), springs="above", reach=0.01)},
    "ancf_beam": {
        title: Case(partial(make_ancf, "ancf_beam", law, **fields), springs="above", is_definite=False, reach=2e-3)
        for title, law, fields in (
            ("along the axis", "linear", {}),
            ("by the volume", "linear", {"integration": "volume"}),
            ("rubber by the volume", "Neo-Hookean", {"integration": "volume"}),
            ("pinned, with a corner", "linear by volume", {"pins": {"all": (0.3, 1.0, 0.2)}}),
        )
    },
    "ancf_cable": {
        "line": Case(
            partial(make_ancf, "ancf_cable", "linear"), springs="above", is_definite=False, reach=2e-3, speed=0.5
        ),
        "ring": Case(partial(make_cable_ring), springs="above", is_definite=False, reach=2e-3),
    },
    "brick": {
        title: Case(partial(make_mesh, "brick", **law), springs="above", is_definite=False, reach=0.005)
        for title, law in BRICK_LAWS.items()
    },
    "joint_friction": JOINT_FRICTION_CASES,
    "track_powertrain": TRACK_POWERTRAIN_CASES,
}
"""Cases by the name of the family, each with a name."""
