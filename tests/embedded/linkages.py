"""Linkages that close loops: planar with redundant rows, spatial, wheel suspensions with a steering linkage."""

from __future__ import annotations

import numpy as np

from grouser.model.builder import ModelBuilder
from grouser.model.model import Model
from grouser.model.rotation import matrix_to_quaternion, multiply_quaternions

Y = (0.0, 1.0, 0.0)

HARDPOINTS = {
    "uca_front": (1.641050, 0.445960, 0.244622),
    "uca_back": (1.420751, 0.477736, 0.195560),
    "uca_ball": (1.635930, 0.715518, 0.215494),
    "uca_com": (1.583428, 0.588670, 0.217805),
    "lca_front": (1.912231, 0.307086, 0.0),
    "lca_back": (1.465699, 0.307086, 0.0),
    "lca_ball": (1.653405, 0.786511, -0.118110),
    "lca_com": (1.688965, 0.546811, -0.059055),
    "upright_com": (1.648579, 0.751014, -0.026289),
    "tierod_inner": (1.438648, 0.448437, 0.054229),
    "tierod_outer": (1.513146, 0.821106, -0.016332),
    "spring_top": (1.792978, 0.509778, 0.197485),
    "spring_foot": (1.786171, 0.543179, -0.046609),
    "spindle": (1.648579, 0.909701, -0.026289),
}
"""Front left suspension of a HMMWV in the frame of its chassis [m], the published points of Project Chrono's model. The
hinge of the upper arm is skewed: its four-bar is not planar."""
PITMAN = {
    "pivot": (1.244980, 0.249, 0.101322),
    "arm_ball": (1.367312, 0.249, 0.060390),
    "idler_pivot": (1.244980, -0.325, 0.101322),
    "idler_ball": (1.367312, -0.325, 0.060390),
}
PITMAN_AXIS = (0.317305, 0.0, 0.948324)
TURNED = "0.3*sin(2*t)"
"""How the Pitman arm is driven [rad]."""


def make_four_bar(lengths=(1.0, 0.35, 1.1, 0.8), crank=2.0, masses=(1.0, 1.5, 2.0), speed=0.0):
    """A planar four-bar of revolute joints: ground, crank, coupler, rocker. Three of five cut rows are redundant."""
    ground, a, b, c = lengths
    p = np.array([0.0, 0.0, 0.0])
    q = p + a * np.array([np.cos(crank), 0.0, np.sin(crank)])
    r = np.array([ground, 0.0, 0.0])
    d = np.linalg.norm(r - q)
    along, up = (b**2 - c**2 + d**2) / (2 * d), np.array([-(r - q)[2], 0.0, (r - q)[0]]) / d
    s = q + along / d * (r - q) + np.sqrt(b**2 - along**2) * up
    builder = ModelBuilder("four-bar")
    for name, mass, ends in (
        ("crank", masses[0], (p, q)),
        ("coupler", masses[1], (q, s)),
        ("rocker", masses[2], (s, r)),
    ):
        reach = np.linalg.norm(ends[1] - ends[0])
        fields = {}
        if name == "crank":
            fields = {"velocity": speed * np.cross(Y, 0.5 * (q - p)), "angular_velocity": speed * np.array(Y)}
        builder.add_body(name, mass, mass * reach**2 / 12 * np.array([1.0, 1.2, 0.7]),
                         position=0.5 * (ends[0] + ends[1]), **fields)  # fmt: skip
    builder.add_joint("a", "revolute", "world", "crank", point=p, axis=Y)
    builder.add_joint("b", "revolute", "crank", "coupler", point=q, axis=Y)
    builder.add_joint("c", "revolute", "coupler", "rocker", point=s, axis=Y)
    builder.add_joint("d", "revolute", "rocker", "world", point=r, axis=Y)
    return builder.build()


def make_slider_crank():
    """A spatial slider-crank: a rod with a ball at one end and a universal joint at the other."""
    builder = ModelBuilder("slider-crank")
    crank, pin, slider = np.array([0.0, 0.1, 0.12]), np.array([0.0, 0.1, 0.2]), np.array([0.35, 0.0, 0.0])
    builder.add_body("crank", 0.12, (1e-4, 1e-4, 1e-4), position=0.5 * (crank + pin))
    builder.add_body("rod", 0.5, (4e-3, 4e-4, 4e-3), position=0.5 * (pin + slider))
    builder.add_body("slider", 2.0, (1e-3, 1e-3, 1e-3), position=slider)
    builder.add_joint("pivot", "revolute", "world", "crank", point=crank, axis=(1, 0, 0))
    builder.add_joint("ball", "spherical", "crank", "rod", point=pin)
    builder.add_joint("cross", "universal", "rod", "slider", point=slider, axis=pin - slider, x_axis=Y)
    builder.add_joint("guide", "prismatic", "world", "slider", point=slider, axis=(1, 0, 0))
    return builder.build()


