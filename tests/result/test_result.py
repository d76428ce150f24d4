from __future__ import annotations

import struct
import sys

import h5py
import numpy as np
import pandas
import pytest
from synthetic_track import LINKS, Drive, make_model, make_result

from grouser.errors import ResultError
from grouser.model.document import parse_document
from grouser.model.model import Model
from grouser.model.schema import validate_document
from grouser.result.export import export_result
from grouser.result.result import load_result
from grouser.result.unfinished import calc_checksum
from grouser.result.writer import Block, ResultWriter


@pytest.fixture(scope="module")
def result():
    return make_result(Drive(duration=0.5))


@pytest.fixture
def path(tmp_path):
    make_result(Drive(duration=0.5), tmp_path / "run.h5").close()
    return tmp_path / "run.h5"


def test_channels_have_shape_unit_and_frame(result):
    frames = len(result.time)
    assert result["chassis.position"].shape == (frames, 3)
    assert result["left.link3.tension"].shape == (frames,)
    assert result["energy.kinetic"].shape == (frames,)
    info = result.channels["chassis.position"]
    assert (info.unit, info.frame, info.components) == ("m", "world", ("x", "y", "z"))
    assert info.description == "position of the body's origin"
    assert result.channels["left.pin0.coordinate"].component_units == ("m", "rad")
    assert result.channels["chassis.velocity"].component_units == ("m/s",) * 3


def test_an_unknown_channel_is_answered_with_the_nearest(result):
    with pytest.raises(ResultError, match=r"unknown channel 'chasis.position': did you mean 'chassis.position'"):
        result["chasis.position"]
    assert "chassis.position" in result
    assert "chasis.position" not in result


def test_single_components_are_channels_too(result):
    np.testing.assert_array_equal(result["chassis.position.z"], result["chassis.position"][:, 2])
    np.testing.assert_array_equal(result["left.pin0.coordinate.rotation"], result["left.pin0.coordinate"][:, 1])
    assert "chassis.position.z" in result
    for name in ("chassis.position.w", "energy.kinetic.value", "position.x", 3):
        assert name not in result
    with pytest.raises(ResultError, match=r"unknown channel 'chassis.position.w': did you mean 'chassis.position'"):
        result["chassis.position.w"]
    columns = result.read_columns(["chassis.position.z", "energy.kinetic", "left.pin0.*"])
    assert list(columns)[:2] == ["chassis.position.z", "energy.kinetic"]
    assert columns["left.pin0.coordinate.rotation"][0] == "rad"
    assert list(result.to_pandas("chassis.position.z").columns) == ["chassis.position.z"]


def test_csv_and_pandas_name_their_columns_alike(result, tmp_path):
    names = ["chassis.position", "left.pin0.coordinate.rotation", "left.link0.tension"]
    table = result.to_pandas(names, with_units=True)
    assert list(table.columns)[-2:] == ["left.pin0.coordinate.rotation [rad]", "left.link0.tension [N]"]
    assert table.index.name == "time [s]"
    export_result(result, tmp_path / "a.csv", names)
    read = pandas.read_csv(tmp_path / "a.csv", index_col="time [s]")
    pandas.testing.assert_frame_equal(read, table)
    plain = result.to_pandas(names)
    assert [f"{name} [{plain.attrs['units'][name]}]" for name in plain.columns] == list(table.columns)


def test_blocks_can_be_read_whole_or_in_part(result):
    values, items = result.block("link/tension")
    assert values.shape == (len(result.time), 2 * LINKS, 1)
    some, names = result.block("link/tension", ["right.link1", "left.link0"])
    assert names == ("right.link1", "left.link0")
    np.testing.assert_array_equal(some[:, 0], values[:, items.index("right.link1")])
    with pytest.raises(ResultError, match="did you mean 'link/tension'"):
        result.block("link/tensions")
    with pytest.raises(ResultError, match=r"did you mean 'left\.link1'"):
        result.block("link/tension", ["left.lnk1"])


def test_channels_are_found_by_pattern(result):
    assert result.find_channels(["left.*.tension", "energy.kinetic"]) == [
        *(f"left.link{i}.tension" for i in range(LINKS)),
        "energy.kinetic",
    ]
    assert result.find_channels() == list(result.channels)
    with pytest.raises(ResultError, match=r"no channel matches the pattern 'middle\.\*'"):
        result.find_channels("middle.*")


def test_the_model_comes_back_equal(tmp_path):
    with make_result(Drive(duration=0.1), tmp_path / "run.h5") as result:
        assert result.model == make_model()
        assert validate_document(Model, parse_document(result.model_yaml)) == make_model()
        assert result.main_body == "chassis"


def test_rotations_turn_body_axes_to_the_world():
    result = make_result(Drive(duration=1.0, sprocket_speed=2.0, yaw_rate=0.7))
    rotation = result.calc_rotations(["chassis", "left.sprocket"])
    yaw, spin = 0.7 * result.time, 2.0 * result.time
    forward = np.stack([np.cos(yaw), np.sin(yaw), 0 * yaw], axis=1)
    np.testing.assert_allclose(rotation[:, 0, :, 0], forward, atol=1e-14)
    spun = np.cos(spin)[:, None] * forward - np.sin(spin)[:, None] * [0, 0, 1]
    np.testing.assert_allclose(rotation[:, 1, :, 0], spun, atol=1e-14)
    identity = np.einsum("fbij,fbkj->fbik", rotation, rotation)
    np.testing.assert_allclose(identity, np.broadcast_to(np.eye(3), identity.shape), atol=1e-14)


