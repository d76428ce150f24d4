"""Linear joints: counts, what they hold and what they leave free, and what is no joint."""

from __future__ import annotations

import numpy as np
import pytest
from ancf_statics import BeamMesh, CableMesh, make_line, make_rectangle, take_axis
from scipy.spatial.transform import Rotation

from grouser.families.ancf_beam.joints import LinearJoints
from grouser.families.ancf_beam.mass import assemble_mass, calc_beam_mass
from grouser.families.brick.material import make_linear

SECTION, DENSITY, SIZE = make_rectangle(0.1, 0.05), 1000.0, 0.2
MATERIAL = make_linear(1e7, 0.3)
Y = (0.0, 1.0, 0.0)


def make_links(count, loop=False):
    """Links of one element, each with nodes of its own, pinned one to the next along y; in a loop a polygon."""
    turns = -2.0 * np.pi * np.arange(count) / count if loop else np.zeros(count)
    frames = Rotation.from_rotvec(turns[:, None] * Y).as_matrix()
    corner = np.cumsum(np.vstack([[0.0, 0.0, 0.0], SIZE * frames[:, :, 0]]), axis=0)
    x = np.zeros((count, 2, 4, 3))
    x[:, 0, 0], x[:, 1, 0] = corner[:-1], corner[1:]
    x[:, :, 1:] = frames.swapaxes(1, 2)[:, None]
    pairs = np.arange(2 * count).reshape(count, 2)
    mesh = BeamMesh(x.reshape(-1, 3), pairs, SIZE, SECTION, MATERIAL)
    joints = LinearJoints(8 * count)
    for link in range(count if loop else count - 1):
        joints.add_pin(8 * link + 4, 8 * ((link + 1) % count), line=Y)
    return mesh, joints.reduce()


def find_q(reduced, x):
    """Independent coordinates of a shape."""
    return x[reduced.independent]


def test_a_pinned_node_has_18_degrees_of_freedom():
    for count in (2, 3, 24):
        _, reduced = make_links(count)
        assert reduced.freedom_count == 24 * count - 6 * (count - 1)
        _, closed = make_links(count, loop=True)
        assert closed.freedom_count == 18 * count
        assert closed.redundant == ()


def test_a_chain_keeps_its_joints():
    """Any q: both nodes at one place with one r_y, and all of the shape of a chain follows from q."""
    mesh, reduced = make_links(6, loop=True)
    assert reduced.expand(find_q(reduced, mesh.x)) == pytest.approx(mesh.x, abs=1e-14)
    x = reduced.expand(np.random.default_rng(0).normal(size=(len(reduced.independent), 3))).reshape(6, 2, 4, 3)
    second = np.roll(x[:, 0], -1, axis=0)
    assert x[:, 1, [0, 2]] == pytest.approx(second[:, [0, 2]], abs=1e-15)
    assert np.abs(x[:, 1, [1, 3]] - second[:, [1, 3]]).min() > 0.0


def test_links_turn_freely_about_their_pin_alone():
    """Links that turn against each other about the pin by any angle have no force; about another line they cannot."""
    mesh, reduced = make_links(3)
    for axis, is_free in ((Y, True), ((0.0, 0.0, 1.0), False)):
        x = mesh.x.reshape(3, 2, 4, 3).copy()
        corner = np.zeros(3)
        for link in range(3):
            R = Rotation.from_rotvec(1.1 * link * np.array(axis)).as_matrix()
            x[link, :, 1:] = R.T
            x[link, 0, 0], x[link, 1, 0] = corner, corner + SIZE * R[:, 0]
            corner = x[link, 1, 0]
        x = x.reshape(-1, 3)
        kept = reduced.expand(find_q(reduced, x))
        assert (np.abs(kept - x).max() < 1e-14) == is_free
        assert (np.abs(mesh.calc_forces(kept)).max() < 1e-9) == is_free


