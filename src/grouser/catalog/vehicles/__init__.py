"""Vehicles of the catalog: one data file each, and a function that makes the model."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from grouser.catalog.band.build import make_band_vehicle
from grouser.catalog.band.spec import BandVehicle
from grouser.catalog.crawler.build import make_crawler
from grouser.catalog.crawler.spec import Crawler
from grouser.catalog.files import find_file, list_files
from grouser.catalog.placement import place_on_terrain
from grouser.catalog.tracked.build import Drives, make_tracked_vehicle
from grouser.catalog.tracked.spec import TrackedVehicle
from grouser.catalog.trackless.build import make_trackless_vehicle
from grouser.catalog.trackless.spec import TracklessVehicle
from grouser.catalog.wheeled.build import make_wheeled_vehicle
from grouser.catalog.wheeled.spec import WheeledVehicle
from grouser.errors import ModelError, check_type, shorten
from grouser.model.base import Part
from grouser.model.document import Document
from grouser.model.model import Model
from grouser.model.override import with_overrides
from grouser.model.schema import find_kind, load_document, validate_document
from grouser.model.terrain import Terrain

__all__ = ["Vehicle", "find_vehicle", "hmmwv", "list_vehicles", "load_vehicle", "m113", "m113_paper", "make_vehicle"]

FOLDER = Path(__file__).parent

Vehicle = TrackedVehicle | TracklessVehicle | WheeledVehicle | Crawler | BandVehicle | Model
"""What a vehicle file holds: a template, or a whole model."""

KINDS: dict[str, type[Part]] = {
    "tracked-vehicle": TrackedVehicle,
    "trackless-vehicle": TracklessVehicle,
    "wheeled-vehicle": WheeledVehicle,
    "crawler": Crawler,
    "band-vehicle": BandVehicle,
    "model": Model,
}


def list_vehicles() -> dict[str, str]:
    """Names of the catalog's vehicles and what they are.

    >>> sorted(list_vehicles())
    ['crawler', 'hmmwv', 'm113', 'm113-band', 'm113-paper', 'm113-paper-rigid', 'npost-12', 'rubber-robot']
    """
    return list_files(FOLDER)


def find_vehicle(name_or_path: str | os.PathLike[str]) -> Path:
    """File of a vehicle."""
    return find_file(FOLDER, "vehicle", name_or_path)


def load_vehicle(name_or_path: str | os.PathLike[str], overrides: Iterable[str] = ()) -> Vehicle:
    """Read a vehicle: the template of a vehicle, or a whole model.

    Parameters
    ----------
    name_or_path : a name of the catalog or a file; `extends` in a file may name either
    overrides : values to replace, each ``path=value`` as in ``chassis.mass=9000``
    """
    return validate_vehicle(with_overrides(load_vehicle_document(name_or_path), overrides))


def validate_vehicle(document: Document) -> Vehicle:
    """Make a vehicle of the data of its file."""
    vehicle = validate_document(find_kind(document, KINDS), document)
    assert isinstance(vehicle, Vehicle)
    return vehicle


def load_vehicle_document(name_or_path: str | os.PathLike[str]) -> Document:
    """The data of a vehicle's file; `extends` in it may name a vehicle of the catalog or a file."""
    return load_document(find_vehicle(name_or_path), resolve=_resolve)


def make_vehicle(vehicle: Vehicle, terrain: Terrain | None = None) -> Model:
    """The model of a vehicle, set down on a terrain, by default on that of the model or on the plane z = 0."""
    if isinstance(vehicle, TrackedVehicle):
        return make_tracked_vehicle(vehicle, terrain)
    if isinstance(vehicle, TracklessVehicle):
        return make_trackless_vehicle(vehicle, terrain)
    if isinstance(vehicle, WheeledVehicle):
        return make_wheeled_vehicle(vehicle, terrain)
    if isinstance(vehicle, Crawler):
        return make_crawler(vehicle, terrain)
    if isinstance(vehicle, BandVehicle):
        return make_band_vehicle(vehicle, terrain)
    return vehicle if terrain is None else place_on_terrain(vehicle, terrain)


def hmmwv(*, terrain: Terrain | None = None) -> Model:
    """HMMWV from open data: double wishbones, Pitman steering, all-wheel drive, 2.6 t.

    Parameters
    ----------
    terrain : ground, by default the plane z = 0
    """
    return make_vehicle(load_vehicle("hmmwv"), terrain)


def m113(
    *,
    suspension: bool = True,
    terrain: Terrain | None = None,
    drives: Drives | None = None,
    links: int | tuple[int, int] | None = None,
) -> Model:
    """M113 from open data: staggered wheels, single-pin tracks of 63 and 64 links, 11.3 t.

    Parameters
    ----------
    suspension : False puts the road wheels on the hull itself
    terrain : ground, by default the plane z = 0
    drives : speeds of both sprockets, or of ``left`` and ``right`` [rad/s], positive forward
    links : number of links of both tracks, or of the left and the right one
    """
    return _make("m113", suspension, terrain, drives, links)


def m113_paper(
    *,
    suspension: bool = True,
    terrain: Terrain | None = None,
    drives: Drives | None = None,
    links: int | tuple[int, int] | None = None,
) -> Model:
    """M113 of the chain formulations paper: symmetric, 64 links a side, 18.2 t. Parameters as of `m113`."""
    return _make("m113-paper", suspension, terrain, drives, links)


def _make(
    name: str,
    suspension: bool,
    terrain: Terrain | None,
    drives: Drives | None,
    links: int | tuple[int, int] | None,
) -> Model:
    vehicle = load_vehicle(name)
    assert isinstance(vehicle, TrackedVehicle)
    check_type(suspension, bool, "suspension", "give True or False")
    if not suspension:
        vehicle = vehicle.with_changes(suspension=False)
    if links is not None:
        is_pair = isinstance(links, list | tuple) and len(links) == 2
        kinds = (list, tuple) if is_pair else int
        check_type(links, kinds, "links", "give the number for both tracks, or (left, right)")
        left, right = (links, links) if isinstance(links, int) else links
        vehicle = vehicle.with_changes(links={"count": left}, right={"links": {"count": right}})
    return make_tracked_vehicle(vehicle, terrain, drives)


def _resolve(name: str, relative_to: Path) -> Path:
    """The vehicle that `extends` names: of the catalog, or a file beside the one that names it."""
    beside = relative_to.parent / name
    if os.path.isfile(beside):
        return beside
    try:
        return find_vehicle(name)
    except ModelError:
        raise ModelError(
            f"there is neither a vehicle of the catalog nor a file of the name {shorten(name, 100)!r}"
        ) from None