def add_corner(builder, side, tie, *, spring=0.0):
    """A double wishbone on the chassis; the tie rod to body `tie` is a distance joint. `side`: 1 left, -1 right."""
    p = {name: np.array(value) * (1.0, side, 1.0) for name, value in HARDPOINTS.items()}
    mark = "left" if side > 0 else "right"
    uca, lca, upright = f"uca-{mark}", f"lca-{mark}", f"upright-{mark}"
    builder.add_body(uca, 5.813, (0.03, 0.033, 0.062), position=p["uca_com"])
    builder.add_body(lca, 23.965, (0.4, 0.5, 0.8938), position=p["lca_com"])
    builder.add_body(upright, 19.45, (0.1656, 0.1934, 0.04367), position=p["upright_com"])
    builder.add_joint(f"uca-hinge-{mark}", "revolute", "chassis", uca, point=p["uca_front"],
                      axis=p["uca_front"] - p["uca_back"])  # fmt: skip
    builder.add_joint(f"lca-hinge-{mark}", "revolute", "chassis", lca, point=p["lca_front"],
                      axis=p["lca_front"] - p["lca_back"])  # fmt: skip
    builder.add_joint(f"uca-ball-{mark}", "spherical", uca, upright, point=p["uca_ball"])
    builder.add_joint(f"lca-ball-{mark}", "spherical", lca, upright, point=p["lca_ball"])
    builder.add_body(f"wheel-{mark}", 71.0, (4.3, 7.4, 4.3), position=p["spindle"])
    builder.add_joint(f"spindle-{mark}", "revolute", upright, f"wheel-{mark}", point=p["spindle"], axis=Y)
    builder.add_distance(f"tierod-{mark}", tie, upright, point_a=p["tierod_inner"], point_b=p["tierod_outer"])
    if spring:
        builder.add_spring(f"spring-{mark}", "chassis", lca, point_a=p["spring_top"], point_b=p["spring_foot"],
                           stiffness=spring, free=0.255)  # fmt: skip


def add_steering(builder, angle=TURNED):
    """A Pitman arm that is driven, an idler arm, and the link between them."""
    p = {name: np.array(value) for name, value in PITMAN.items()}
    builder.add_body("pitman", 1.605, (0.00638, 0.00756, 0.0015), position=0.5 * (p["pivot"] + p["arm_ball"]))
    builder.add_body("idler", 1.605, (0.00638, 0.00756, 0.0015), position=0.5 * (p["idler_pivot"] + p["idler_ball"]))
    builder.add_body("link", 3.681, (0.252, 0.0233, 0.254), position=0.5 * (p["arm_ball"] + p["idler_ball"]))
    builder.add_joint("pitman-pivot", "revolute", "chassis", "pitman", point=p["pivot"], axis=PITMAN_AXIS)
    builder.add_joint("idler-pivot", "revolute", "chassis", "idler", point=p["idler_pivot"], axis=PITMAN_AXIS)
    builder.add_joint("arm-pin", "revolute", "pitman", "link", point=p["arm_ball"], axis=PITMAN_AXIS)
    builder.add_joint("idler-ball", "spherical", "link", "idler", point=p["idler_ball"])
    builder.add_motion("steering", "pitman-pivot", position=angle)


def make_suspension(sides=(1,), *, fixed=False, steering=False, spring=0.0, gravity=(0.0, 0.0, -9.81), angle=TURNED):
    """A chassis, free or fixed in the world, with corners and steering."""
    builder = ModelBuilder("suspension", gravity=gravity)
    builder.add_body("chassis", 2086.52, (1078.52, 2955.66, 3570.2), position=(0.056, 0.0, 0.213))
    if fixed:
        builder.add_joint("mount", "fixed", "world", "chassis", point=(0.0, 0.0, 0.0))
    if steering:
        add_steering(builder, angle)
    for side in sides:
        add_corner(builder, side, "link" if steering else "chassis", spring=spring)
    return builder.build()


