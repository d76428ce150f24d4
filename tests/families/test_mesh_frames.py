"""Frames on meshes: inside elements, in the middle of node sets, at nodes; what joins them, and what they measure."""

from __future__ import annotations

import numpy as np
import pytest

import grouser as gr
from grouser.compile.realization import Penalty
from grouser.errors import ModelError, UnsupportedError
from grouser.mesh.make import make_mesh_data
from grouser.model.body import make_inertia_matrix
from grouser.model.rotation import rotate
from grouser.output.report.arrows import make_arrow_sets
from grouser.output.report.page import save_report
from grouser.output.side_view import make_side_view
from grouser.presets import find_preset
from grouser.result.places import calc_places

STEEL = {"type": "linear", "young": 2e9, "poisson": 0.3, "density": 1000.0}
WAYS = (
    ("penalty", "trapezoidal"),
    ("penalty", "leapfrog"),
    ("penalty", "rk4"),
    ("implicit", "sdirk"),
    ("implicit", "generalised-alpha"),
)
TURNED = (0.8, 0.2, -0.4, 0.4)
"""An orientation along no axis."""
HOLDING = ("fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "distance")


def add_bar(builder, name="bar", *, length=1.0, count=6, **fields):
    """A bar of bricks along x from its origin, 40 mm square."""
    sides, origin = (length, 0.04, 0.04), (0.0, -0.02, -0.02)
    fields = {"material": STEEL, **fields}
    builder.add_mesh(name, "block", sides=sides, origin=origin, counts=(count, 1, 1), **fields)


def find_way(way):
    return find_preset(way[0]).with_integrator(way[1])


def add_pair(kind, place):
    """A body and a bar that fly and tumble, joined by a joint at a place of the bar."""
    builder = gr.ModelBuilder("pair", gravity=(0.0, 0.0, 0.0))
    builder.add_body("hub", 1.5, (0.02, 0.03, 0.04), com=(0.01, 0.02, 0.0), angular_velocity=(0.5, 2.0, -1.0))
    add_bar(builder, position=(0.1, 0.05, 0.0), orientation=TURNED, angular_velocity=(0.0, 2.0, 3.0), count=4)
    point = np.array([0.1, 0.05, 0.0]) + rotate(TURNED, (0.25 if place == "bar" else 0.0, 0.0, 0.0))
    if kind == "distance":
        builder.add_distance("link", "hub", place, point_a=(0.0, 0.0, 0.1), point_b=point)
    else:
        builder.add_joint("link", kind, "hub", place, point=point, axis=(0.3, 1.0, 0.2))
    return builder.build()


def calc_momenta(model, result):
    """Linear and angular momentum of bodies and of nodes in every frame."""
    data = make_mesh_data(model.meshes["bar"])
    x, v = (result.block(f"node/{name}")[0] for name in ("position", "velocity"))
    linear = np.einsum("n,fni->fi", data.masses, v)
    angular = np.einsum("n,fni->fi", data.masses, np.cross(x, v))
    hub = model.bodies["hub"]
    R, w = result.calc_rotations(["hub"])[:, 0], result["hub.angular_velocity"]
    lever = R @ np.array(hub.com)
    place = result["hub.position"] + lever
    speed = result["hub.velocity"] + np.cross(np.einsum("fij,fj->fi", R, w), lever)
    spin = np.einsum("fij,jk,fk->fi", R, make_inertia_matrix(hub.inertia), w)
    return linear + hub.mass * speed, angular + hub.mass * np.cross(place, speed) + spin


@pytest.mark.parametrize("kind", HOLDING)
@pytest.mark.parametrize("place", ["bar", "bar@x0"])
def test_joints_on_meshes_keep_momenta_and_energy(kind, place):
    """Inside an element, and on a face, which turns with its plane: forces and torques reach the nodes whole."""
    model = add_pair(kind, place)
    # both parts fly on their own at the start, so the joint takes a jolt: short steps resolve it
    result = gr.simulate(model, preset=find_way(("penalty", "trapezoidal")), duration=0.02, step=2e-6)
    linear, angular = calc_momenta(model, result)
    scale = np.linalg.norm(angular[0])
    assert np.ptp(linear, axis=0).max() < 1e-10
    # forces of damping act at frame b alone, off frame a by the gap of the joint
    assert np.ptp(angular, axis=0).max() < 1e-6 * scale
    assert result.summary["energy_residual"] < 5e-5
    assert result["link.deformation"].max() < 2e-3
    assert np.abs(result["link.force"]).max() > 1.0


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[1])
@pytest.mark.parametrize("place", ["bar", "bar@x0"])
def test_a_bar_on_a_revolute_swings_as_a_compound_pendulum(way, place):
    """From the horizontal, the angular speed at the lowest place is sqrt(3 g/L) for a slender bar; here with the width
    b, I = m (L^2/3 + b^2/12), of lumped masses: (L^2 + l^2/2)/3 with elements of the length l, and b^2/4."""
    builder = gr.ModelBuilder("pendulum")
    add_bar(builder)
    builder.add_joint("pin", "revolute", "world", place, axis=(0.0, 1.0, 0.0))
    model = builder.build()
    result = gr.simulate(model, preset=find_way(way), duration=1.0)
    data = make_mesh_data(model.meshes["bar"])
    inertia = data.masses @ (data.nodes[:, [0, 2]] ** 2).sum(axis=1)
    expected = np.sqrt(2.0 * 9.81 * (data.masses @ data.nodes[:, 0]) / inertia)
    fastest = np.abs(np.gradient(result["pin.coordinate"][:, 1], result.time)).max()
    assert fastest == pytest.approx(expected, rel=2e-3)
    assert result.summary["energy_residual"] < 2e-3
    assert result["pin.deformation"].max() < 1e-3


