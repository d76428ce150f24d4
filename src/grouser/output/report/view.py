"""What the 3D view of a report needs: meshes, poses, colours and arrows of all runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from grouser.errors import ResultError
from grouser.model.body import WORLD
from grouser.output.deforming import make_deforming
from grouser.output.report.arrows import make_arrow_sets
from grouser.output.report.channels import make_channels
from grouser.output.report.coarse import make_coarse_mesh
from grouser.output.report.flexible import count_poses, pack_mesh_channels, pack_meshes
from grouser.output.report.packer import Packer, Ref
from grouser.output.report.template import make_look
from grouser.output.scene import make_scene
from grouser.result.metrics import find_all_events

if TYPE_CHECKING:
    from grouser.output.mesh import Mesh
    from grouser.output.report.channels import Channel
    from grouser.output.scene import Scene
    from grouser.result.result import Result

MOST_EVENTS = 50
"""Events that are marked on the bar of time."""
COARSE_SHARE, COARSE_LEAST, COARSE_MOST = 0.25, 24, 600
"""Coarse meshes have this share of the faces of fine ones, within limits."""
CROWD = 30
"""Bodies of which there are more than this many alike, as the links of a track, have as few faces as may be."""


def make_scenes(runs: Mapping[str, Result], most_poses: int) -> dict[str, Scene]:
    """Scenes of all runs, with as many frames a second as a number of poses allows."""
    if not runs:
        raise ResultError("a report needs at least one result")
    for label, result in runs.items():
        _check_motion(label, result)
    poses = sum(len(result.time) * count_poses(result) for result in runs.values())
    stride = math.ceil(poses / most_poses)
    return {label: make_scene(result, _find_rate(result, stride)) for label, result in runs.items()}


def _find_rate(result: Result, stride: int) -> float | None:
    """Frames a second of which every so many stored frames are shown, or None for all."""
    span = float(result.time[-1] - result.time[0])
    return None if stride == 1 or span == 0 else (len(result.time) - 1) / span / stride


def _check_motion(label: str, result: Result) -> None:
    if len(result.time) == 0:
        raise ResultError(
            f"{label}: the result holds no frame: the run ended before it began ({result.status}), "
            "so there is nothing to show; repeat it"
        )
    needed = ["body/position", "body/orientation"] if result.model.bodies else []
    needed += ["point/position"] if result.model.points else []
    needed += sorted({f"{mesh.family}/position" for mesh in make_deforming(result.model)})
    for block in needed:
        if not result.has_block(block):
            raise ResultError(f"{label}: the result has no block {block!r}, without which nothing can be shown")


def make_view(runs: Mapping[str, Result], scenes: Mapping[str, Scene], packer: Packer) -> dict[str, Any]:
    """What the 3D view needs."""
    packed = []
    for number, (label, result) in enumerate(runs.items()):
        scene = scenes[label]
        shown = result.with_frames(scene.frames)
        is_first = number == 0
        packed.append(
            {
                "label": label,
                "status": result.status,
                "scene": {**_pack_scene(scene, packer), "deforming": pack_meshes(shown, scene.deforming, packer)},
                "terrain": _pack_mesh(scene.terrain, packer) if scene.terrain is not None and is_first else None,
                "channels": _pack_channels(shown, scene, packer) if is_first else [],
                "arrows": _pack_arrows(shown, scene, packer) if is_first else [],
            }
        )
    first = next(iter(runs.values()))
    events = [{"time": e.time, "text": f"{e.time:.3f} s: {e.message}"} for e in find_all_events(first)[:MOST_EVENTS]]
    return {"runs": packed, "events": events, "look": make_look()}


def _pack_scene(scene: Scene, packer: Packer) -> dict[str, Any]:
    return {
        "time": packer.add(scene.time, "f4"),
        "bodies": scene.bodies,
        "main": scene.bodies.index(scene.main_body) if scene.main_body in scene.bodies else -1,
        "way": packer.add(scene.way, "f4"),
        "meshes": [_pack_mesh(mesh, packer) for mesh in scene.meshes],
        "coarse": [_pack_mesh(_make_coarse(scene, number), packer) for number in range(len(scene.meshes))],
        "mesh": scene.mesh,
        "position": packer.add(scene.position, "f4"),
        "quaternion": packer.add(np.round(32767 * scene.quaternion), "i2"),
        "size": scene.size,
    }


def _make_coarse(scene: Scene, number: int) -> Mesh:
    mesh = scene.meshes[number]
    share = COARSE_LEAST if scene.mesh.count(number) > CROWD else int(COARSE_SHARE * len(mesh.faces))
    return make_coarse_mesh(mesh, min(COARSE_MOST, max(COARSE_LEAST, share)))


def _pack_mesh(mesh: Mesh, packer: Packer) -> dict[str, Ref]:
    return {
        "vertices": packer.add(mesh.vertices, "f4"),
        "normals": packer.add(np.round(127 * mesh.normals), "i1"),
        "colours": packer.add(np.round(255 * mesh.colours), "u1"),
        "faces": packer.add(mesh.faces, "u4"),
    }


def _find_number(scene: Scene, body: str) -> int:
    if body not in scene.bodies:
        raise ResultError(
            f"the result has values of the body {body!r}, which its model does not have: it is damaged; repeat the run"
        )
    return scene.bodies.index(body)


def _pack_channels(result: Result, scene: Scene, packer: Packer) -> list[dict[str, Any]]:
    """Colours of meshes, which tell most where there are any, and of bodies."""
    of_bodies = [_pack_channel(one, scene, packer) for one in make_channels(result)]
    return [*pack_mesh_channels(result, scene.deforming, packer), *of_bodies]


def _pack_channel(channel: Channel, scene: Scene, packer: Packer) -> dict[str, Any]:
    low, high = channel.find_range()
    shown = channel.values
    return {
        "key": channel.key,
        "label": channel.label,
        "unit": channel.unit,
        "bodies": [_find_number(scene, body) for body in channel.bodies],
        "values": packer.add_range(shown),
        "meshes": [],
        "low": low,
        "high": high,
        "isCutLow": bool(np.nanmin(shown, initial=low) < low),
        "isCut": bool(np.nanmax(shown, initial=high) > high),
    }


def _pack_arrows(result: Result, scene: Scene, packer: Packer) -> list[dict[str, Any]]:
    return [
        {
            "key": one.key,
            "label": one.label,
            "unit": one.unit,
            "bodies": [-1 if body == WORLD else _find_number(scene, body) for body in one.bodies],
            "points": packer.add(one.points, "f4"),
            "vectors": packer.add_range(one.vectors),
            "largest": one.largest,
        }
        for one in make_arrow_sets(result)
    ]
