"""Roads from OpenCRG files, written here by the definition of the format."""

from __future__ import annotations

import numpy as np
import pytest

from grouser.catalog.grounds.opencrg import OpenCrg
from grouser.catalog.scenarios import Scenario, load_scenario
from grouser.errors import ModelError
from grouser.model.terrain import Grid, calc_terrain_height

STEP, ROWS = 0.25, 81
V = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
U = STEP * np.arange(ROWS)
HEIGHTS = 0.05 * np.sin(0.7 * U[:, None]) * (1.0 + 0.3 * V) + 0.01 * V
WIDTH = {"LRFI": 10, "LDFI": 20}


def _save(path, *, code="LDFI", heights=HEIGHTS, phi=None, columns=V):
    """A road whose rows of numbers are those of `heights`, or headings of the line and those."""
    lines = [
        "$CT",
        "made by a test",
        "$",
        "$ROAD_CRG",
        "REFERENCE_LINE_START_U = 0.0",
        f"REFERENCE_LINE_END_U = {U[-1]}",
        f"REFERENCE_LINE_INCREMENT = {STEP}",
        "REFERENCE_LINE_START_X = 10.0",
        "REFERENCE_LINE_START_Y = -4.0",
        f"REFERENCE_LINE_START_PHI = {0.3 if phi is None else phi[0]}",
        "$",
        "$KD_DEFINITION",
        f"#:{code}",
        f"U:reference line u,m,0,{STEP}",
        *([] if phi is None else ["D:reference line phi,rad"]),
        *(f"D:long section at v = {v},m" for v in columns),
        "$",
        "$" * 80,
    ]
    rows = heights if phi is None else np.column_stack([phi, heights])
    head = "\n".join(lines).encode() + b"\n"
    if code in WIDTH:
        width = WIDTH[code]
        words = [[f"{number:{width}.{width - 8 if width > 10 else 6}f}" for number in row] for row in rows]
        each = 80 // width
        text = ["".join(row[k : k + each]) for row in words for k in range(0, len(row), each)]
        path.write_bytes(head + "\n".join(text).encode() + b"\n")
    else:
        content = rows.astype(">f4" if code == "KRBI" else ">f8").tobytes()
        filler = np.full(-len(content) % 80 // (4 if code == "KRBI" else 8), np.nan)
        path.write_bytes(head + content + filler.astype(">f4" if code == "KRBI" else ">f8").tobytes())
    return path


@pytest.mark.parametrize(("code", "digits"), [("LRFI", 1e-6), ("LDFI", 1e-12), ("KRBI", 1e-8), ("KDBI", 1e-15)])
def test_a_straight_road_keeps_its_heights(tmp_path, code, digits):
    """As many digits as the format has; the middle of the first row is at the height zero."""
    ground = OpenCrg(path=str(_save(tmp_path / "road.crg", code=code)), start=3.0).make_terrain()
    assert isinstance(ground, Grid)
    assert np.array(ground.heights) == pytest.approx(HEIGHTS - HEIGHTS[0, 2], abs=digits)
    assert (ground.origin, ground.spacing) == ((3.0, -1.0), (STEP, 0.5))


def test_a_part_at_another_spacing(tmp_path):
    path = str(_save(tmp_path / "road.crg"))
    ground = OpenCrg(path=path, begin=5.0, length=4.0, spacing=(0.125, 0.25)).make_terrain()
    assert np.shape(ground.heights) == (33, 9)
    assert ground.heights[0][4] == 0.0
    assert np.array(ground.heights)[::2, ::2] == pytest.approx(HEIGHTS[20:37] - HEIGHTS[20, 2], abs=1e-12)


def test_a_curve_lies_where_its_line_leads(tmp_path):
    """A circle to the left: heights that depend on u alone are found on its rays."""
    radius = 12.0
    phi = 0.3 + (np.arange(ROWS) + 0.5) * STEP / radius
    heights = np.repeat(0.02 * U[:, None], 5, axis=1)
    path = str(_save(tmp_path / "road.crg", heights=heights, phi=phi))
    ground = OpenCrg(path=path, spacing=(0.1, 0.1)).make_terrain()
    angle = np.linspace(0.1, 1.5, 15)
    for v in (-0.8, 0.0, 0.8):
        x, y = (radius - v) * np.sin(angle), radius - (radius - v) * np.cos(angle)
        # the first piece of the line is the x axis, so all is turned by half a piece
        turn = 0.5 * STEP / radius
        x, y = x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)
        assert calc_terrain_height(ground, x, y) == pytest.approx(0.02 * radius * angle, abs=2e-3)


def test_beside_the_file_that_names_it(tmp_path):
    _save(tmp_path / "road.crg")
    file = tmp_path / "drive.yaml"
    file.write_text("{grouser: 1, kind: scenario, name: drive, duration: 1, terrain: {type: opencrg, path: road.crg}}")
    assert load_scenario(file).terrain.path == str(tmp_path / "road.crg")


def _spoil(path, old, new):
    path.write_bytes(path.read_bytes().replace(old, new))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda path: path.unlink(), "there is no such file"),
        (lambda path: path.write_bytes(b"x,z\n0,0\n1,0\n"), "cannot be read as OpenCRG: .*KD_DEFINITION"),
        (lambda path: _spoil(path, b"#:LDFI", b"#:LXFI"), "cannot be read as OpenCRG: .*LXFI"),
        (lambda path: _spoil(path, b"v = 0.5,m", b"v = 0.5,in"), "cannot be read as OpenCRG: .*unit"),
        (lambda path: path.write_bytes(path.read_bytes()[:900]), "cannot be read as OpenCRG"),
        (lambda path: _spoil(path, b"$" * 80, b""), "cannot be read as OpenCRG"),
    ],
)
def test_broken_files(tmp_path, spoil, message):
    path = _save(tmp_path / "road.crg")
    spoil(path)
    with pytest.raises(ModelError, match=f"road.crg: {message}") as caught:
        Scenario(name="road", duration=1.0, terrain={"type": "opencrg", "path": str(path)})
    assert len(caught.value.faults) == 1


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"begin": 30.0}, "begin: is 30 m, and the road is 20 m long"),
        ({"spacing": (0.001, 0.01)}, "at most 500,000 are taken: give a spacing such as"),
    ],
)
def test_parts_and_spacings_that_do_not_go(tmp_path, asked, message):
    path = str(_save(tmp_path / "road.crg"))
    with pytest.raises(ModelError, match=message):
        OpenCrg(path=path, **asked).make_terrain()


def test_holes_are_filled_and_told(tmp_path, caplog):
    heights = HEIGHTS.copy()
    heights[30:34, 2] = np.nan
    path = str(_save(tmp_path / "road.crg", code="KDBI", heights=heights))
    found = np.array(OpenCrg(path=path).make_terrain().heights)
    assert np.isfinite(found).all()
    assert "road.crg: 4 cross section(s) have NaN values" in caplog.messages[0]


def test_a_row_without_any_height_is_refused(tmp_path):
    heights = HEIGHTS.copy()
    heights[30] = np.nan
    path = str(_save(tmp_path / "road.crg", code="KDBI", heights=heights))
    with pytest.raises(ModelError, match="cannot be read as OpenCRG"):
        OpenCrg(path=path).make_terrain()
