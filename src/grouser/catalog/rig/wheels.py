"""The wheels of a model that a rig puts posts under, and the arms that carry them."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin

import numpy as np

from grouser.catalog.tracked.parts import ContactLaw
from grouser.errors import ModelError
from grouser.families.coordinate_force.spec import JointSpring
from grouser.families.joint.spec import Joint
from grouser.families.tyre.spec import Tyre
from grouser.model.body import Frame
from grouser.model.contact import Friction, Wheel
from grouser.model.model import Model
from grouser.model.rotation import quaternion_to_matrix
from grouser.model.start import calc_world_frame

Array = np.ndarray


@dataclass(frozen=True)
class StandingWheel:
    """A wheel that stands on a post.

    Attributes
    ----------
    body : its name
    centre : in the world [m]
    shapes : its discs by the name of their shape
    radius, width : [m]
    law : of its tyre on the pan; None where the pan's law holds
    arm : spring in the pivot of its arm, or empty
    axle : joint on which it turns, or empty
    load : its share of the weight, all wheels carrying alike [N]
    """

    body: str
    centre: Array
    shapes: dict[str, Wheel]
    radius: float
    width: float
    law: ContactLaw | None
    arm: str
    axle: str
    load: float

    @property
    def side(self) -> str:
        """The side of the vehicle."""
        return "left" if self.centre[1] > 0.0 else "right"


def find_wheels(model: Model) -> list[StandingWheel]:
    """All wheels: bodies with discs or tyres, left before right, front before rear."""
    tyres = {force.frame.body: force for force in model.forces.values() if isinstance(force, Tyre)}
    discs: dict[str, dict[str, Wheel]] = {}
    for name, shape in model.shapes.items():
        if isinstance(shape, Wheel) and shape.body in model.bodies and shape.body not in tyres:
            discs.setdefault(shape.body, {})[name] = shape
    bodies = [*discs, *tyres]
    load = model.mass * float(np.linalg.norm(model.gravity)) / max(len(bodies), 1)
    found = [
        _make_wheel(model, body, load, discs[body])
        if body in discs
        else _make_wheel(model, body, load, _make_tread(tyres[body]), tyres[body])
        for body in bodies
    ]
    if not found:
        raise ModelError(
            f"{model.name!r} has no wheels that could stand on posts: a rig is for vehicles with wheels on arms or on "
            "tyres"
        )
    return sorted(found, key=lambda wheel: (wheel.side, -wheel.centre[0]))


def calc_travel(model: Model, wheel: StandingWheel) -> tuple[float, float] | None:
    """Way of a wheel down and up between the stops of its arm [m]; None without stops."""
    spring = model.forces.get(wheel.arm)
    if not isinstance(spring, JointSpring) or spring.stops is None:
        return None
    stops = spring.stops
    if stops.lower is None or stops.upper is None:
        return None
    pivot, axes = calc_world_frame(model, model.joints[spring.joint].frame_a)
    arm = wheel.centre - pivot
    across = np.cross(axes[:, 2], arm)
    rises = [float(sin(q) * across[2] + (cos(q) - 1.0) * arm[2]) for q in (stops.lower, stops.upper)]
    return -min(rises), max(rises)


def _make_wheel(
    model: Model, body: str, load: float, shapes: dict[str, Wheel], tyre: Tyre | None = None
) -> StandingWheel:
    first = next(iter(shapes.values()))
    centre, _ = calc_world_frame(model, Frame(body=body, position=first.position))
    reach = max(abs(plane) for shape in shapes.values() for plane in shape.planes)
    axle = next((name for name, joint in model.joints.items() if _is_axle(joint, body)), "")
    return StandingWheel(
        body=body,
        centre=centre,
        shapes=shapes,
        radius=max(shape.radius for shape in shapes.values()),
        width=max(3.0 * reach, 0.1) if tyre is None else tyre.width,
        law=None if tyre is None else _make_law(tyre, load),
        arm=_find_arm(model, model.joints[axle].frame_a.body) if axle else "",
        axle=axle,
        load=load,
    )


def _make_tread(tyre: Tyre) -> dict[str, Wheel]:
    """A tyre as a disc."""
    body, axis = tyre.frame.body, quaternion_to_matrix(tyre.frame.orientation)[:, 1]
    disc = Wheel(body=body, group="", position=tyre.frame.position, axis=tuple(axis.tolist()), radius=tyre.radius)
    return {f"{body}.tread": disc}


def _make_law(tyre: Tyre, load: float) -> ContactLaw:
    """A tyre as a spring. Its stiffness is that under the load F: of k d + p d^2 = F the slope is sqrt(k^2 + 4 p F)."""
    return ContactLaw(
        stiffness=float(np.sqrt(tyre.stiffness**2 + 4.0 * tyre.progression * load)),
        damping=tyre.damping,
        friction=Friction(mu=min(tyre.lateral.peak[0] / tyre.load, 10.0), velocity=0.2),
    )


def _is_axle(joint: Joint, wheel: str) -> bool:
    return joint.type == "revolute" and joint.frame_b.body == wheel


def _find_arm(model: Model, carrier: str) -> str:
    """The spring in the pivot of the body on which a wheel turns."""
    for name, force in model.forces.items():
        if not isinstance(force, JointSpring) or force.coordinate != "rotation" or carrier == model.main_body:
            continue
        if model.joints[force.joint].frame_b.body == carrier:
            return name
    return ""
