"""Each broken mesh or material gives its own clear sentence, with the path of its place, and no other fault."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from grouser.errors import ModelError
from grouser.model.model import Model

LINEAR = {"type": "linear", "young": 2.0e11, "poisson": 0.3, "density": 7800.0}
NEO = {"type": "neo_hookean", "shear": 1.0e6, "bulk": 1.0e8, "density": 1100.0}
MOONEY = {"type": "mooney_rivlin", "c1": 3.0e5, "c2": 1.0e5, "bulk": 1.0e8, "density": 1100.0}
BOX = {"type": "block", "material": LINEAR, "sides": [1, 1, 1], "counts": [2, 2, 2]}
LINE = {
    "type": "line",
    "material": LINEAR,
    "element": "beam_thick",
    "section": {"circle": 0.01},
    "start": [0, 0, 0],
    "end": [1, 0, 0],
    "count": 4,
}
ANCF, CABLE = {**LINE, "element": "ancf_beam"}, {**LINE, "element": "ancf_cable"}
BENT = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]
RING = {"type": "ring", "material": LINEAR, "element": "truss", "section": {"area": 1e-4}, "radius": 1.0, "count": 8}
BELT = {
    "type": "belt",
    "material": NEO,
    "wheels": [{"centre": [0, 0], "radius": 0.3}, {"centre": [2, 0], "radius": 0.2}, {"centre": [1, 1], "radius": 0.1}],
    "width": 0.4,
    "thickness": 0.02,
    "counts": [60, 2, 1],
    "cords": [{"level": 1, "modulus": 1e9, "area": 1e-4}],
}
BALL = {"type": "ball", "material": NEO, "radius": 0.5, "count": 4, "edge_bottom": 0.01}
EIGHT = [[-1, -1], [1, 1], [1, -1], [-1, 1]]

# (mesh, changes by path, words of the sentence)
BROKEN: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    # materials
    "negative modulus": (BOX, {"material.young": -1.0}, ["material.young: is -1.0 [Pa]", "greater than 0"]),
    "incompressible": (BOX, {"material.poisson": 0.5}, ["material.poisson: is 0.5", "below 0.5", "0.499"]),
    "ratio of -1": (BOX, {"material.poisson": -1.0}, ["material.poisson: is -1", "above -1"]),
    "no density": (BOX, {"material.density": 0.0}, ["material.density: is 0.0 [kg/m^3]"]),
    "negative shear": (BOX, {"material": {**NEO, "shear": -1e6}}, ["material.shear", "greater than 0"]),
    "soft bulk": (
        BOX,
        {"material": {**NEO, "bulk": 1e5}},
        ["material.bulk", "2/3 of the shear modulus", "100 to 1000"],
    ),
    "c1 + c2": (BOX, {"material": {**MOONEY, "c1": -2e5}}, ["c1 + c2 is -100000 Pa", "must be positive"]),
    "unknown law": (BOX, {"material.type": "lineer"}, ["material.type", "did you mean 'linear'"]),
    "damping of lines": (BOX, {"material.damping": 1e-3}, ["material.damping", "'dilatational'"]),
    "damping of bricks": (LINE, {"material.deviatoric": 1e-3}, ["material.deviatoric", "give 'damping'"]),
    "negative damping": (BOX, {"material.deviatoric": -1.0}, ["material.deviatoric", "at least 0"]),
    # sections and elements
    "two sections": (LINE, {"section": {"circle": 1, "area": 1}}, ["'circle' and 'area'", "exactly one"]),
    "no section": (LINE, {"section": {}}, ["none of them", "exactly one"]),
    "no torsion": (LINE, {"section": {"area": 1e-4, "iy": 1e-9, "iz": 1e-9}}, ["missing key 'j'"]),
    "moment too many": (LINE, {"section": {"circle": 0.1, "iy": 1e-9}}, ["section.iy", "follows from the circle"]),
    "thin and wide": (LINE, {"section": {"rectangle": [0.1, 0.01]}, "element": "beam_thin"}, ["bends alike"]),
    "beam as rope": (LINE, {"is_rope": True}, ["is_rope", "only trusses"]),
    "unknown element": (LINE, {"element": "beam"}, ["element", "unknown value 'beam'"]),
    "normal along": (LINE, {"normal": [1, 0, 0]}, ["normal: line 0 (the first of 4) is parallel"]),
    "shear factor": (LINE, {"section": {"circle": 0.1, "shear_y": 1.5}}, ["section.shear_y", "at most 1"]),
    # shapes
    "zero counts": (BOX, {"counts": [2, 0, 2]}, ["counts[1]: is 0", "at least 1"]),
    "too many": (BOX, {"counts": [1000, 1000, 2]}, ["2,000,000 elements", "at most 1,000,000"]),
    "too many nodes": (BOX, {"counts": [1_000_000, 1, 1]}, ["4,000,004 nodes", "at most 2,000,000"]),
    "no side": (BOX, {"sides": [1, 0, 1]}, ["sides[1]", "greater than 0"]),
    "neither": (BOX, {"sides": None}, ["needs either 'sides' or 'corners'"]),
    "seven corners": (BOX, {"sides": None, "corners": [[0, 0, 0]] * 7}, ["has 7 points", "8 corners"]),
    "flat corners": (BOX, {"sides": None, "corners": [[0, 0, 0]] * 8}, ["brick 0 (the first of 8) is flat"]),
    "left-handed": (
        BOX,
        {
            "sides": None,
            "corners": [[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1], [1, 0, 1]],
        },
        ["brick 0 (the first of 8) is inside out"],
    ),
    "bent too much": (BOX, {"bend": 0.5}, ["is inverted at a corner", "centre of the bend"]),
    "no radius": (BOX, {"bend": 0.0}, ["bend", "leave it out"]),
    "no length": (LINE, {"end": [0, 0, 0]}, ["end", "no length"]),
    "no end": (LINE, {"end": None}, ["missing key 'end'"]),
    "ways of both": (LINE, {"points": [[0, 0, 0], [1, 0, 0]]}, ["either 'start' and 'end', or 'points'"]),
    "point twice": (LINE, {"start": None, "end": None, "points": [[0, 0, 0]] * 2}, ["points[1]", "leave it out"]),
    "one thin beam": (LINE, {"element": "beam_thin", "count": 1}, ["count", "at least 2"]),
    "small ring": (RING, {"count": 2}, ["count", "at least 3"]),
    "ring closed twice": (
        RING,
        {"radius": None, "count": 1, "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0]]},
        ["points[0]", "where the last one is"],
    ),
    "no axis": (RING, {"axis": [0, 0, 0]}, ["axis", "no direction"]),
    "zero quaternion": (BOX, {"orientation": [0, 0, 0, 0]}, ["orientation", "length zero"]),
    "strain too large": (BOX, {"pre_strain": -1.0}, ["pre_strain", "at least -0.5"]),
    # balls
    "odd ball": (BALL, {"count": 5}, ["count: is 5", "an even number"]),
    "coarse pole": (BALL, {"edge_bottom": 0.3}, ["edge_bottom: is 0.3 m", "5e-07 to 0.1963 m"]),
    "fine pole": (BALL, {"edge_top": 1e-9}, ["edge_top: is 1e-09 m", "5e-07 to"]),
    "half has no top": (BALL, {"edge_top": 0.01, "is_half": True}, ["edge_top", "leaves it out"]),
    "large ball": (BALL, {"count": 100, "edge_bottom": None}, ["elements", "at most 1,000,000"]),
    "larger ball": (BALL, {"count": 102}, ["count: is 102", "at most 100"]),
    "no ball": (BALL, {"radius": 0.0}, ["radius: is 0.0 [m]", "greater than 0"]),
    # belts
    "belt that crosses": (BELT, {"wheels": None, "points": EIGHT}, ["crosses itself", "0 and 2"]),
    "wheels that cross": (
        BELT,
        {"wheels": [*BELT["wheels"][:2], {"centre": [1, 3], "radius": 0.1, "is_outside": True}]},
        ["crosses itself", "order"],
    ),
    "wheel in a wheel": (
        BELT,
        {"wheels": [*BELT["wheels"], {"centre": [1, 1], "radius": 2}]},
        ["one lies in the other"],
    ),
    "no wheels": (BELT, {"wheels": []}, ["has 0 wheels"]),
    "wheel outside": (BELT, {"wheels": [{"centre": [0, 0], "radius": 1, "is_outside": True}]}, ["needs one inside"]),
    "straight loop": (BELT, {"wheels": None, "points": [[0, 0], [1, 0], [2, 0]]}, ["encloses no area"]),
    "short belt": (BELT, {"counts": [2, 1, 1]}, ["counts[0]", "at least 3"]),
    "cord outside": (BELT, {"cords": [{"level": 2, "modulus": 1e9, "area": 1e-4}]}, ["level", "0 (inner face) to 1"]),
    "cord without iy": (
        BELT,
        {"cords": [{"element": "beam_thin", "level": 1, "modulus": 1e9, "area": 1e-4}]},
        ["cords[0]: missing key 'iy'"],
    ),
    # elements by gradients
    "carried gradients": (ANCF, {"bonded": {"end": "rim"}}, ["bonded.end", "coupled", "fixed joint"]),
    "pins of others": (LINE, {"pins": {"all": "y"}}, ["pins", "elements by gradients", "beam_thick"]),
    "hinges of others": (LINE, {"hinged": ["end"]}, ["hinged", "elements by gradients"]),
    "integration of others": (LINE, {"integration": "volume"}, ["integration: is for ancf_beam"]),
    "line of a cable": (CABLE, {"pins": {"all": "y"}}, ["pins.all", "take 'ball'"]),
    "no line": (ANCF, {"pins": {"all": [0, 0, 0]}}, ["pins.all", "no direction"]),
    "unknown line": (ANCF, {"pins": {"all": "w"}}, ["pins.all: unknown line 'w'"]),
    "unknown pins": (ANCF, {"pins": {"corner": "y"}}, ["pins.corner: unknown node set 'corner'"]),
    "unknown hinge": (ANCF, {"hinged": ["tip"]}, ["hinged: unknown node set 'tip'"]),
    "pin at an end": (ANCF, {"pins": {"start": "y"}}, ["pins.start", "two elements meet"]),
    "missing line": (
        ANCF,
        {"start": None, "end": None, "points": BENT, "pins": {"corners": "y"}},
        ["pins: node 4", "'y'", "give a direction"],
    ),
    "corner of a cable": (CABLE, {"start": None, "end": None, "points": BENT}, ["element: node 4", "corner", "'ball'"]),
    "cannot close": (
        ANCF,
        {"pre_strain": -0.49, "material.poisson": 0.45},
        ["pre_strain: is -0.49", "cannot close"],
    ),
    "gradients along": (ANCF, {"normal": [1, 0, 0]}, ["normal: line 0 (the first of 4) is parallel"]),
    "no length of gradients": (ANCF, {"end": [0, 0, 0]}, ["end", "no length"]),
    "damping of cables": (ANCF, {"material.damping": 1e-3}, ["material.damping", "'dilatational'"]),
    "wide cable": (CABLE, {"section": {"rectangle": [0.1, 0.01]}}, ["bends alike", "ancf_beam"]),
    "c1 of gradients": (ANCF, {"material": {**MOONEY, "c1": -2e5}}, ["c1 + c2 is -100000 Pa", "must be positive"]),
    # sets
    "unknown set": (BOX, {"fixed": ["x2"]}, ["fixed[0]: unknown node set 'x2'", "x0, x1"]),
    "empty set": (BOX, {"fixed": ["x0 & x1"]}, ["'x0 & x1' is empty"]),
    "unknown body": (BOX, {"bonded": {"x0": "hull"}}, ["bonded.x0: unknown body 'hull'"]),
    "bonded to the world": (BOX, {"bonded": {"x0": "world"}}, ["bonded.x0", "put the set into 'fixed'"]),
    "held twice": (BOX, {"fixed": ["x0"], "bonded": {"y0": "rim"}}, ["bonded.y0: node 0", "the world already"]),
    # keys
    "unknown type": (BOX, {"type": "blok"}, ["type", "did you mean 'block'"]),
    "misspelt key": (BOX, {"count": 3}, ["unknown key 'count': did you mean 'counts'"]),
    "no file": ({"type": "file", "material": LINEAR}, {"path": "gone.vtk"}, ["path: gone.vtk: there is no such file"]),
}


def make_model(mesh: dict[str, Any], changes: dict[str, Any]) -> Model:
    spoilt = copy.deepcopy(mesh)
    for path, value in changes.items():
        *above, last = path.split(".")
        here = spoilt
        for key in above:
            here = here[key]
        if value is None:
            del here[last]
        else:
            here[last] = value
    rim = {"mass": 1.0, "inertia": [1.0, 1.0, 1.0]}
    return Model.model_validate({"name": "rig", "bodies": {"rim": rim}, "meshes": {"pad": spoilt}})


@pytest.mark.parametrize("mesh", [BOX, LINE, RING, BALL, BELT, {**BOX, "material": NEO}, {**BOX, "material": MOONEY}])
def test_bases_have_no_fault(mesh: dict[str, Any]) -> None:
    assert make_model(mesh, {}).mass > 1.0


@pytest.mark.parametrize("name", BROKEN)
def test_one_clear_fault(name: str) -> None:
    mesh, changes, words = BROKEN[name]
    with pytest.raises(ModelError) as caught:
        make_model(mesh, changes)
    (fault,) = caught.value.faults
    assert fault.startswith("meshes.pad")
    for word in words:
        assert word in fault