@pytest.mark.parametrize("kind", ["spherical", "cylindrical", "planar", "distance"])
def test_what_holds_a_point(kind):
    """A bead on a ball, on an inclined wire, in an inclined plane, on a thread: each of the accelerations is known."""
    builder = gr.ModelBuilder("bead")
    builder.add_point("bead", (0.0, 0.0, 0.0), mass=0.2)
    axis = np.array([np.sin(0.5), 0.0, np.cos(0.5)])
    if kind == "distance":
        builder.add_distance("hold", "world", "bead", point_a=(0.0, 0.0, 1.0), point_b=(0.0, 0.0, 0.0))
    else:
        builder.add_joint("hold", kind, "world", "bead", axis=axis)
    result = gr.simulate(builder.build(), preset="penalty", duration=0.3)
    gravity = np.array([0.0, 0.0, -9.81])
    along = {
        "spherical": 0.0 * gravity,
        "distance": 0.0 * gravity,
        "cylindrical": axis * (axis @ gravity),
        "planar": gravity - axis * (axis @ gravity),
    }[kind]
    np.testing.assert_allclose(result["bead.position"][-1], 0.5 * along * 0.3**2, atol=2e-4)
    held = 0.2 * (along - gravity)
    force = result["hold.force"][-1]
    assert np.linalg.norm(force) == pytest.approx(np.linalg.norm(held), rel=1e-2)


def test_springs_loads_and_sensors_on_a_mesh():
    """A free bar, pushed in the middle of its end and turned about its axis, measured inside an element."""
    builder = gr.ModelBuilder("pushed", gravity=(0.0, 0.0, 0.0))
    add_bar(builder, orientation=TURNED)
    ahead = rotate(TURNED, (1.0, 0.0, 0.0))
    builder.add_force("push", "bar@x0", force=tuple((3.2 * ahead).tolist()), torque=tuple((0.01 * ahead).tolist()))
    builder.add_sensor("middle", "bar", "velocity", point=0.5 * ahead)
    result = gr.simulate(builder.build(), preset="penalty", duration=0.2)
    model = result.model
    mass = make_mesh_data(model.meshes["bar"]).masses.sum()
    assert mass == pytest.approx(1.6)
    # the push also sends waves through the bar: their speed is small beside that of the whole after 0.2 s
    np.testing.assert_allclose(result["middle.value"][-1], 3.2 / mass * 0.2 * ahead, atol=4e-3)
    x, v = (result.block(f"node/{name}")[0][-1] for name in ("position", "velocity"))
    masses = make_mesh_data(model.meshes["bar"]).masses
    spin = masses @ np.cross(x - masses @ x / mass, v)
    assert spin @ ahead == pytest.approx(0.01 * 0.2, rel=1e-6)