def test_pandas_has_a_column_per_component_with_units(result):
    table = result.to_pandas(["chassis.position", "left.pin0.coordinate", "left.link0.tension"])
    assert list(table.columns) == [
        "chassis.position.x",
        "chassis.position.y",
        "chassis.position.z",
        "left.pin0.coordinate.translation",
        "left.pin0.coordinate.rotation",
        "left.link0.tension",
    ]
    assert table.index.name == "time"
    np.testing.assert_array_equal(table["chassis.position.x"], result["chassis.position"][:, 0])
    units = table.attrs["units"]
    assert (units["left.pin0.coordinate.rotation"], units["left.link0.tension"]) == ("rad", "N")
    assert result.to_pandas("energy.*", time_as_index=False).columns[0] == "time"
    assert result.to_pandas().shape == (len(result.time), sum(len(c.components) for c in result.channels.values()))


def test_xarray_shares_dimensions_and_has_units(result):
    data = result.to_xarray(["chassis.position", "chassis.velocity", "left.link0.tension"])
    assert data["chassis.position"].dims == data["chassis.velocity"].dims == ("time", "xyz")
    assert data["left.link0.tension"].attrs["units"] == "N"
    np.testing.assert_array_equal(data["chassis.position"].sel(xyz="x"), result["chassis.position"][:, 0])


def test_a_missing_library_is_named_with_its_extra(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(ResultError, match=r"grouser\[export\]"):
        result.to_xarray()


def test_it_describes_itself_in_a_line_and_in_html(path):
    with load_result(path) as result:
        assert "small-track" in repr(result) and "51 to 0.5 s" in repr(result)
        assert result._repr_html_().startswith("<table>")
    assert "closed" in repr(result)


def test_a_closed_result_keeps_what_was_read_and_says_why_there_is_no_more(path):
    with load_result(path) as result:
        time = result.time
    assert len(time) == 51
    with pytest.raises(ResultError, match="is closed"):
        result["chassis.position"]


def test_time_cannot_be_changed(result):
    with pytest.raises(ValueError, match="read-only"):
        result.time[0] = 1.0


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(ResultError, match=r"none\.h5 does not exist"):
        load_result(tmp_path / "none.h5")
    with pytest.raises(ResultError, match="is a folder"):
        load_result(tmp_path)


def test_a_file_that_is_not_hdf5_is_refused(tmp_path):
    (tmp_path / "run.h5").write_text("mass: 3")
    with pytest.raises(ResultError, match="not HDF5"):
        load_result(tmp_path / "run.h5")


def test_a_foreign_hdf5_file_is_refused(tmp_path):
    with h5py.File(tmp_path / "run.h5", "w") as file:
        file["time"] = [1.0]
    with pytest.raises(ResultError, match="not a grouser result"):
        load_result(tmp_path / "run.h5")


def test_a_newer_format_asks_for_an_update(path):
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"] = 99
    with pytest.raises(ResultError, match=r"format 99.*update grouser"):
        load_result(path)


@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_refused_in_a_sentence(path, share):
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(ResultError, match=r"truncated|cut off|damaged"):
        load_result(path).to_pandas()


@pytest.fixture(scope="module")
def unfinished(tmp_path_factory) -> bytes:
    """The content of a file whose run is going on."""
    path = tmp_path_factory.mktemp("unfinished") / "run.h5"
    block = Block("body", "position", tuple(f"body{i}" for i in range(50)), ("x", "y", "z"), "m")
    writer = ResultWriter(path, header={}, blocks=[block], flush_every=0.0)
    for time in range(300):
        writer.add_frames([float(time)], {block.name: np.full((1, *block.shape), float(time))})
    content = path.read_bytes()
    writer.finish("done").close()
    return content


def test_an_unfinished_file_is_read_up_to_its_last_frame(unfinished, tmp_path):
    (tmp_path / "run.h5").write_bytes(unfinished)
    with load_result(tmp_path / "run.h5") as result:
        assert result.status == "partial"
        values, _ = result.block("body/position")
        np.testing.assert_array_equal(values, np.broadcast_to(np.arange(300.0)[:, None, None], (300, 50, 3)))


@pytest.mark.parametrize("share", [0.0001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_a_truncated_copy_of_an_unfinished_file_is_refused_at_once(unfinished, tmp_path, share):
    """In HDF5's own mode for such files this would wait for hours."""
    (tmp_path / "run.h5").write_bytes(unfinished[: int(share * len(unfinished))])
    with pytest.raises(ResultError, match=r"truncated|cut off|damaged"):
        load_result(tmp_path / "run.h5").to_pandas()


def test_the_checksum_is_the_one_of_hdf5(unfinished):
    assert struct.unpack("<I", unfinished[44:48])[0] == calc_checksum(unfinished[:44])


def test_frames_that_were_not_stored_whole_are_left_out(path):
    with h5py.File(path, "r+") as file:
        file["time"].resize(60, axis=0)  # times without values: NaN
    with load_result(path) as result:
        assert len(result.time) == 51
    with h5py.File(path, "r+") as file:
        file["energy/residual"].resize(20, axis=0)
    with load_result(path) as result:
        assert len(result.time) == 20
        assert result["chassis.position"].shape == (20, 3)


def test_a_line_that_was_cut_off_is_no_event(path):
    with h5py.File(path, "r+") as file:
        line = b'{"time": 1.0, "kind": "k", "element": "e", "message": "m"}\n{"time": 2'
        file["run/events"].resize(len(line), axis=0)
        file["run/events"][:] = np.frombuffer(line, dtype=np.uint8)
    with load_result(path) as result:
        assert [event.time for event in result.events] == [1.0]
