"""Meshes in models: YAML and back, the builder, names, masses, warnings, sections and materials by closed forms."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from schema_validator import is_valid

import grouser as gr
from grouser.errors import ModelError
from grouser.mesh.make import make_mesh_data
from grouser.model.document import parse_document
from grouser.model.fingerprint import calc_fingerprints
from grouser.model.json_schema import model_json_schema
from grouser.model.material import LinearMaterial, MooneyRivlinMaterial, NeoHookeanMaterial, calc_moduli
from grouser.model.model import Model
from grouser.model.schema import dump_model, load_model
from grouser.model.section import Section, calc_section
from grouser.model.start import find_start_faults

TEXT = """\
grouser: 1
kind: model
name: flexible
bodies:
  drum: {mass: 10, inertia: [0.1, 0.2, 0.1]}
meshes:
  rope:
    type: line
    material: {type: linear, young: 1.0e+9, poisson: 0.3, density: 1000, damping: 1.0e-3}
    element: truss
    section: {circle: 0.01}
    points: [[0, 0, 0], [1, 0, 0], [1, 1, 0]]
    count: 5
    is_rope: true
    pre_strain: -0.001
    bonded: {start: drum}
    fixed: [end]
  hoop:
    type: ring
    material: {type: linear, young: 2.0e+11, poisson: 0.3, density: 7800}
    element: beam_thick
    section: {area: 1.0e-4, iy: 1.0e-9, iz: 2.0e-9, j: 3.0e-9, shear_y: 0.5}
    radius: 0.5
    count: 12
    normal: [0, 0, 1]
  pad:
    type: block
    material: {type: mooney_rivlin, c1: 3.0e+5, c2: 1.0e+5, bulk: 1.0e+8, density: 1100, deviatoric: 1.0e-4}
    sides: [0.1, 0.1, 0.02]
    counts: [4, 4, 2]
    position: [0, 0, 3]
    orientation: [1, 0, 0, 1]
    velocity: [1, 0, 0]
    angular_velocity: [0, 0, 2]
    fixed: [z1, "x0&z0"]
    bend: 0.5
    twist: 0.1
  roof:
    type: plate
    material: {type: neo_hookean, shear: 1.0e+6, bulk: 1.0e+8, density: 1100}
    sides: [1, 1]
    thickness: 0.1
    counts: [8, 8]
  track:
    type: belt
    material: {type: neo_hookean, shear: 1.0e+6, bulk: 1.0e+8, density: 1100}
    wheels: [{centre: [0, 0], radius: 0.3}, {centre: [2, 0], radius: 0.2, is_outside: false}]
    width: 0.3
    thickness: 0.02
    counts: [60, 2, 2]
    cords: [{level: 1, modulus: 1.0e+10, area: 1.0e-4, pre_strain: -0.01}]