def test_a_line_between_the_axes_by_the_gradient_transformation():
    """A pin along (1, 2, 0.5) of one link and (0, 1, 0) of the other, whose coordinates lie otherwise."""
    line = np.array([1.0, 2.0, 0.5])
    joints = LinearJoints(16)
    joints.add_pin(4, 8, line=line, second_line=Y)
    reduced = joints.reduce()
    assert reduced.freedom_count == 42
    x = reduced.expand(np.random.default_rng(1).normal(size=(14, 3)))
    assert x[10] == pytest.approx(line @ x[5:8])


def test_reduced_mass_is_that_of_the_motion():
    """q.(B^T M B) q is the kinetic energy; constant, symmetric, definite; sparse as a ring of blocks."""
    mesh, reduced = make_links(24, loop=True)
    masses = calc_beam_mass(mesh.x[mesh.rows], SIZE, SECTION, DENSITY)
    M = assemble_mass(mesh.rows, masses, len(mesh.x))
    small = reduced.reduce(M)
    assert small.shape == (144, 144)
    assert np.linalg.eigvalsh(small.toarray())[0] > 0.0
    assert np.diff(small.indptr).max() <= 3 * 6
    q = np.random.default_rng(2).normal(size=(144, 3))
    v = reduced.expand(q)
    assert np.vdot(q, small @ q) == pytest.approx(np.vdot(v, M @ v))
    f = np.random.default_rng(3).normal(size=mesh.x.shape)
    assert np.vdot(q, reduced.collect(f)) == pytest.approx(np.vdot(v, f))


def test_a_pinned_chain_swings_as_a_pendulum():
    """Two stiff links, one pinned to the world: all rates of the rigid pendulum from rest, within the stretch."""
    mesh, _ = make_links(2)
    joints = LinearJoints(16)
    joints.add_pin(4, 8, line=Y)
    joints.add_clamp(0, mesh.x[:1])
    joints.add_condition("line of the pin", {2: 1.0}, np.array(Y))
    reduced = joints.reduce()
    M = assemble_mass(mesh.rows, calc_beam_mass(mesh.x[mesh.rows], SIZE, SECTION, DENSITY), 16)
    fall = np.zeros((16, 3))
    fall[::4, 2] = -9.81
    small = reduced.reduce(M).toarray()
    # rigid links: solve for rates with gradients that turn alone
    J = np.zeros((len(reduced.independent) * 3, 2))
    for link in range(2):
        v = np.zeros((2, 2, 4, 3))
        spin = np.cross(Y, np.eye(3))
        v[link, :, 1:] = spin
        v[link, 1, 0] = SIZE * spin[0]
        v[link + 1 :, :, 0] = SIZE * spin[0]
        rates = v.reshape(16, 3)
        assert reduced.B @ rates[reduced.independent] == pytest.approx(rates, abs=1e-15)
        J[:, link] = rates[reduced.independent].ravel()
    inertia = J.T @ np.kron(small, np.eye(3)) @ J
    mass, own = DENSITY * SIZE * SECTION.area, SIZE**2 + 0.05**2
    i = mass * own / 12.0
    exact = np.array(
        [[i + 1.25 * mass * SIZE**2, 0.5 * mass * SIZE**2], [0.5 * mass * SIZE**2, i + 0.25 * mass * SIZE**2]]
    )
    assert inertia == pytest.approx(exact, rel=1e-12)
    assert J.T @ reduced.collect(M @ fall).ravel() == pytest.approx(9.81 * mass * SIZE * np.array([1.5, 0.5]))


def test_rigid_joint_and_clamp():
    """A corner of 90 degrees that stays one; a clamp leaves nothing of its node."""
    joints = LinearJoints(16)
    turn = Rotation.from_rotvec([0.0, 0.0, np.pi / 2.0]).as_matrix()
    joints.add_rigid(4, 8, turn)
    joints.add_clamp(0, np.vstack([np.zeros(3), np.eye(3)]))
    reduced = joints.reduce()
    assert reduced.freedom_count == 24
    x = reduced.expand(np.random.default_rng(4).normal(size=(8, 3)))
    assert x[:4] == pytest.approx(np.vstack([np.zeros(3), np.eye(3)]))
    assert x[8] == pytest.approx(x[4])
    assert pytest.approx(x[5:8].T @ turn) == x[9:12].T


