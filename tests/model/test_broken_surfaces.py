"""Each broken surface gives its own clear sentence, with the path of its place, and no other fault."""

from __future__ import annotations

import copy
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grouser.errors import ModelError
from grouser.model.model import Model
from grouser.model.schema import load_model
from grouser.model.start import find_start_faults

CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
FACES = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
TETRAHEDRON = {"type": "polygons", "vertices": CORNERS, "polygons": FACES}
BOX = {"type": "box", "sides": [1, 1, 1]}
WHEEL = {"type": "cylinder", "radius": 0.3, "length": 0.2}
LINEAR = {"type": "linear", "young": 2.0e11, "poisson": 0.3, "density": 7800.0}
MODEL: dict[str, Any] = {
    "grouser": 1,
    "kind": "model",
    "name": "broken",
    "bodies": {"b": {"mass": 1.0, "inertia": [0.2, 0.2, 0.2]}},
    "meshes": {
        "block": {"type": "block", "material": LINEAR, "sides": [1, 1, 1], "counts": [1, 1, 1]},
        "rope": {
            "type": "line",
            "material": LINEAR,
            "element": "truss",
            "section": {"circle": 0.01},
            "start": [0, 0, 5],
            "end": [1, 0, 5],
            "count": 4,
        },
    },
    "shapes": {"s": {"type": "surface", "group": "g", "body": "b", "geometry": TETRAHEDRON}},
}

# changes of the surface, words of the sentence
BROKEN: dict[str, tuple[dict[str, Any], list[str]]] = {
    "open": ({"geometry.polygons": FACES[:3]}, ["geometry: is open", "vertices 0 and 2", "3 such", "is_shell"]),
    "inverted": (
        {"geometry.polygons": [row[::-1] for row in FACES]},
        ["geometry: is inside out", "volume -0.167", "flip: true"],
    ),
    "one turned": ({"geometry.polygons": [FACES[0][::-1], *FACES[1:]]}, ["turned differently", "(the first of 3"]),
    "not manifold": ({"geometry.polygons": [*FACES, [0, 1, 2]]}, ["not manifold: 3 polygons meet", "0 and 1"]),
    "degenerate": (
        {"geometry.vertices": [*CORNERS, [0.5, 0, 0]], "geometry.polygons": [*FACES, [0, 4, 1]]},
        ["polygon 4 is without area", "on a line"],
    ),
    "vertex twice": ({"geometry.polygons": [[0, 2, 2], *FACES[1:]]}, ["polygon 0 is a polygon with the same vertex"]),
    "folded": (
        {
            "geometry.vertices": [[0, 0, 0], [2, 0, 0], [0.2, 0.2, 0], [0, 2, 0]],
            "geometry.polygons": [[0, 1, 2, 3]],
            "is_shell": True,
        },
        ["polygon 0 is a quadrilateral", "not convex"],
    ),
    "nan": ({"geometry.vertices": [*CORNERS[:3], [0, 0, float("nan")]]}, ["vertices[3][2]: is nan", "finite"]),
    "no area": ({"geometry.vertices": [[0, 0, 0]] * 4}, ["has no area", "at one place"]),
    "missing vertex": ({"geometry.polygons": [*FACES[:3], [0, 3, 7]]}, ["polygon 3 has vertex 7", "0 to 3"]),
    "five corners": ({"geometry.polygons": [*FACES, [0, 1, 2, 3, 0]]}, ["polygons[4]: has 5 vertices", "3 or 4"]),
    "missing file": ({"geometry": {"type": "file", "path": "no.stl"}}, ["geometry.path: no.stl: there is no such"]),
    "wrong ending": ({"geometry": {"type": "file", "path": "no.step"}}, ["has the ending '.step'", ".stl, .obj, .ply"]),
    "too many": (
        {"geometry": BOX, "edge_length": 1e-4},
        ["edge_length: is 0.0001 m", "600,000,000 polygons", "4,000,000"],
    ),
    "too many by cutting": ({"edge_length": 1e-4}, ["has", "polygons", "at most 4,000,000"]),
    "too many points": (
        {"geometry": BOX, "points": "faces", "spacing": 1e-4},
        ["spacing: has", "contact points", "take fewer"],
    ),
    "neither": ({"body": ""}, ["has neither 'body' nor 'mesh'"]),
    "both": ({"mesh": "block"}, ["has both 'body' and 'mesh'"]),
    "unknown body": ({"body": "c"}, ["body: unknown body 'c'"]),
    "unknown mesh": ({"body": "", "mesh": "blok", "geometry": None}, ["mesh: unknown mesh 'blok'", "'block'"]),
    "unknown faces": (
        {"body": "", "mesh": "block", "geometry": None, "faces": "z2"},
        ["faces: unknown surface set of mesh 'block' 'z2'"],
    ),
    "faces of lines": (
        {"body": "", "mesh": "rope", "geometry": None, "faces": "z1"},
        ["faces: is 'z1'", "has lines and no faces"],
    ),
    "geometry on a mesh": ({"body": "", "mesh": "block"}, ["geometry: is for surfaces on bodies"]),
    "no geometry": ({"geometry": None}, ["missing key 'geometry'"]),
    "thick solid": ({"thickness": 0.1}, ["thickness: is given", "no shell"]),
    "spacing of vertices": ({"spacing": 0.1}, ["spacing: is of points on faces"]),
    "positions and faces": ({"positions": [[0, 0, 0]], "points": "faces"}, ["points: is given", "leave out one"]),
    "areas alone": ({"areas": [1.0]}, ["areas: belong to 'positions'"]),
    "areas too few": ({"positions": [[0, 0, 0]] * 2, "areas": [1.0]}, ["areas: has 1 values for 2 positions"]),
    "lug too wide": (
        {"geometry": {**WHEEL, "lugs": 10, "lug_height": 0.1, "lug_width": 0.2}},
        ["lug_width: is 0.2 m", "less than 0.1854 m"],
    ),
    "lug without height": ({"geometry": {**WHEEL, "lugs": 10, "lug_width": 0.1}}, ["missing key 'lug_height'"]),
    "height without lugs": ({"geometry": {**WHEEL, "lug_height": 0.1}}, ["lug_height: is that of lugs"]),
    "crossing outline": (
        {"geometry": {"type": "extrusion", "outline": [[0, 0], [1, 1], [1, 0], [0, 1]], "width": 1}},
        ["outline: encloses no area"],
    ),
    "crossing itself": (
        {"geometry": {"type": "extrusion", "outline": [[0, 0], [1, 1], [1, 0], [0, 2]], "width": 1}},
        ["outline: crosses itself", "corners 0 and 2"],
    ),
}