def make_bricard():
    """Five rods of 1 m and six revolute joints along edges of a cube: one freedom, where counting rows gives none."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float)
    builder = ModelBuilder("Bricard", gravity=(0.0, -9.81, 0.0))
    for i in range(5):
        moments = 0.001 + (1.0 - np.abs(corners[i + 1] - corners[i])) / 12.0
        builder.add_body(f"rod{i}", 1.0, moments, position=0.5 * (corners[i] + corners[i + 1]))
    names = ["world", *(f"rod{i}" for i in range(5)), "world"]
    for i, axis in enumerate("yzxyzx"):
        builder.add_joint(
            f"pin{i}", "revolute", names[i], names[i + 1], point=corners[i], axis=np.eye(3)["xyz".index(axis)]
        )
    return builder.build()


def make_spun_four_bar():
    """A planar four-bar on a base that turns about an axis in its plane: the rows that hold it change."""
    points = np.array([[0, 0, 0], [0, 0, 0.4], [0.9, 0, 0.8], [1, 0, 0]], dtype=float)
    builder = ModelBuilder("spun four-bar", gravity=(0.0, 0.0, 0.0))
    builder.add_body("base", 50.0, (5.0, 8.0, 8.0), angular_velocity=(0.0, 0.0, 3.0))
    names = ["base", "crank", "coupler", "rocker", "base"]
    for i in range(3):
        middle = 0.5 * (points[i] + points[i + 1])
        builder.add_body(names[i + 1], 1.0 + i, (0.05, 0.06, 0.04), position=middle)
    for i in range(4):
        builder.add_joint("abcd"[i], "revolute", names[i], names[i + 1], point=points[i], axis=Y)
    return builder.build()


def make_hooke(bend, speed=5.0):
    """Two shafts in bearings on the ground, bent by an angle [rad] and joined by a universal joint where their axes
    meet. The pin of the first one is normal to the plane of both axes at the start."""
    axis, pin = np.array([1.0, 0.0, 0.0]), np.array(Y)
    bent = np.array([np.cos(bend), 0.0, np.sin(bend)])
    builder = ModelBuilder("Hooke", gravity=(0.0, 0.0, 0.0))
    builder.add_body("in", 1.0, (0.02, 0.03, 0.03), position=-0.5 * axis, angular_velocity=speed * axis)
    builder.add_body("out", 2.0, (0.03, 0.04, 0.05), position=0.4 * bent,
                     angular_velocity=speed * np.cos(bend) * bent)  # fmt: skip
    builder.add_joint("front", "revolute", "world", "in", point=-axis, axis=axis)
    builder.add_joint("cross", "universal", "in", "out", axis=np.cross(pin, np.cross(bent, pin)), x_axis=pin)
    builder.add_joint("rear", "revolute", "world", "out", point=bent, axis=bent)
    return builder.build()


def make_equal_slider_crank(angle=1.2, speed=2.0):
    """A slider-crank whose rod is as long as its crank: where the slider passes the pivot of the crank, both may also
    turn together."""
    builder = ModelBuilder("equal slider-crank", gravity=(0.0, 0.0, 0.0))
    x, z = np.cos(angle), np.sin(angle)
    pin, slider, spin = np.array([x, 0.0, z]), np.array([2.0 * x, 0.0, 0.0]), speed * np.array(Y)
    builder.add_body("crank", 1.0, (0.01, 0.1, 0.1), position=0.5 * pin, velocity=0.5 * speed * np.array([-z, 0.0, x]),
                     angular_velocity=-spin)  # fmt: skip
    builder.add_body("rod", 1.0, (0.01, 0.1, 0.1), position=0.5 * (pin + slider),
                     velocity=0.5 * speed * np.array([-3.0 * z, 0.0, x]), angular_velocity=spin)  # fmt: skip
    builder.add_body("slider", 2.0, (0.01, 0.01, 0.01), position=slider, velocity=(-2.0 * speed * z, 0.0, 0.0))
    builder.add_joint("pivot", "revolute", "world", "crank", axis=Y)
    builder.add_joint("pin", "revolute", "crank", "rod", point=pin, axis=Y)
    builder.add_joint("eye", "revolute", "rod", "slider", point=slider, axis=Y)
    builder.add_joint("guide", "prismatic", "world", "slider", point=slider, axis=(1, 0, 0))
    return builder.build()


def turn_model(model, rotation, size=1.0):
    """A model of bodies and joints turned as a whole about the origin by a matrix, and larger by a factor."""
    data = model.model_dump()
    quaternion = matrix_to_quaternion(rotation)

    def turn_frame(frame):
        frame["position"] = tuple(size * np.array(frame["position"]))
        if frame["body"] == "world":
            frame["position"] = tuple(rotation @ frame["position"])
            frame["orientation"] = tuple(multiply_quaternions(quaternion, frame["orientation"]))

    data["gravity"] = tuple(size * rotation @ data["gravity"])
    for body in data["bodies"].values():
        body["position"] = tuple(size * rotation @ body["position"])
        body["velocity"] = tuple(size * rotation @ body["velocity"])
        body["com"] = tuple(size * np.array(body["com"]))
        body["inertia"] = tuple(size**2 * np.array(body["inertia"]))
        body["orientation"] = tuple(multiply_quaternions(quaternion, body["orientation"]))
    for joint in data["joints"].values():
        turn_frame(joint["frame_a"])
        turn_frame(joint["frame_b"])
        if joint["length"] is not None:
            joint["length"] *= size
    return Model(**data)


def make_driven(model, **motions):
    """A linkage with prescribed angles of its joints [rad]."""
    fields = {"coordinate": "rotation", "quantity": "position"}
    drives = {f"drive-{joint}": {**fields, "joint": joint, "value": angle} for joint, angle in motions.items()}
    return model.with_changes(motions=drives)
