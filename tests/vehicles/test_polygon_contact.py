"""A tracked vehicle whose running gear touches by polygons: the same places, and the same run as with exact shapes."""

from __future__ import annotations

import numpy as np
import pytest

import grouser as gr
from grouser.catalog.tracked.build import make_tracked_vehicle
from grouser.catalog.tracked.spec import TrackedVehicle
from grouser.catalog.vehicles import load_vehicle
from grouser.errors import ModelError
from grouser.model.contact import Horn, Pin, Points, Sprocket, Wheel
from grouser.model.model import Model
from grouser.model.rotation import quaternion_to_matrix
from grouser.model.surface import Surface
from grouser.model.terrain import MeshTerrain
from grouser.surface.make import make_rigid_data

SPEED, TENSION = 0.02, 0.05
"""By how much speed and mean tension may differ from those by exact shapes."""
RAMP = [[0.0, 0.0], [0.3, 0.0], [1.5, 15.0], [3.0, 15.0]]
"""Speed of both sprockets [rad/s]."""


def load_m113() -> TrackedVehicle:
    vehicle = load_vehicle("m113")
    assert isinstance(vehicle, TrackedVehicle)
    return vehicle


@pytest.fixture(scope="module")
def pair() -> tuple[Model, Model]:
    """By exact shapes, and by polygons."""
    vehicle = load_m113()
    return make_tracked_vehicle(vehicle), make_tracked_vehicle(vehicle.with_changes(polygons=True))


def test_places_and_sizes_are_those_of_the_exact_shapes(pair: tuple[Model, Model]) -> None:
    exact, polygons = pair
    assert polygons.bodies == exact.bodies and list(polygons.contacts) == list(exact.contacts)
    for name, shape in exact.shapes.items():
        if isinstance(shape, Points) and name != "chassis.belly":
            data = make_rigid_data(polygons.shapes[name])  # type: ignore[arg-type]
            assert data.points == pytest.approx(np.array(shape.positions))
            assert data.areas.tolist() == [shape.area] * 4
        elif isinstance(shape, Horn):
            data = make_rigid_data(polygons.shapes[name])  # type: ignore[arg-type]
            x, y, z = shape.position
            sides = [[x, y - shape.half_width, z], [x, y + shape.half_width, z]]
            assert data.points == pytest.approx(np.array(sides))
        elif isinstance(shape, Wheel):
            data = make_rigid_data(polygons.shapes[name])  # type: ignore[arg-type]
            assert np.hypot(*data.vertices[:, [0, 2]].T).max() == pytest.approx(shape.radius)
            assert shape.groove is not None
            assert np.abs(data.vertices[:, 1]).min() == pytest.approx(shape.groove)
        elif isinstance(shape, Sprocket):
            data = make_rigid_data(polygons.shapes[name])  # type: ignore[arg-type]
            # the bottom of the first gap lies in the direction of the reference
            bottom = (shape.arc_centre_radius - shape.arc_radius) * np.array(shape.reference)
            away = np.hypot(data.vertices[:, 0] - bottom[0], data.vertices[:, 2] - bottom[2])
            assert away.min() < 1e-9
            guide = polygons.shapes[f"{name}.guide"]
            assert shape.groove is not None
            assert np.abs(make_rigid_data(guide).vertices[:, 1]).min() == pytest.approx(shape.groove)  # type: ignore[arg-type]
    assert all(isinstance(shape, Surface) for name, shape in polygons.shapes.items() if name != "chassis.belly")


def test_balls_of_pins_are_where_the_pins_are(pair: tuple[Model, Model]) -> None:
    exact, polygons = pair
    for name, shape in exact.shapes.items():
        if isinstance(shape, Pin):
            parts = [make_rigid_data(polygons.shapes[f"{name}{n}"]) for n in (1, 2)]  # type: ignore[arg-type]
            assert [part.radius for part in parts] == [shape.radius] * 2
            places = np.concatenate([part.points for part in parts]).tolist()
            assert sorted(places) == sorted(map(list, shape.positions))


CORNERS = [[-15.0, -5.0, -1.5], [15.0, -5.0, 1.5], [15.0, 5.0, 1.5], [-15.0, 5.0, -1.5]]


def make_ground(scale: float, rise: float = 1.0) -> MeshTerrain:
    """A slope of two polygons; it is level without rise."""
    vertices = [[scale * x, y, scale * rise * z] for x, y, z in CORNERS]
    return MeshTerrain.model_validate(
        {"geometry": {"type": "polygons", "vertices": vertices, "polygons": [[0, 1, 2], [0, 2, 3]]}}
    )


def test_it_is_set_down_on_a_ground_of_polygons() -> None:
    """The lowest pad touches the slope, and no pad is below it; a ground that ends under it is refused."""
    vehicle = load_m113().with_changes(polygons=True)
    model = make_tracked_vehicle(vehicle, make_ground(1.0))
    gaps = []
    for name, shape in model.shapes.items():
        if name.endswith(".pad") and isinstance(shape, Surface):
            body = model.bodies[shape.body]
            x, _, z = (make_rigid_data(shape).points @ quaternion_to_matrix(body.orientation).T + body.position).T
            gaps += (z - 0.1 * x).tolist()
    assert min(gaps) == pytest.approx(0.0, abs=1e-9) and sum(gap < 0.02 for gap in gaps) > 40
    with pytest.raises(ModelError, match=r"terrain: has no polygon at x = .*under the model"):
        make_tracked_vehicle(vehicle, make_ground(0.1))


@pytest.mark.slow
def test_it_comes_to_rest_and_stays_there() -> None:
    """On level polygons, as high as by exact shapes but for some of the depth by which wheels sink into links, where
    they meet several points of them. On the slope friction by `tanh` creeps, whatever touches."""
    vehicle, heights = load_m113(), []
    for polygons, ground in ((False, None), (True, make_ground(1.0, rise=0.0))):
        model = make_tracked_vehicle(vehicle.with_changes(polygons=polygons), ground)
        with gr.simulate(model, duration=0.3) as result:
            assert np.ptp(result["chassis.position"], axis=0).max() < 1e-4
            assert result["left.ground.penetration"].max() < 0.01
            heights.append(result["chassis.position"][-1, 2])
    assert heights[1] == pytest.approx(heights[0], abs=4e-3)


@pytest.mark.slow
def test_it_drives_as_with_exact_shapes() -> None:
    """Speed at the end within 2 %, mean tension within 5 %, from the design position."""
    found = []
    for polygons in (False, True):
        model = make_tracked_vehicle(load_m113().with_changes(polygons=polygons), drives={"left": RAMP, "right": RAMP})
        with gr.simulate(model, duration=3.0, settle=False) as result:
            assert not result.events and abs(result.summary["energy_residual"]) < 0.01
            found.append((result.summary["final_speed"], result.summary["mean_link_tension"]))
    (speed, tension), (speed_polygons, tension_polygons) = found
    assert speed_polygons == pytest.approx(speed, rel=SPEED)
    assert tension_polygons == pytest.approx(tension, rel=TENSION)
