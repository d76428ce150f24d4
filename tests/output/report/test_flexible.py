"""Flexible meshes in reports: what is packed, and what the viewer makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from browser import Browser, find_chromium, open_browser
from synthetic_meshes import SHAKE, make_mesh_result
from test_page import read_report
from test_viewer import COUNT_FRAMES, FRAMES, calc_change, find_faults, open_report, take_pixels

import grouser as gr
from grouser.errors import ResultError
from grouser.output.deforming import make_deforming
from grouser.output.mesh_motion import read_seen_nodes
from grouser.output.mesh_values import read_values
from grouser.output.report.page import make_report, make_small_view, save_report
from grouser.result.writer import ResultWriter

OPENS_WITHIN = 3.0
"""A report of a plate of 2,000 bricks is there after this time [s]."""
LARGEST = 15e6
"""Size of it [bytes]."""
needs_browser = pytest.mark.skipif(find_chromium() is None, reason="no Chromium: install it, or set GROUSER_CHROMIUM")


def test_nodes_are_packed_to_within_their_steps():
    result = make_mesh_result()
    facts, read, _ = read_report(make_report({"shaker": result}))
    scene = facts["runs"][0]["scene"]
    assert [mesh["name"] for mesh in scene["deforming"]] == list(result.model.meshes)
    for packed, mesh in zip(scene["deforming"], make_deforming(result.model), strict=True):
        frames = len(result.time)
        places = read(packed["middle"]).reshape(frames, 1, 3) + read(packed["offset"]).reshape(frames, -1, 3)
        # half a step of two bytes over the size of the mesh, and the rounding of float32
        assert places == pytest.approx(read_seen_nodes(result, mesh), abs=2.0 / 65534)
        assert read(packed["lines"]).size == mesh.lines.size and read(packed["skin"]).size == mesh.skin.size


def test_channels_hold_values_of_nodes_and_of_bars():
    result = make_mesh_result()
    facts, read, _ = read_report(make_report({"shaker": result}))
    channels = {channel["key"]: channel for channel in facts["runs"][0]["channels"]}
    # the first one is shown when a report opens
    assert list(channels)[:5] == ["surface_von_mises", "surface_strain", "von_mises", "strain", "axial_force"]
    assert channels["surface_von_mises"]["unit"] == channels["von_mises"]["unit"] == "MPa"
    meshes = make_deforming(result.model)
    for key, factor in (("surface_von_mises", 1e-6), ("von_mises", 1e-6), ("axial_force", 1.0)):
        for one in channels[key]["meshes"]:
            mesh = meshes[one["mesh"]]
            expected = read_values(result, mesh, key)[:, one["first"] : one["first"] + one["count"]]
            found = read(one["values"]).reshape(expected.shape)
            assert found == pytest.approx(factor * expected, abs=1e-4 * channels[key]["high"])
    assert [one["mesh"] for one in channels["axial_force"]["meshes"]] == [1, 2]
    # nodes of thick beams are bodies of the result, but none of the scene
    assert channels["speed"]["bodies"] == [0]


def test_stress_of_beams_by_gradients_is_that_of_their_bars():
    builder = gr.ModelBuilder("rod")
    material = {"type": "linear", "young": 1e7, "poisson": 0.0, "density": 1000.0}
    builder.add_mesh("rod", "line", element="ancf_beam", points=[(0, 0, 0), (1, 0, 0)], count=2, material=material,
                     section={"rectangle": (0.1, 0.1)}, fixed=["start"])  # fmt: skip
    with gr.simulate(builder.build(), preset="penalty", duration=0.01) as result:
        facts, read, _ = read_report(make_report({"rod": result}))
        channel = facts["runs"][0]["channels"][0]
        (one,) = channel["meshes"]
        stress = result["rod.ancf_beam.0.surface_von_mises"]
        found = read(one["values"]).reshape(len(result.time), one["count"])
        assert (channel["key"], one["first"], one["count"]) == ("surface_von_mises", 3, 2)
        assert stress[-1] > 0.0
        factor = {"Pa": 1.0, "kPa": 1e-3, "MPa": 1e-6}[channel["unit"]]
        assert found[:, 0] == pytest.approx(factor * stress, abs=1e-4 * channel["high"])


def test_large_meshes_have_fewer_frames():
    result = make_mesh_result(frames=101, is_alone=True)
    facts, read, _ = read_report(make_small_view({"plate": result}, most_poses=500))
    (mesh,) = facts["runs"][0]["scene"]["deforming"]
    count = read(mesh["middle"]).size // 3
    assert 5 < count < 101
    nodes = read(mesh["offset"]).size / 3 / count
    assert count * nodes * (3 + 2) <= 20 * 500 * 1.1
    assert read(facts["runs"][0]["scene"]["time"])[-1] == pytest.approx(1.0, abs=0.2)


def test_a_result_without_nodes_is_refused_by_name():
    model = make_mesh_result(is_alone=True).model
    writer = ResultWriter(None, header={}, blocks=[], model=model)
    writer.add_frames([0.0], {})
    with pytest.raises(ResultError, match="node/position"):
        make_report({"bare": writer.finish("done")})


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("flexible")
    save_report({"plate": make_mesh_result(counts=(50, 40), frames=401, is_alone=True)}, folder / "plate.html")
    save_report({"one": make_mesh_result(), "two": make_mesh_result()}, folder / "two.html")
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as opened:
        yield opened


@needs_browser
def test_a_plate_of_2000_bricks_opens_and_plays(browser: Browser, reports: Path) -> None:
    assert (reports / "plate.html").stat().st_size < LARGEST
    times = []
    for _ in range(3):  # the machine may be busy
        times.append(open_report(browser, reports / "plate.html"))
        if times[-1] < OPENS_WITHIN:
            break
    assert min(times) < OPENS_WITHIN
    still = take_pixels(browser)
    browser.run("report.player.toggle(true)")
    rates = []
    for _ in range(6):
        before = browser.find_cpu_times()
        frames, seconds = browser.run(COUNT_FRAMES)
        busy = max((now - before.get(pid, 0.0) for pid, now in browser.find_cpu_times().items()), default=seconds)
        rates.append(frames / min(seconds, max(busy, 0.01)))
        if rates[-1] >= FRAMES:
            break
    assert max(rates) >= FRAMES, rates
    browser.run("report.player.toggle(false)")
    browser.run("report.player.seek(0.25)")
    assert calc_change(still, take_pixels(browser)) > 0.05
    heights = np.array(browser.run("Array.from(report.stage.vehicles[0].flexible[0].places)")).reshape(-1, 3)[:, 2]
    # the middle plane shakes by SHAKE, and half of the thickness is 0.025 m
    assert (heights.min(), heights.max()) == pytest.approx((-SHAKE - 0.025, SHAKE + 0.025), abs=1e-3)
    assert find_faults(browser) == []


@needs_browser
def test_colours_and_legend_of_meshes(browser: Browser, reports: Path) -> None:
    open_report(browser, reports / "two.html")
    assert browser.run("document.querySelector('#legend').innerText").startswith("von Mises stress, surface [MPa]")
    browser.run("report.player.seek(0.25)")
    stress = take_pixels(browser)
    browser.run("report.controls.setColour('axial_force')")
    assert browser.run("document.querySelector('#legend').innerText").startswith("axial force [N]")
    force = take_pixels(browser)
    assert calc_change(stress, force) > 0.02
    browser.run("report.controls.setColour('none')")
    assert calc_change(force, take_pixels(browser)) > 0.02
    # the ghost of the second run can be hidden, with its meshes
    browser.run("report.controls.toggleRun(1)")
    assert not browser.run("report.stage.vehicles[1].flexible[0].solids[0].parent.visible")
    assert find_faults(browser) == []
