"""``grouser show``: what a vehicle or model consists of."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from grouser.cli.options import Json, Overrides, ScenarioName, Suspension, Target
from grouser.cli.report import print_facts, print_json, print_table
from grouser.cli.source import Source, load_source
from grouser.errors import UnsupportedError
from grouser.result.facts import say_value

if TYPE_CHECKING:
    from grouser.model.model import Model


def show(
    target: Target,
    scenario: ScenarioName = None,
    overrides: Overrides = None,
    suspension: Suspension = None,
    json: Json = False,
) -> int:
    """Show bodies, joints, degrees of freedom, masses, tracks, and the stable step of every preset."""
    source = load_source(target, overrides=overrides, suspension=suspension, scenario=scenario)
    facts = describe_source(source)
    if json:
        print_json(facts)
        return 0
    _print_model(facts)
    return 0


def describe_source(source: Source) -> dict[str, Any]:
    """Facts on a model; masses in kg, lengths in m, times in s."""
    from grouser.compile.freedoms import find_freedom_count

    model = source.model
    joints = Counter((joint.group, joint.type) for joint in model.joints.values())
    masses = {name: body.mass for name, body in model.bodies.items()}
    masses |= {name: point.mass for name, point in model.points.items() if not point.is_carried}
    return {
        "name": model.name,
        "description": model.description,
        "file": str(source.path),
        "kind": source.kind,
        "scenario": None if source.scenario is None else source.scenario.name,
        "main_body": model.main_body or next(iter(model.bodies), ""),
        "body_count": len(model.bodies),
        "joint_count": len(model.joints),
        "degrees_of_freedom": find_freedom_count(model),
        "mass": model.mass,
        "masses": masses,
        "joints": [{"group": group, "type": kind, "count": count} for (group, kind), count in sorted(joints.items())],
        "forces": dict(Counter(force.type for force in model.forces.values())),
        "motions": list(model.motions),
        "contacts": list(model.contacts),
        "terrain": None if model.terrain is None else model.terrain.type,
        "stable_step": find_stable_steps(model),
        "tracks": {
            name: {
                "links": len(track.links),
                "pitch": track.pitch,
                "teeth": track.teeth,
                "pitch_radius": track.pitch_radius,
                "wheels": sum(shape.type == "wheel" and shape.body in track.wheels for shape in model.shapes.values()),
                "drive": track.drive,
            }
            for name, track in model.tracks.items()
        },
    }


def find_stable_steps(model: Model) -> dict[str, dict[str, Any]]:
    """Stable step [s] of every preset and the body that sets it, or why the preset does not fit."""
    from grouser.presets import PRESETS
    from grouser.simulate import prepare

    steps: dict[str, dict[str, Any]] = {}
    for name, preset in PRESETS.items():
        try:
            _, stable = prepare(model, preset)
        except UnsupportedError as error:
            steps[name] = {"step": None, "body": None, "message": str(error)}
        else:
            steps[name] = {"step": stable.step, "body": stable.body, "message": ""}
    return steps


def _print_model(facts: dict[str, Any]) -> None:
    names = ("description", "file", "scenario", "main_body", "terrain")
    rows = {name.replace("_", " "): str(facts[name] or "") for name in names}
    rows["bodies"] = f"{facts['body_count']}, {facts['mass']:,.2f} kg in all"
    rows["degrees of freedom"] = f"{facts['degrees_of_freedom']} (with ideal joints, in the initial positions)"
    rows["forces"] = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in facts["forces"].items())
    rows["motions"] = ", ".join(facts["motions"])
    rows["contacts"] = ", ".join(facts["contacts"])
    print_facts(facts["name"], rows)
    print_table("bodies", ("name", "count", "mass of each", "mass of all"), _group_bodies(facts["masses"]))
    if facts["joints"]:
        joints = [(joint["group"], joint["type"], str(joint["count"])) for joint in facts["joints"]]
        print_table("joints", ("group", "type", "count"), joints)
    if facts["tracks"]:
        print_table("tracks", ("name", "links", "pitch", "teeth", "pitch radius", "wheels"), _list_tracks(facts))
    print_table("stable step", ("preset", "step", "set by body"), _list_steps(facts))


def _list_tracks(facts: dict[str, Any]) -> list[tuple[str, ...]]:
    return [
        (
            name,
            str(track["links"]),
            say_value(track["pitch"], "m"),
            str(track["teeth"]),
            say_value(track["pitch_radius"], "m"),
            str(track["wheels"]),
        )
        for name, track in facts["tracks"].items()
    ]


def _list_steps(facts: dict[str, Any]) -> list[tuple[str, ...]]:
    return [
        (name, say_value(entry["step"], "ms", scale=1e3, digits=3) or "-", entry["body"] or entry["message"])
        for name, entry in facts["stable_step"].items()
    ]


def _group_bodies(masses: dict[str, float]) -> list[tuple[str, ...]]:
    """Bodies whose names differ by numbers and whose masses are equal, as one row each."""
    groups = Counter((re.sub(r"\d+", "#", name), mass) for name, mass in masses.items())
    single = {(re.sub(r"\d+", "#", name), mass): name for name, mass in masses.items()}
    return [
        (
            name if count > 1 else single[name, mass],
            str(count),
            f"{mass:,.4g} kg" if mass < 1000 else f"{mass:,.2f} kg",
            f"{count * mass:,.2f} kg",
        )
        for (name, mass), count in groups.items()
    ]
