from __future__ import annotations

import sys

import numpy as np
import pandas
import pyarrow.parquet
import pytest
from rpc_reader.rpc_reader import ReadRPC
from scipy.io import loadmat
from synthetic_track import Drive, make_result

from grouser.errors import ResultError
from grouser.result import rpc
from grouser.result.export import export_result, make_matlab_names

CHANNELS = ["chassis.position", "left.link1.tension", "left.pin0.coordinate"]


@pytest.fixture(scope="module")
def result():
    return make_result(Drive(duration=0.3, yaw_rate=0.5))


def test_csv_reads_back_exactly_with_units_in_the_header(result, tmp_path):
    table = pandas.read_csv(export_result(result, tmp_path / "run.csv", CHANNELS))
    assert list(table.columns[:3]) == ["time [s]", "chassis.position.x [m]", "chassis.position.y [m]"]
    assert table.columns[-1] == "left.pin0.coordinate.rotation [rad]"
    np.testing.assert_array_equal(table["time [s]"], result.time)
    np.testing.assert_array_equal(table["chassis.position.x [m]"], result["chassis.position"][:, 0])


def test_parquet_reads_back_exactly_with_units_in_the_fields(result, tmp_path):
    path = export_result(result, tmp_path / "run.parquet", CHANNELS)
    table = pyarrow.parquet.read_table(path)
    np.testing.assert_array_equal(table["left.link1.tension"], result["left.link1.tension"])
    assert table.schema.field("chassis.position.y").metadata[b"unit"] == b"m"
    assert "time" in pandas.read_parquet(path).columns


def test_matlab_reads_back_exactly_with_units(result, tmp_path):
    content = loadmat(export_result(result, tmp_path / "run.mat"), simplify_cells=True)
    np.testing.assert_array_equal(content["chassis_position"], result["chassis.position"])
    np.testing.assert_array_equal(content["time"], result.time)
    assert content["units"]["left_link1_tension"] == "N"
    assert content["channels"]["left_link1_tension"] == "left.link1.tension"
    assert len(content["channels"]) == len(result.channels)


@pytest.mark.parametrize("group", [8, 2048])
def test_an_independent_reader_reads_rpc_files(result, tmp_path, monkeypatch, group):
    monkeypatch.setattr(rpc, "LONGEST_GROUP", group)
    path = export_result(result, tmp_path / "run.rsp", CHANNELS)
    reader = ReadRPC(path)
    reader.import_rpc_data_from_file()
    data, described = reader.get_data(), reader.get_channels()
    names = [described[i]["Description"] for i in range(len(described))]
    columns = result.read_columns(CHANNELS)
    assert names == list(columns)
    assert [described[i]["Units"] for i in range(len(names))] == [unit for unit, _ in columns.values()]
    count = len(result.time)
    for i, (_, values) in enumerate(columns.values()):
        np.testing.assert_allclose(data[:count, i], values, rtol=1e-7, atol=1e-7)
        assert (data[count:, i] == data[count - 1, i]).all()
    assert len(data) == -(-count // group) * group
    assert reader.get_headers()["DELTA_T"] == pytest.approx(result.time[1] - result.time[0], rel=1e-9)


def test_rpc_files_refuse_what_they_cannot_hold(result, tmp_path):
    with pytest.raises(ResultError, match="at most 256 channels"):
        export_result(result, tmp_path / "run.rsp")
    with pytest.raises(ResultError, match="not evenly spaced"):
        export_result(result.with_frames(np.array([0, 1, 3, 4, 5])), tmp_path / "run.rsp", CHANNELS)
    with pytest.raises(ResultError, match="at least two frames"):
        export_result(result.with_frames(slice(0, 1)), tmp_path / "run.rsp", CHANNELS)


def test_matlab_names_are_valid_and_unique():
    long = "a" * 80
    names = make_matlab_names(["a.b", "a_b", "time", "9.x", f"{long}.x", f"{long}.y"])
    assert list(names.values())[:4] == ["a_b", "a_b_2", "time_2", "x9_x"]
    assert len(set(names.values())) == 6
    assert max(len(name) for name in names.values()) == 63


def test_an_unknown_suffix_names_the_valid_ones(result, tmp_path):
    with pytest.raises(ResultError, match=r"'\.xls' is not one of \.csv, \.parquet, \.mat, \.rsp"):
        export_result(result, tmp_path / "run.xls")


def test_bad_places_and_channels_are_refused(result, tmp_path):
    with pytest.raises(ResultError, match="does not exist"):
        export_result(result, tmp_path / "no" / "run.csv")
    with pytest.raises(ResultError, match=r"did you mean 'chassis\.position'"):
        export_result(result, tmp_path / "run.csv", ["chassis.positon"])
    (tmp_path / "taken.csv").mkdir()
    with pytest.raises(ResultError, match="is a folder"):
        export_result(result, tmp_path / "taken.csv", CHANNELS)


def test_a_missing_library_is_named_with_its_extra(result, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ResultError, match=r"grouser\[export\]"):
        export_result(result, tmp_path / "run.parquet", CHANNELS)
