from __future__ import annotations

import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from grouser.errors import ResultError
from grouser.result.writer import Block, ResultWriter

POSITION = Block("body", "position", ("a", "b"), ("x", "y", "z"), "m", "world", "where it is")
TENSION = Block("link", "tension", ("a",), ("value",), "N")
BLOCKS = [POSITION, TENSION]


def make_frames(time: np.ndarray) -> dict[str, np.ndarray]:
    body = time[:, None, None] + np.arange(6.0).reshape(2, 3)
    return {"body/position": body, "link/tension": 10 * time[:, None, None]}


def make_writer(path: Path | None, **options) -> ResultWriter:
    return ResultWriter(path, header={"preset": "penalty", "step": 1e-4}, blocks=BLOCKS, **options)


@pytest.fixture(params=["disk", "memory"])
def place(request, tmp_path) -> Path | None:
    return tmp_path / "run.h5" if request.param == "disk" else None


def test_round_trip_keeps_every_number(place):
    writer = make_writer(place)
    first, second = np.linspace(0, 1, 300), np.linspace(1.1, 2, 57)
    for time in (first, second):
        writer.add_frames(time, make_frames(time))
    writer.add_event(0.25, "tooth_jump", "a", "a sentence with ü")
    result = writer.finish("interrupted", "stopped by the user", {"distance": 3.5, "events": []})
    time = np.concatenate([first, second])
    np.testing.assert_array_equal(result.time, time)
    np.testing.assert_array_equal(result["b.position"], make_frames(time)["body/position"][:, 1])
    np.testing.assert_array_equal(result["a.tension"], 10 * time)
    assert (result.status, result.message) == ("interrupted", "stopped by the user")
    assert dict(result.summary) == {"distance": 3.5, "events": []}
    assert dict(result.header) == {"preset": "penalty", "step": 1e-4}
    assert [(e.time, e.kind, e.element, e.message) for e in result.events] == [
        (0.25, "tooth_jump", "a", "a sentence with ü")
    ]


def test_frames_are_copied_so_that_the_caller_may_reuse_its_arrays(place):
    writer = make_writer(place, flush_every=1e9)
    buffer = {"body/position": np.zeros((1, 2, 3)), "link/tension": np.zeros((1, 1, 1))}
    for step in range(5):
        buffer["link/tension"][:] = step
        writer.add_frames([float(step)], buffer)
    assert writer.frame_count == 5
    np.testing.assert_array_equal(writer.finish("done")["a.tension"], np.arange(5.0))


def test_a_view_reads_the_run_before_it_is_finished(place):
    writer = make_writer(place, flush_every=1e9)
    time = np.arange(3.0)
    writer.add_frames(time, make_frames(time))
    view = writer.make_view()
    assert view.status == "partial"
    np.testing.assert_array_equal(view["a.tension"], 10 * time)
    writer.add_frames([3.0], make_frames(np.array([3.0])))
    assert len(writer.finish("done").time) == 4


def test_units_may_differ_between_items():
    block = Block("force", "force", ("shock", "bar"), ("value",), ("N", "N m"))
    result = ResultWriter(None, header={}, blocks=[block]).finish("done")
    assert [result.channels[name].unit for name in ("shock.force", "bar.force")] == ["N", "N m"]


def test_a_block_without_items_is_left_out():
    empty = Block("motion", "effort", (), ("value",), "N")
    writer = ResultWriter(None, header={}, blocks=[*BLOCKS, empty])
    writer.add_frames([0.0], {**make_frames(np.zeros(1)), "motion/effort": np.zeros((1, 0, 1))})
    assert not writer.finish("done").has_block("motion/effort")


def test_a_result_that_is_open_can_be_replaced(tmp_path):
    path = tmp_path / "run.h5"
    writer = make_writer(path)
    writer.add_frames([0.0], make_frames(np.zeros(1)))
    old = writer.finish("done")
    writer = make_writer(path)
    time = np.arange(4.0)
    writer.add_frames(time, make_frames(time))
    assert len(writer.finish("done").time) == 4
    assert old["a.tension"].shape == (1,)
    assert [file.name for file in tmp_path.iterdir()] == ["run.h5"]


