"""Meshes of webs: strips of bricks with cords, on lines and arcs, straight without stress; and what can be wrong."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import grouser as gr
from grouser.mesh.cells import list_materials
from grouser.mesh.make import find_mesh_faults, make_mesh_data
from grouser.mesh.trilinear import calc_determinants, calc_jacobians, calc_node_volumes
from grouser.model.material import LinearMaterial
from grouser.model.mesh import WebsMesh

RUBBER = LinearMaterial(young=1e7, poisson=0.49, density=1100.0, deviatoric=1e-3)
FABRIC = LinearMaterial(young=1e8, poisson=0.3, density=1300.0)
ANGLE = 0.2
"""Of an arc at both ends against its chord [rad]."""
CORDS: list[dict[str, Any]] = [
    {"level": 1, "modulus": 2e11, "area": 4e-4, "density": 6800.0},
    {"element": "beam_thin", "level": 1, "modulus": 2e11, "area": 1e-6, "iy": 6e-11},
]


def make_webs(**changes: Any) -> WebsMesh:
    """A straight web of 0.04 m, and one whose chord is as long, bent downwards at its end."""
    chord = 0.04
    t_a, t_b = (math.cos(ANGLE), 0.0, math.sin(ANGLE)), (math.cos(ANGLE), 0.0, -math.sin(ANGLE))
    given: dict[str, Any] = {
        "material": RUBBER,
        "ends": [((0.0, 0.0, 0.0), (chord, 0.0, 0.0)), ((1.0, 0.5, 0.0), (1.0 + chord, 0.5, 0.0))],
        "tangents": [((1.0, 0.0, 0.0), (1.0, 0.0, 0.0)), (t_a, t_b)],
        "width": 0.3,
        "rows": [{"thickness": 0.01}, {"thickness": 0.012, "material": FABRIC}],
        "below": 0.012,
        "counts": (3, 2),
        "cords": CORDS,
    }
    return WebsMesh.model_validate({**given, **changes})


def test_webs_have_the_nodes_masses_and_sets_of_their_strips() -> None:
    mesh = make_webs()
    data = make_mesh_data(mesh)
    assert len(data.nodes) == 2 * (4 * 3 * 3 + 2 * 3)  # grids, and the ends of clamps
    assert len(data.brick.node) == 2 * 3 * 2 * 2
    assert len(data.truss.node) == 2 * 3 * 3 and len(data.beam_thin.node) == 2 * 4 * 3
    assert data.truss.area.reshape(2, 3, 3).sum(axis=2) == pytest.approx(np.full((2, 3), 4e-4))
    assert list_materials(mesh) == (RUBBER, FABRIC)
    volumes = calc_node_volumes(data.relaxed, data.brick.node).sum(axis=1)
    length = np.array([0.04, 0.04 * ANGLE / math.sin(ANGLE)])
    for row, depth in enumerate((0.01, 0.012)):
        total = volumes[data.brick.material == row].reshape(2, -1).sum(axis=1)
        assert total == pytest.approx(0.3 * depth * length, rel=1e-12)
    mass = length.sum() * (0.3 * (0.01 * 1100.0 + 0.012 * 1300.0) + 4e-4 * 6800.0)
    assert data.masses.sum() == pytest.approx(mass, rel=1e-12)
    assert set(data.node_sets) == {"all", "start0", "end0", "start1", "end1"}
    for name in ("start0", "end0", "start1", "end1"):
        assert len(data.node_sets[name]) == 3 * 3 + 3
    # the inner row is above where the way runs along x
    inner = data.nodes[data.brick.node[data.brick.material == 0]][:6]
    assert inner[..., 2].min() == pytest.approx(0.0, abs=1e-15) and inner[..., 2].max() == pytest.approx(0.01)


def test_a_bent_web_lies_on_its_arc_and_is_straight_without_stress() -> None:
    data = make_mesh_data(make_webs(cords=[]))
    centre = np.array([1.02, -0.02 / math.tan(ANGLE)])
    radius = 0.02 / math.sin(ANGLE)
    second = data.nodes[36:].reshape(4, 3, 3, 3)
    away = np.hypot(second[..., 0] - centre[0], second[..., 2] - centre[1])
    assert away == pytest.approx(np.broadcast_to(radius + np.array([-0.012, 0.0, 0.01]), (4, 3, 3)))
    assert second[:, :, 0, 1] == pytest.approx(np.tile([0.35, 0.5, 0.65], (4, 1)))
    straight = data.relaxed[36:].reshape(4, 3, 3, 3)
    for axis in range(3):  # a grid: each coordinate follows one number alone
        spread = np.ptp(straight[..., axis], axis=tuple(k for k in range(3) if k != axis))
        assert np.abs(spread).max() < 1e-15
    for nodes in (data.nodes, data.relaxed):
        assert calc_determinants(calc_jacobians(nodes[data.brick.node], np.zeros((1, 3)))).min() > 0.0


BROKEN = {
    "no way": ({"ends": [((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))], "tangents": None}, "both ends at one place"),
    "no webs": ({"ends": [], "tangents": None}, "has 0 lines"),
    "tangents": ({"tangents": [((1.0, 0.0, 0.0), (1.0, 0.0, 0.0))]}, "1 pairs for 2 lines"),
    "no arc": ({"tangents": [((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))] * 2}, "not of an arc"),
    "above": ({"below": 0.03}, "below: is 0.03 m, and all rows together are 0.022 m thick"),
    "level": ({"cords": [{**CORDS[0], "level": 3}]}, "cords.0..level: is 3"),
    "beams": ({"cords": [{**CORDS[1], "iy": None}]}, "missing key 'iy'"),
    "rows": ({"rows": [{"thickness": 0.02, "material": {"type": "linear", "young": 1e7, "poisson": 0.6,
              "density": 1.0}}]}, "rows.0..material.poisson: is 0.6"),
    "many": ({"counts": (1000, 1000)}, "at most 1,000,000 are taken"),
    "damping": ({"material": RUBBER.model_copy(update={"damping": 1.0})}, "is damping of lines"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken_webs_are_refused(name: str) -> None:
    changes, text = BROKEN[name]
    faults = find_mesh_faults(make_webs(**changes))
    assert len(faults) == 1
    with pytest.raises(AssertionError, match=text):
        raise AssertionError(faults[0])


def pull(mesh: WebsMesh, force: float, torque: float) -> tuple[float, float]:
    """How far a body at the end of a web moves along it, and how far it turns [m], [rad]."""
    length = mesh.ends[0][1][0]
    builder = gr.ModelBuilder("strip", gravity=(0.0, 0.0, 0.0))
    builder.add_body("lug", 2.0, (0.02, 0.02, 0.02), position=(length + 0.02, 0.0, 0.0))
    given = {k: v for k, v in dict(mesh).items() if k not in ("type", "bonded", "fixed")}
    builder.add_mesh("web", "webs", **given, fixed=["start0"], bonded={"end0": "lug"})
    builder.add_force("load", "lug", force=(force, 0.0, 0.0), torque=(0.0, torque, 0.0))
    result = gr.simulate(builder.build(), preset="implicit", integrator="implicit-euler", step=0.01, duration=2.0)
    turn = 2.0 * math.asin(float(result["lug.orientation"][-1, 2]))
    return float(result["lug.position"][-1, 0]) - length - 0.02, turn


@pytest.mark.parametrize("element", ["truss", "beam_thin"])
def test_stiffness_of_a_web_is_that_of_its_rubber_and_its_cords(element: str) -> None:
    """In pull they share it. In bending a wide strip of rubber cannot become narrower, so it has E/(1 - nu^2); trusses
    in the middle add nothing, and thin beams their own stiffness."""
    young, nu, depth, width, length, iy = 1e7, 0.3, 0.02, 0.3, 0.15, 6e-11
    cord = {"element": element, "level": 1, "modulus": 2e11, "area": 4e-4}
    mesh = make_webs(
        ends=[((0.0, 0.0, 0.0), (length, 0.0, 0.0))],
        tangents=None,
        width=width,
        below=0.5 * depth,
        counts=(8, 2),
        material=RUBBER.model_copy(update={"poisson": nu}),
        rows=[{"thickness": 0.5 * depth}] * 2,
        cords=[cord | ({"iy": iy} if element == "beam_thin" else {})],
    )
    way, _ = pull(mesh, 1e4, 0.0)
    assert 1e4 * length / way == pytest.approx(2e11 * 4e-4 + young * width * depth, rel=0.02)
    own = 2e11 * iy if element == "beam_thin" else 0.0
    expected = own + young / (1.0 - nu**2) * width * depth**3 / 12.0
    _, turn = pull(mesh, 0.0, 1.0)
    assert length / turn == pytest.approx(expected, rel=0.02)