def apply(changes: dict[str, Any]) -> dict[str, Any]:
    data = copy.deepcopy(MODEL)
    for path, value in changes.items():
        *above, last = path.split(".")
        here = data["shapes"]["s"]
        for key in above:
            here = here[key]
        here[last] = value
        if value is None:
            del here[last]
    return {key: value for key, value in data.items() if key not in ("grouser", "kind")}


@pytest.mark.parametrize("name", BROKEN)
def test_each_has_its_sentence(name: str) -> None:
    changes, words = BROKEN[name]
    with pytest.raises(ModelError) as caught:
        Model.model_validate(apply(changes))
    assert len(caught.value.faults) == 1, caught.value.faults
    assert caught.value.faults[0].startswith("shapes.s")
    for word in words:
        assert word in caught.value.faults[0]


def test_what_is_whole_has_none() -> None:
    model = Model.model_validate(apply({}))
    assert find_start_faults(model, 1.0) == ([], [])
    flipped = {"geometry.polygons": [row[::-1] for row in FACES], "geometry.flip": True}
    Model.model_validate(apply(flipped))
    Model.model_validate(apply({"geometry.polygons": FACES[:3], "is_shell": True}))
    given = Model.model_validate({**apply({"positions": [[0, 0, 0]], "areas": [1.0]}), "meshes": {}})
    assert Model.model_validate_json(given.model_dump_json()) == given  # as results hold it


TERRAIN = {"type": "mesh", "geometry": {**TETRAHEDRON, "polygons": [[0, 1, 2]]}}
BROKEN_TERRAIN: dict[str, tuple[dict[str, Any], list[str]]] = {
    "looks down": ({"polygons": [[0, 2, 1]]}, ["terrain.geometry: looks down", "flip: true"]),
    "degenerate": ({"polygons": [[0, 1, 1]]}, ["polygon 0 is a polygon with the same vertex"]),
    "missing vertex": ({"polygons": [[0, 1, 5]]}, ["has vertex 5"]),
}