def test_a_finished_file_opens_with_plain_hdf5(tmp_path):
    writer = make_writer(tmp_path / "run.h5")
    writer.add_frames([0.0], make_frames(np.zeros(1)))
    writer.finish("done").close()
    with h5py.File(tmp_path / "run.h5", "r") as file:
        assert file["body/position"].shape == (1, 2, 3)
        assert file["body/position"].attrs["unit"] == "m"
        assert list(file["run/items/body/position"].asstr()[:]) == ["a", "b"]


@pytest.mark.parametrize("content", [b"dear diary", None], ids=["text", "foreign hdf5"])
def test_only_an_earlier_result_is_overwritten(tmp_path, content):
    path = tmp_path / "precious.h5"
    if content is None:
        with h5py.File(path, "w") as file:
            file["data"] = 1.0
    else:
        path.write_bytes(content)
    before = path.read_bytes()
    with pytest.raises(ResultError, match="not overwritten"):
        make_writer(path)
    assert path.read_bytes() == before


def test_a_missing_folder_and_a_folder_are_refused(tmp_path):
    with pytest.raises(ResultError, match=r"folder .*nowhere does not exist"):
        make_writer(tmp_path / "nowhere" / "run.h5")
    with pytest.raises(ResultError, match="is a folder"):
        make_writer(tmp_path)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs a folder in which nobody can write")
def test_a_place_that_cannot_be_written_is_refused():
    with pytest.raises(ResultError, match="cannot be written"):
        make_writer(Path("/proc/run.h5"))


def test_a_full_disk_is_reported_in_a_sentence(tmp_path, monkeypatch):
    writer = make_writer(tmp_path / "run.h5", flush_every=0.0)

    def fail(*_, **__):
        raise OSError("No space left on device")

    monkeypatch.setattr(h5py.Dataset, "resize", fail)
    with pytest.raises(ResultError, match=r"run\.h5 cannot be written any more .*No space"):
        writer.add_frames([0.0], make_frames(np.zeros(1)))


@pytest.mark.parametrize(
    ("time", "change", "message"),
    [
        ([0.0], {"link/tension": None}, "without the blocks link/tension"),
        ([0.0], {"link/tensoin": np.zeros((1, 1, 1))}, "did you mean 'link/tension'"),
        ([0.0], {"body/position": np.zeros((1, 3, 2))}, r"shape \(1, 3, 2\), expected \(1, 2, 3\)"),
        ([0.0, 0.0], {}, "must increase"),
        ([-2.0], {}, "must increase"),
        ([float("nan")], {}, "must increase"),
        ([], {}, "at least one"),
    ],
)
def test_wrong_frames_are_refused_by_name(time, change, message):
    writer = make_writer(None)
    writer.add_frames([-1.0], make_frames(np.array([-1.0])))
    values = {**make_frames(np.array(time)), **change}
    with pytest.raises(ResultError, match=message):
        writer.add_frames(time, {name: value for name, value in values.items() if value is not None})


def test_nothing_can_be_added_to_a_finished_result():
    writer = make_writer(None)
    writer.finish("done")
    with pytest.raises(ResultError, match="finished"):
        writer.add_frames([0.0], make_frames(np.zeros(1)))
    with pytest.raises(ResultError, match="finished"):
        writer.add_event(0.0, "x", "y", "z")


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (Block("other", "tension", ("a",), ("value",), "N"), "'a.tension' occurs twice"),
        (Block("run", "x", ("c",), ("value",), "N"), "'run' is taken"),
        (Block("force", "force", ("c", "d"), ("value",), ("N",)), "2 items, but 1 units"),
    ],
)
def test_blocks_that_cannot_be_stored_are_refused(block, message):
    with pytest.raises(ResultError, match=message):
        ResultWriter(None, header={}, blocks=[*BLOCKS, block])


@pytest.mark.parametrize(("name", "words"), [("/dev/null", "special file"), ("run.txt", r"call it run\.h5")])
def test_a_result_is_an_ordinary_file_with_its_suffix(name, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ResultError, match=words):
        ResultWriter(Path(name), header={}, blocks=[])
    assert Path("/dev/null").is_char_device()
    assert not list(tmp_path.iterdir())