"""


@pytest.fixture
def model(tmp_path: Path) -> Model:
    (tmp_path / "model.yaml").write_text(TEXT)
    return load_model(tmp_path / "model.yaml")


def test_yaml_and_back(model: Model, tmp_path: Path) -> None:
    (tmp_path / "again.yaml").write_text(dump_model(model))
    assert load_model(tmp_path / "again.yaml") == model
    assert [mesh.type for mesh in model.meshes.values()] == ["line", "ring", "block", "plate", "belt"]


def test_schema_takes_meshes_and_refuses_unknown_keys() -> None:
    schema, data = model_json_schema(Model), dict(parse_document(TEXT))
    assert is_valid(schema, data)
    data["meshes"]["roof"]["thicknes"] = 1.0
    assert not is_valid(schema, data)


def test_mass_counts_what_moves(model: Model) -> None:
    free = sum(make_mesh_data(mesh).masses.sum() for mesh in model.meshes.values())
    held = sum(data.masses[data.fixed].sum() for data in map(make_mesh_data, model.meshes.values()))
    assert held > 0.0 and model.mass == pytest.approx(10.0 + free - held)


def test_builder_makes_the_same_mesh(model: Model) -> None:
    builder = gr.ModelBuilder("flexible")
    builder.add_body("drum", 10.0, (0.1, 0.2, 0.1))
    rubber = {"type": "neo_hookean", "shear": 1.0e6, "bulk": 1.0e8, "density": 1100.0}
    name = builder.add_mesh("roof", "plate", material=rubber, sides=np.array([1.0, 1.0]), thickness=0.1, counts=(8, 8))
    assert builder.build().meshes[name] == model.meshes["roof"]
    with pytest.raises(ModelError, match="taken in 'meshes'"):
        builder.add_body("roof", 1.0, (1.0, 1.0, 1.0))


def test_names_are_shared_with_other_families(model: Model) -> None:
    with pytest.raises(ModelError, match="taken in 'bodies' already"):
        model.with_changes(meshes={"drum": model.meshes["roof"]})


def test_a_model_may_have_meshes_alone(model: Model) -> None:
    assert Model(name="alone", meshes={"roof": model.meshes["roof"]}).mass == pytest.approx(110.0)


def test_meshes_leave_the_plane(model: Model) -> None:
    with pytest.raises(ModelError, match=r"meshes\.roof: is a mesh"):
        Model(name="flat", planar=True, meshes={"roof": model.meshes["roof"]})


def test_all_faults_are_told_at_once(model: Model) -> None:
    roof = model.meshes["roof"].model_dump()
    bad: Any = {"one": {**roof, "thickness": -1.0}, "two": {**roof, "fixed": ["x2"]}}
    with pytest.raises(ModelError) as caught:
        Model.model_validate({"name": "bad", "meshes": bad})
    assert [fault.split(":")[0] for fault in caught.value.faults] == ["meshes.one.thickness", "meshes.two.fixed[0]"]


def test_long_bricks_are_warned_of_at_the_start(model: Model) -> None:
    assert find_start_faults(model, 1.0) == ([], [])
    thin = model.meshes["roof"].model_copy(update={"thickness": 0.001})
    faults, (warning,) = find_start_faults(model.with_changes(meshes={"roof": thin}), 1.0)
    assert faults == [] and "meshes.roof: brick 0 (the first of 64) is 125 times as long" in warning


def test_fingerprint_knows_meshes(model: Model) -> None:
    bare = model.with_changes(meshes={})
    assert "meshes" not in calc_fingerprints(bare)
    roof = model.meshes["roof"]
    prints = [
        calc_fingerprints(bare.with_changes(meshes={"roof": roof.model_copy(update=update)}))["meshes"]
        for update in ({}, {"position": (1.0, 0.0, 0.0)}, {"thickness": 0.2})
    ]
    assert prints[0] == prints[1] != prints[2]


def test_all_kinds_of_meshes_run_together(model: Model) -> None:
    result = gr.simulate(model, duration=2e-3, output_interval=1e-3)
    for name in ("rope.3", "hoop.4", "pad.0", "roof.7", "track.11"):
        assert np.isfinite(result[f"{name}.position"]).all()
    assert result.summary["energy_residual"] < 0.01


def test_mesh_file_is_sought_beside_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    meshio = pytest.importorskip("meshio")
    folder = tmp_path / "parts"
    folder.mkdir()
    meshio.write_points_cells(folder / "rod.vtk", [[0, 0, 0], [1, 0, 0]], [("line", np.array([[0, 1]]))])
    mesh = (
        "{type: file, path: rod.vtk, material: {type: linear, young: 1, poisson: 0, density: 1}, element: truss, "
        "section: {area: 1}}"
    )
    (folder / "model.yaml").write_text(f"grouser: 1\nkind: model\nname: rod\nmeshes:\n  rod: {mesh}\n")
    monkeypatch.chdir(tmp_path)
    assert load_model("parts/model.yaml").mass == pytest.approx(1.0)
    fault = f"grouser: 1\nkind: model\nname: rod\nmeshes:\n  rod: {mesh.replace('rod.vtk', 'gone.vtk')}\n"
    (folder / "bad.yaml").write_text(fault)
    with pytest.raises(ModelError, match=r"bad.yaml:5: meshes.rod.path: .*gone.vtk: there is no such file"):
        load_model("parts/bad.yaml")


def test_moduli_at_small_strains() -> None:
    linear = calc_moduli(LinearMaterial(young=3.0, poisson=0.2, density=1.0))
    for rubber in (
        NeoHookeanMaterial(shear=linear.shear, bulk=linear.bulk, density=1.0),
        MooneyRivlinMaterial(c1=0.3 * linear.shear, c2=0.2 * linear.shear, bulk=linear.bulk, density=1.0),
    ):
        assert calc_moduli(rubber) == pytest.approx(linear)


@pytest.mark.parametrize(("ratio", "factor"), [(1.0, 0.1406), (2.0, 0.2287), (10.0, 0.3123), (1000.0, 0.3331)])
def test_torsion_of_rectangles(ratio: float, factor: float) -> None:
    for sides in ((ratio, 1.0), (1.0, ratio)):
        assert calc_section(Section(rectangle=sides)).j == pytest.approx(factor * ratio, rel=5e-4)  # tables


def test_circle() -> None:
    circle = calc_section(Section(circle=2.0))
    assert circle[:4] == pytest.approx((math.pi, math.pi / 4.0, math.pi / 4.0, math.pi / 2.0))