@pytest.mark.parametrize("name", BROKEN_TERRAIN)
def test_terrain_has_its_sentence(name: str) -> None:
    changes, words = BROKEN_TERRAIN[name]
    data = {**apply({}), "terrain": {"type": "mesh", "geometry": {**TERRAIN["geometry"], **changes}}}  # type: ignore[dict-item]
    with pytest.raises(ModelError) as caught:
        Model.model_validate(data)
    assert len(caught.value.faults) == 1 and all(word in caught.value.faults[0] for word in words)


def test_terrain_of_polygons_is_for_surfaces() -> None:
    shapes = {"p": {"type": "wheel", "group": "p", "body": "b", "radius": 0.3}}
    contacts = {"c": {"a": "p", "b": "terrain", "stiffness": 1e5}}
    with pytest.raises(ModelError, match=r"contacts\.c: is between wheel and a terrain of the type 'mesh'"):
        Model.model_validate({**apply({}), "shapes": shapes, "contacts": contacts, "terrain": TERRAIN})


def write_stl(path: Path, corners: np.ndarray, faces: list[list[int]]) -> None:
    triangles = corners[np.array(faces)].astype("<f4")
    with path.open("wb") as file:
        file.write(b" " * 80 + struct.pack("<I", len(triangles)))
        for triangle in triangles:
            file.write(struct.pack("<3f", 0, 0, 0) + triangle.tobytes() + b"\0\0")


def write_obj(path: Path, corners: np.ndarray, faces: list[list[int]]) -> None:
    lines = [f"v {x} {y} {z}" for x, y, z in corners.tolist()]
    path.write_text("\n".join(lines + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]) + "\n")


def write_ply(path: Path, corners: np.ndarray, faces: list[list[int]]) -> None:
    head = f"ply\nformat ascii 1.0\nelement vertex {len(corners)}\nproperty float x\nproperty float y\nproperty float z"
    head += f"\nelement face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n"
    rows = [f"{x} {y} {z}" for x, y, z in corners.tolist()] + [f"3 {a} {b} {c}" for a, b, c in faces]
    path.write_text(head + "\n".join(rows) + "\n")


WRITERS = {"stl": write_stl, "obj": write_obj, "ply": write_ply}
TEXT = """
grouser: 1
kind: model
name: part
bodies: {b: {mass: 1.0, inertia: [0.2, 0.2, 0.2]}}
shapes: {s: {type: surface, group: g, body: b, geometry: {type: file, path: part.%s, unit: %s}}}
"""


@pytest.mark.parametrize("ending", WRITERS)
def test_files_are_read_beside_their_model(tmp_path: Path, ending: str) -> None:
    from grouser.surface.make import make_surface_data

    WRITERS[ending](tmp_path / f"part.{ending}", 1000.0 * np.array(CORNERS, dtype=float), FACES)
    path = tmp_path / "part.yaml"
    path.write_text(TEXT % (ending, 0.001))
    model = load_model(path)
    data = make_surface_data(model, model.shapes["s"])  # type: ignore[arg-type]
    assert len(data.vertices) == 4 and sorted(map(tuple, data.vertices.tolist())) == sorted(map(tuple, CORNERS))
    assert find_start_faults(model, 1.0) == ([], [])


@pytest.mark.parametrize(("size", "unit", "words"), [(1000.0, 1.0, "unit: 0.001"), (1.0, 0.001, "unit: 1'")])
def test_wrong_units_are_suspected(tmp_path: Path, size: float, unit: float, words: str) -> None:
    write_stl(tmp_path / "part.stl", size * np.array(CORNERS, dtype=float), FACES)
    path = tmp_path / "part.yaml"
    path.write_text(TEXT % ("stl", unit))
    faults, warnings = find_start_faults(load_model(path), 1.0)
    assert not faults and len(warnings) == 1
    assert warnings[0].startswith("shapes.s.geometry.unit: makes a surface") and words in warnings[0]


def test_broken_files(tmp_path: Path) -> None:
    (tmp_path / "part.ply").write_text("no mesh")
    (tmp_path / "part.yaml").write_text(TEXT % ("ply", 1))
    with pytest.raises(ModelError, match=r"cannot be read as a surface"):
        load_model(tmp_path / "part.yaml")
    corners = np.array(CORNERS, dtype=float)
    corners[3, 2] = np.nan
    write_stl(tmp_path / "part.stl", corners, FACES)
    (tmp_path / "part.yaml").write_text(TEXT % ("stl", 1))
    with pytest.raises(ModelError, match=r"part\.stl: vertex \d+ is at .*nan.*no place"):
        load_model(tmp_path / "part.yaml")
