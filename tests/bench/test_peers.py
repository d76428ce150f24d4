"""The comparison with other programs: it runs, compares like with like, and does without what is not installed."""

import importlib.util
import json
import sys

import numpy as np
import peers
import pytest
from rows import Row, make_entries

from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.model.rotation import quaternion_to_matrix

KEYS = {
    "case", "program", "cost", "unit", "ratio", "step", "difference", "distance", "real_time_factor", "is_stable",
    "remark",
}  # fmt: skip
SAME = 1e-9
"""Poses and coordinates go through text of twelve digits."""
SURGE = 0.2
"""Difference of the way, as a share, half a second after pulling off: the hull surges on slack tracks, and other laws
of contact shift the phase of it by some centimetres."""


def run(monkeypatch, capsys, *options):
    """What is printed: to the user, and as warnings."""
    monkeypatch.setattr(sys, "argv", ["peers.py", *options])
    peers.main()
    return capsys.readouterr()


@pytest.mark.parametrize("peer", peers.PACKAGES)
def test_a_quick_run_compares_what_is_installed(monkeypatch, capsys, peer):
    out, warnings = run(monkeypatch, capsys, "--quick", "--json", "--only", peer)
    found = json.loads(out)
    if importlib.util.find_spec(peer) is None:
        assert found == {"rows": [], "skipped": {peer: warnings.strip()}}
        return
    first, *others = found["rows"]
    assert all(set(row) == KEYS for row in found["rows"])
    assert first["program"].startswith("grouser") and first["ratio"] == 1.0
    assert all(row["cost"] > 0.0 and row["is_stable"] in (None, True) for row in found["rows"])
    if peer == "pinocchio":
        assert all(row["difference"] < 1e-9 for row in found["rows"] if row["program"].startswith("Pinocchio"))
        assert {row["case"] for row in found["rows"]} == {f"articulated bodies, {n} links" for n in (16, 64)}
    else:
        # 3 mm of settling forward: the track sags and pulls
        assert all(row["distance"] == pytest.approx(first["distance"], abs=1e-3) for row in others)


def test_missing_peers_are_skipped_with_a_remedy(monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    out, warnings = run(monkeypatch, capsys)
    assert out == ""
    assert [line.split()[0] for line in warnings.splitlines()] == ["pinocchio", "mujoco"]
    assert all("pip install" in line for line in warnings.splitlines())


def test_ratios_are_to_the_first_row_of_the_case():
    rows = [Row("a", "we", 2.0, "us"), Row("b", "we", 5.0, "us"), Row("a", "they", 6.0, "us")]
    assert [entry["ratio"] for entry in make_entries(rows)] == [1.0, 1.0, 3.0]


def make_vehicle():
    return apply_scenario(load_vehicle("m113-paper"), load_scenario("straight"))


def test_mujoco_has_our_bodies_where_ours_are():
    mujoco = pytest.importorskip("mujoco")
    from mjcf import make_mjcf

    ours = make_vehicle()
    theirs = mujoco.MjModel.from_xml_string(make_mjcf(ours, 1e-3))
    data = mujoco.MjData(theirs)
    mujoco.mj_kinematics(theirs, data)
    for name, body in ours.bodies.items():
        i = theirs.body(name).id
        assert theirs.body_mass[i] == pytest.approx(body.mass)
        assert sorted(theirs.body_inertia[i]) == pytest.approx(sorted(body.inertia))
        assert data.xpos[i] == pytest.approx(body.position, abs=SAME)
        assert data.xmat[i].reshape(3, 3) == pytest.approx(quaternion_to_matrix(body.orientation), abs=SAME)
    assert theirs.nbody == len(ours.bodies) + 1
    assert theirs.opt.timestep == 1e-3


def test_mujoco_has_our_springs():
    mujoco = pytest.importorskip("mujoco")
    from mjcf import make_mjcf

    ours = make_vehicle()
    theirs = mujoco.MjModel.from_xml_string(make_mjcf(ours, 1e-3))
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    for side in ("left", "right"):
        # in the routed position springs have their preload, and no damper moves
        for name, joint in (("tension", "tensioner.slide"), ("torsion2", "arm2.pivot")):
            place = theirs.joint(f"{side}.{joint}").dofadr[0]
            assert data.qfrc_passive[place] == pytest.approx(ours.forces[f"{side}.{name}"].preload, rel=SAME)


def test_mujoco_has_our_friction():
    mujoco = pytest.importorskip("mujoco")
    from mjcf import GROUND, ROLLING, TEETH, make_mjcf

    ours = make_vehicle()
    theirs = mujoco.MjModel.from_xml_string(make_mjcf(ours, 1e-3))
    laws = {GROUND: "left.ground", ROLLING: "left.wheel_track", TEETH: "left.sprocket_track"}
    for bit, name in laws.items():
        mu = theirs.geom_friction[theirs.geom_contype == bit, 0]
        assert len(mu) == len(ours.tracks["left"].links) + len(ours.tracks["right"].links)
        assert mu == pytest.approx(ours.contacts[name].friction.mu)


def test_a_run_that_diverges_is_told():
    pytest.importorskip("mujoco")
    from peer_mujoco import drive_mujoco

    row = drive_mujoco(make_vehicle(), 1e-2, 3.0)  # with steps of 10 ms it lasts for some tenths of a second
    assert not row.is_stable and row.distance is None
    assert "ended at" in row.remark


def test_mujoco_drives_as_far_as_we_do():
    pytest.importorskip("mujoco")
    from peer_mujoco import drive_mujoco, drive_ours

    model = make_vehicle()
    for motion in model.motions:
        model = model.with_motion(motion, [(0.0, 0.0), (0.3, 0.0), (0.8, 4.0), (1.0, 4.0)])
    ours, theirs = drive_ours(model, "implicit", 1.0), drive_mujoco(model, 2e-3, 1.0)
    assert ours.is_stable and theirs.is_stable
    assert theirs.distance == pytest.approx(ours.distance, rel=SURGE)
    assert ours.distance > 0.3
    assert np.isfinite([theirs.cost, theirs.real_time_factor]).all()