@pytest.mark.parametrize(
    ("frame", "kind", "message"),
    [
        (
            {"body": "bar", "position": (2.0, 0.0, 0.0)},
            "spherical",
            r"position .* lies in no element; the nearest node",
        ),
        ({"body": "bar", "nodes": "x2"}, "spherical", "unknown node set 'x2'"),
        ({"body": "bar", "nodes": "x0", "position": (0.1, 0.0, 0.0)}, "spherical", "leave out one of both"),
        ({"body": "bar.999"}, "spherical", "unknown body 'bar.999'"),
        ({"body": "bar.3"}, "revolute", "does not turn, and a revolute joint holds rotations; use a spherical"),
        ({"body": "bar.3", "position": (0.1, 0.0, 0.0)}, "spherical", "is a point, which has no axes"),
        ({"body": "rope", "nodes": "end"}, "fixed", "does not turn, and a fixed joint holds rotations"),
        ({"body": "beam", "nodes": "all"}, "spherical", "names 3 nodes of thick beams"),
        ({"body": "hub", "nodes": "x0"}, "spherical", "'hub' is no mesh"),
        ({"body": "bar", "nodes": "x1"}, "spherical", "is between 'world' and 'bar', which both stay where they are"),
        ({"body": "rope.0"}, "spherical", "which both stay where they are"),
    ],
)
def test_frames_that_sit_nowhere_are_refused(frame, kind, message):
    line = {"section": {"rectangle": (0.01, 0.01)}, "material": STEEL, "count": 2}
    bar = {"type": "block", "sides": (1.0, 0.1, 0.1), "counts": (4, 1, 1), "material": STEEL, "fixed": ["x1"]}
    data = {
        "name": "bad",
        "bodies": {"hub": {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}},
        "meshes": {
            "bar": bar,
            "rope": {
                **{"type": "line", "element": "truss", "start": (0, 1, 0), "end": (1, 1, 0), "fixed": ["start"]},
                **line,
            },
            "beam": {"type": "line", "element": "beam_thick", "start": (0, 2, 0), "end": (1, 2, 0), **line},
        },
        "joints": {"j": {"type": kind, "frame_a": {}, "frame_b": frame}},
    }
    with pytest.raises(ModelError, match=message):
        gr.Model.model_validate(data)


def test_ideal_joints_on_meshes_are_refused():
    model = add_pair("revolute", "bar")
    with pytest.raises(UnsupportedError, match="is ideal and sits on points, between 'hub' and 'bar'"):
        gr.simulate(model, preset="constrained", duration=0.1)