def test_a_node_on_a_rigid_body_moves_with_it():
    """Body at the rows 8 to 11; a beam's node and, in the same way, a cable's."""
    place, gradients = np.array([0.1, -0.2, 0.3]), Rotation.from_rotvec([0.3, 0.2, 0.1]).as_matrix()
    for columns in (3, 1):
        joints = LinearJoints(12)
        joints.add_body(0, 8, place, gradients[:, :columns])
        reduced = joints.reduce()
        assert len(reduced.independent) == 12 - 1 - columns
        R, X = Rotation.from_rotvec([1.0, -2.0, 0.5]).as_matrix(), np.array([4.0, 5.0, 6.0])
        x = np.zeros((12, 3))
        x[8], x[9:12] = X, R.T
        x = reduced.expand(find_q(reduced, x))
        assert x[0] == pytest.approx(X + R @ place)
        assert pytest.approx(R @ gradients[:, :columns]) == x[1 : 1 + columns].T


def test_redundant_conditions_are_named():
    joints = LinearJoints(16)
    for _ in range(2):
        joints.add_pin(4, 8, line=Y)
    reduced = joints.reduce()
    assert reduced.freedom_count == 42
    assert reduced.redundant == ("joint of the nodes 4 and 8", "pin of the nodes 4 and 8")


def test_a_clamped_cable_bends_by_reduced_coordinates():
    """Newton's method on q is that on the rows that are free."""
    x, pairs = make_line(5, 1.0)
    mesh = CableMesh(take_axis(x), pairs, 0.25, axial=1e4, bending=1.0)
    joints = LinearJoints(10)
    joints.add_clamp(0, mesh.x[:2])
    reduced = joints.reduce()
    B = np.kron(reduced.B.toarray(), np.eye(3))
    load = np.zeros_like(mesh.x)
    load[-2, 2] = 0.1
    for _ in range(12):
        K = B.T @ mesh.add_up(mesh.calc_tangents()[0]).toarray() @ B
        step = np.linalg.solve(K, reduced.collect(mesh.calc_forces() + load).ravel())
        mesh.x = mesh.x + (B @ step).reshape(-1, 3)
    assert mesh.x[-2, 2] == pytest.approx(0.1 / 3.0, rel=0.01)
    assert mesh.x[:2] == pytest.approx(mesh.reference[:2])


@pytest.mark.parametrize(
    ("add", "said"),
    [
        (lambda j: j.add_pin(4, 8, line=(0.0, 0.0, 0.0)), r"pin of the nodes 4 and 8: its line is \[0.0, 0.0, 0.0\]"),
        (lambda j: j.add_pin(4, 16, line=Y), r"there is no row 16; rows are 0 to 15"),
        (lambda j: j.add_pin(4, 8, line=(np.nan, 0.0, 0.0)), r"give a direction in x, y, z"),
        (lambda j: j.add_rigid(4, 8, np.zeros((3, 3))), r"give three directions that span the space"),
        (lambda j: j.add_clamp(0, [[np.inf, 0.0, 0.0]]), r"clamp of the node 0: factors and value must be finite"),
        (
            lambda j: (j.add_clamp(0, np.zeros((1, 3))), j.add_clamp(0, np.ones((1, 3)))),
            r"contradicts .* by 1: a chain",
        ),
        (
            lambda j: (j.add_clamp(4, np.zeros((1, 3))), j.add_clamp(8, np.ones((1, 3))), j.add_ball(4, 8)),
            r"joint of the nodes 4 and 8 contradicts the conditions before it",
        ),
    ],
)
def test_what_is_no_joint_is_refused(add, said):
    joints = LinearJoints(16)
    with pytest.raises(ValueError, match=said):
        add(joints)
        joints.reduce()
