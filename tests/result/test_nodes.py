"""Motion of the nodes of thick beams that are no bodies, since the world or a body holds them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import grouser as gr
from grouser.output.report.page import save_report
from grouser.output.vtk_series import save_series
from grouser.result.nodes import read_nodes

STEEL = {"type": "linear", "young": 1e9, "poisson": 0.3, "density": 2000.0}


def test_held_nodes_of_thick_beams_move_with_what_holds_them(tmp_path: Path) -> None:
    """A beam between a fixed end and a body that turns: its report and its series of VTK files show all nodes."""
    builder = gr.ModelBuilder("held")
    builder.add_body("hub", 5.0, (1.0, 1.0, 1.0), position=(1.2, 0.0, 0.1), angular_velocity=(0.0, 1.0, 0.0))
    beam = {"element": "beam_thick", "section": {"rectangle": (0.02, 0.02)}, "material": STEEL, "count": 4}
    builder.add_mesh("beam", "line", start=(0, 0, 0), end=(1, 0, 0), fixed=["start"], bonded={"end": "hub"}, **beam)
    result = gr.simulate(builder.build(), preset="penalty", duration=0.05, out=tmp_path / "held.h5")
    places, velocities = (read_nodes(result, "beam", quantity) for quantity in ("position", "velocity"))
    assert not places[:, 0].any() and not velocities[:, 0].any()
    np.testing.assert_array_equal(places[:, 2], result["beam.2.position"])
    arm = places[:, 4] - result["hub.position"]
    np.testing.assert_allclose(np.linalg.norm(arm, axis=1), np.hypot(0.2, 0.1), rtol=1e-12)
    spin = np.einsum("fij,fj->fi", result.calc_rotations(["hub"])[:, 0], result["hub.angular_velocity"])
    np.testing.assert_allclose(velocities[:, 4], result["hub.velocity"] + np.cross(spin, arm), atol=1e-12)
    np.testing.assert_array_equal(read_nodes(result, "beam", "position", [4, 1]), places[:, [4, 1]])
    save_report({"held": result}, tmp_path / "held.html")
    pytest.importorskip("meshio")
    save_series(result, tmp_path / "held.pvd")