def test_a_frame_on_thick_beams_moves_with_the_nearest_node():
    builder = gr.ModelBuilder("beam")
    section = {"rectangle": (0.02, 0.02)}
    builder.add_mesh(
        "beam", "line", element="beam_thick", start=(0, 0, 0), end=(1, 0, 0), count=4, section=section, material=STEEL
    )
    builder.add_joint("pin", "revolute", "world", "beam", point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    builder.add_sensor("tip", "beam", "position", point=(0.95, 0.0, 0.0))
    result = gr.simulate(builder.build(), preset="penalty", duration=0.3)
    R = result.calc_rotations(["beam.4"])[-1, 0]
    expected = result["beam.4.position"][-1] + R @ (-0.05, 0.0, 0.0)
    np.testing.assert_allclose(result["tip.value"][-1], expected, atol=1e-12)
    assert result["tip.value"][-1, 2] < -0.2


def test_pictures_and_reports_show_what_is_on_meshes(tmp_path):
    """Joints and springs between bodies, points and meshes: drawn where a picture knows an end, else left out."""
    builder = gr.ModelBuilder("shown")
    builder.add_body("hub", 1.5, (0.02, 0.03, 0.04), position=(1.2, 0.0, 0.0))
    builder.add_point("anchor", (0.5, 0.0, 1.0))
    add_bar(builder, count=4)
    builder.add_joint("pin", "revolute", "world", "bar@x0", axis=(0.0, 1.0, 0.0))
    builder.add_joint("end", "spherical", "bar@x1", "hub", point=(1.0, 0.0, 0.0))
    builder.add_spring("rope", "anchor", "bar", point_a=(0.5, 0.0, 1.0), point_b=(0.5, 0.0, 0.0), stiffness=100.0)
    builder.add_distance("rod", "anchor", "hub", point_a=(0.5, 0.0, 1.0), point_b=(1.2, 0.0, 0.0))
    result = gr.simulate(builder.build(), preset="penalty", duration=0.1, out=tmp_path / "shown.h5")
    sets = {one.key: one for one in make_arrow_sets(result)}
    assert sets["joints"].bodies == ("hub", "hub")
    assert sets["springs"].bodies == ("anchor",)
    (end,) = calc_places(result, [result.model.joints["end"].frame_a]).transpose(1, 0, 2)
    assert np.abs(end - result["hub.position"] - [-0.2, 0.0, 0.0]).max() < 0.1
    np.testing.assert_allclose(end, result["bar@x1.position"], atol=1e-12)
    make_side_view(result, 0.05)
    save_report({"shown": result}, tmp_path / "shown.html")
    assert "shown" in (tmp_path / "shown.html").read_text()


@pytest.mark.parametrize("poisson", [0.0, 0.3, 0.49])
@pytest.mark.parametrize("count", [6, 10])
def test_a_clamp_by_a_joint_lets_the_width_contract(poisson, count):
    """One brick through the thickness, fixed by a joint in the middle of its face and loaded at its tip: the deflection
    of Timoshenko, less the share 1/(4 n^2) of elements whose curvature is constant."""
    length, side, young, load = 1.0, 0.05, 2e8, 0.5
    builder = gr.ModelBuilder("cantilever", gravity=(0.0, 0.0, 0.0))
    rubber = {"type": "linear", "young": young, "poisson": poisson, "density": 1000.0}
    builder.add_mesh(
        "beam",
        "block",
        sides=(length, side, side),
        origin=(0.0, -0.5 * side, -0.5 * side),
        counts=(count, 1, 1),
        material={**rubber, "deviatoric": 0.02, "dilatational": 0.02},
    )
    builder.add_joint("clamp", "fixed", "world", "beam@x0")
    builder.add_force("load", "beam@x1", force=(0.0, 0.0, load))
    stiff = find_way(("implicit", "implicit-euler")).with_realization("*", Penalty(k=1e10, c=1e5, arm=0.02))
    result = gr.simulate(builder.build(), preset=stiff, duration=2.6, step=2e-3)
    tip = result["beam@x1.position"][:, 2]
    assert abs(tip[-1] - tip[-10]) < 1e-5 * tip[-1]
    bending = load * length**3 / (3.0 * young * side**4 / 12.0)
    shear = load * length / (5.0 / 6.0 * young / (2.0 + 2.0 * poisson) * side**2)
    assert tip[-1] / (bending + shear) == pytest.approx(1.0, abs=0.01)
    assert tip[-1] / (bending + shear) == pytest.approx(1.0 - 1.0 / (4.0 * count**2), abs=2e-3)


def test_a_turned_beam_that_spins_does_not_bend():
    """Nodes of thick beams turn as the whole does, whatever the orientation of the mesh."""
    builder = gr.ModelBuilder("spinning", gravity=(0.0, 0.0, 0.0))
    line = {"element": "beam_thick", "start": (-0.5, 0, 0), "end": (0.5, 0, 0), "count": 4}
    section = {"rectangle": (0.02, 0.03)}
    builder.add_mesh(
        "beam", "line", section=section, material=STEEL, orientation=TURNED, angular_velocity=(0.0, 0.0, 2.0), **line
    )
    result = gr.simulate(builder.build(), preset="penalty", duration=0.2)
    kinetic, stored = result["energy.kinetic"], result["energy.stored_elements"]
    assert stored.max() < 1e-4 * kinetic[0]
    axis = rotate(TURNED, (0.0, 0.0, 2.0))
    for i in range(5):
        R = result.calc_rotations([f"beam.{i}"])[-1, 0]
        np.testing.assert_allclose(R @ result[f"beam.{i}.angular_velocity"][-1], axis, rtol=1e-3)


def test_a_beam_beyond_all_range_is_told(tmp_path):
    line = {"element": "beam_thick", "start": (0, 0, 0), "end": (1e6, 0, 0), "count": 2}
    builder = gr.ModelBuilder("huge")
    builder.add_mesh("beam", "line", section={"rectangle": (1e3, 1e3)}, material=STEEL, **line)
    with pytest.raises(ModelError, match=r"meshes.beam: node 0 would be a body of .* kg m\^2, beyond all range"):
        gr.simulate(builder.build(), preset="penalty", duration=0.1)
