"""Long runs: what is told of them does not depend on how many frames are in memory, which does not grow with them."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from synthetic_track import Drive, make_result

from grouser.output.gltf import save_glb
from grouser.output.render import Shot, save_still
from grouser.output.run_panels import make_run_panels
from grouser.output.scene import make_scene
from grouser.result import export, file
from grouser.result import result as results
from grouser.result.export import export_result
from grouser.result.loads import _Sums, calc_statistics
from grouser.result.metrics import calc_summary
from grouser.result.result import Result, load_result
from grouser.result.writer import Block, ResultWriter

FAULTS = Drive(duration=1.2, jump_time=0.5, thrown_time=0.9, airborne=(0.3, 0.55), broken_time=0.8)


def list_numbers(values: dict[str, Any]) -> dict[str, float]:
    """All numbers of nested dicts, by their paths; None is one that no sum can give."""
    found: dict[str, float] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            found |= {f"{name}/{key}": number for key, number in list_numbers(value).items()}
        else:
            found[name] = -1e99 if value is None else value
    return found


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    def set_frames(count: int) -> None:
        monkeypatch.setattr(results, "MOST_AT_ONCE", count * 34)
        monkeypatch.setattr(file, "STRETCH_BYTES", count * 8 * 34 * 4)
        monkeypatch.setattr(export, "MOST_CELLS", count * 500)

    return set_frames


@pytest.mark.parametrize("count", [1, 3, 50])
@pytest.mark.parametrize("drive", [FAULTS, Drive(yaw_rate=0.5, duration=0.7)], ids=["faults", "turn"])
def test_a_summary_is_the_same_in_parts(count: int, drive: Drive, small_parts: Callable[[int], None]) -> None:
    result = make_result(drive)
    whole = calc_summary(result)
    if drive is FAULTS:
        assert {event["kind"] for event in whole["events"]} > {"tooth_jump", "detracking", "broken_link"}
    small_parts(count)
    assert len(list(result.split_frames())) >= len(result.time) / count
    parts = calc_summary(result)
    assert parts.pop("events") == whole.pop("events")
    assert list_numbers(parts) == pytest.approx(list_numbers(whole), rel=1e-12)


@pytest.mark.parametrize("count", [1, 7])
def test_panels_scenes_and_exports_are_the_same_in_parts(
    count: int, tmp_path: Path, small_parts: Callable[[int], None]
) -> None:
    result = make_result(Drive(yaw_rate=0.5, duration=0.3))
    scene, panels = make_scene(result, 20.0), make_run_panels(result)
    for suffix in ("csv", "mat"):
        export_result(result, tmp_path / f"whole.{suffix}")
    whole = save_glb(result, tmp_path / "whole.glb").read_bytes()
    small_parts(count)
    assert save_glb(result, tmp_path / "parts.glb").read_bytes() == whole
    again = make_scene(result, 20.0)
    np.testing.assert_array_equal(again.position, scene.position)
    np.testing.assert_array_equal(again.quaternion, scene.quaternion)
    for one, other in zip(make_run_panels(result), panels, strict=True):
        for line, same in zip(one.lines, other.lines, strict=True):
            np.testing.assert_allclose(line.y, same.y, rtol=1e-12, atol=1e-12)
    for suffix in ("csv", "mat"):
        export_result(result, tmp_path / f"parts.{suffix}")
        texts = [(tmp_path / f"{stem}.{suffix}").read_bytes()[128:] for stem in ("whole", "parts")]
        assert texts[0] == texts[1]


def test_parquet_files_are_the_same_in_parts_and_keep_little_of_each(
    tmp_path: Path, small_parts: Callable[[int], None]
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    result = make_result(Drive(yaw_rate=0.5, duration=0.3))
    export_result(result, tmp_path / "whole.parquet")
    small_parts(1)
    export_result(result, tmp_path / "parts.parquet")
    assert parquet.read_table(tmp_path / "parts.parquet").equals(parquet.read_table(tmp_path / "whole.parquet"))
    about = parquet.ParquetFile(tmp_path / "parts.parquet").metadata
    assert about.num_row_groups > 1
    assert not about.row_group(0).column(0).is_stats_set
    export_result(result, tmp_path / "some.parquet", ["chassis.position.z", "chassis.velocity"])
    names = ["time", "chassis.position.z", *(f"chassis.velocity.{axis}" for axis in "xyz")]
    assert parquet.read_table(tmp_path / "some.parquet").column_names == names


def test_some_frames_are_a_result_of_their_own() -> None:
    result = make_result(Drive(duration=0.5))
    for frames in (slice(3, 9), slice(None), slice(0, 0), np.array([0, 1, 7, 40]), np.array([5])):
        part = result.with_frames(frames)
        np.testing.assert_array_equal(part.time, result.time[frames])
        np.testing.assert_array_equal(part["chassis.position"], result["chassis.position"][frames])
        np.testing.assert_array_equal(part.block("body/orientation")[0], result.block("body/orientation")[0][frames])
        np.testing.assert_array_equal(part.main_rotation, result.main_rotation[frames])
    part = result.with_frames(slice(2, 40)).with_frames(np.array([1, 5, 30]))
    np.testing.assert_array_equal(part.time, result.time[[3, 7, 32]])


@pytest.mark.parametrize("count", [1, 2, 99, 100, 101, 1000, 12345])
def test_quantiles_in_parts_are_exact(count: int) -> None:
    values = np.random.default_rng(count).standard_normal(count) ** 3
    for made in (values, np.round(values), np.where(values > 2.0, np.inf, values), np.append(values[1:], np.nan)):
        sums = _Sums(count)
        for part in np.array_split(made, min(7, count)):
            sums.add(part)
        with np.errstate(all="ignore"):
            assert list_numbers(sums.calc()) == pytest.approx(list_numbers(calc_statistics(made)), rel=1e-12)


def repeat(result: Result, path: Path, times: int) -> None:
    """A long result: the frames of a short one again and again."""
    infos = result.channels
    blocks = []
    for name in dict.fromkeys(info.block for info in infos.values()):
        items = result.list_items(name)
        family, quantity = name.split("/")
        info = infos[f"{items[0]}.{quantity}"]
        blocks.append(Block(family, quantity, items, info.components, info.unit, info.frame))
    values = {block.name: result.block(block.name)[0] for block in blocks}
    with ResultWriter(path, header={}, blocks=blocks, model=result.model, flush_every=0.0) as writer:
        for number in range(times):
            writer.add_frames(0.01 * (np.arange(len(result.time)) + number * len(result.time)), values)
        writer.finish("done", "", {}).close()


def find_peak(path: Path, work: Callable[[Result], object]) -> int:
    with load_result(path) as result:
        result.model  # noqa: B018
        tracemalloc.start()
        try:
            work(result)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()


WORKS: dict[str, tuple[Callable[[Result], object], int]] = {
    "summary": (calc_summary, 700),
    "panels": (make_run_panels, 700),
    "csv": (lambda result: export_result(result, Path("long.csv")), 100),
    "scene": (lambda result: make_scene(result, 1.0), 150),
    "3D file": (lambda result: save_glb(result, Path("long.glb")), 150),
    "picture": (lambda result: save_still(result, Path("long.png"), None, Shot(size=(64, 36))), 700),
}
"""What is made of a result, and how many bytes of memory a further frame may take: signals of single bodies. Painting
takes 75 MB, give or take 0.4 MB, which is 200 bytes a frame here."""


@pytest.mark.parametrize("what", WORKS)
def test_memory_hardly_grows_with_the_duration(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_parts: Callable[[int], None]
) -> None:
    monkeypatch.chdir(tmp_path)
    small_parts(100)
    frame = make_result(Drive(duration=1.0))
    short, long = tmp_path / "short.h5", tmp_path / "long.h5"
    repeat(frame, short, 5)
    repeat(frame, long, 25)
    size = (long.stat().st_size - short.stat().st_size) / (20 * len(frame.time))
    work, most = WORKS[what]
    find_peak(short, work)  # what is loaded only once is no growth
    growth = (find_peak(long, work) - find_peak(short, work)) / (20 * len(frame.time))
    assert growth < most < size / 4, f"{growth:.0f} of {size:.0f} bytes a frame"
