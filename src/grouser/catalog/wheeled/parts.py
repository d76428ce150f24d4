"""Parts of a wheeled vehicle as its file gives them.

Frame: x forward, y left, z up; the origin is the reference point of the chassis. Points of an axle are those of its
left side in the design position, counted from the axle's `origin`; the right side is the mirror image.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from grouser.families.powertrain.spec import Engine, Gearbox
from grouser.model.base import Curve, Mass, NonNegative, Number, Part, Positive, Table, Vec3
from grouser.model.body import Inertia


class Solid(Part):
    """A rigid part.

    Attributes
    ----------
    mass : [kg]
    inertia : about its centre of mass [kg m^2]; of arms with x along the hinge and z normal to the arm, else in the
        vehicle's axes
    """

    mass: Mass
    inertia: Inertia


class SprungBody(Solid):
    """The body on the springs, with everything that does not move in it.

    Attributes
    ----------
    com : centre of mass [m]
    """

    com: Vec3


class Hardpoints(Part):
    """Points of a double wishbone, left side [m].

    Attributes
    ----------
    spindle : centre of the wheel [m]
    upright : centre of mass of the upright [m]
    upper_front, upper_rear : hinge of the upper arm on the chassis [m]
    upper_ball : ball joint of upper arm and upright [m]
    upper_arm : centre of mass of the upper arm [m]
    lower_front, lower_rear : hinge of the lower arm on the chassis [m]
    lower_ball : ball joint of lower arm and upright [m]
    lower_arm : centre of mass of the lower arm [m]
    tie_rod_inner, tie_rod_outer : ends of the tie rod, on the chassis or the steering link and on the upright [m]
    spring_top, spring_bottom : ends of the spring, on the chassis and on the lower arm [m]
    shock_top, shock_bottom : ends of the shock absorber, likewise [m]
    """

    spindle: Vec3
    upright: Vec3
    upper_front: Vec3
    upper_rear: Vec3
    upper_ball: Vec3
    upper_arm: Vec3
    lower_front: Vec3
    lower_rear: Vec3
    lower_ball: Vec3
    lower_arm: Vec3
    tie_rod_inner: Vec3
    tie_rod_outer: Vec3
    spring_top: Vec3
    spring_bottom: Vec3
    shock_top: Vec3
    shock_bottom: Vec3


class SpringStops(Part):
    """Rubber stops at both ends of the way of a spring.

    Attributes
    ----------
    shortest, longest : lengths of the spring between which no stop acts [m]
    curve : table of (way beyond that length, force) [m, N], from [0, 0] on
    """

    shortest: Positive
    longest: Positive
    curve: Table = Field(min_length=2)


class CoilSpring(Part):
    """A spring between chassis and lower arm.

    Attributes
    ----------
    free_length : [m]
    stiffness : [N/m], or a table of (way of compression or extension, force) from [0, 0] on, the same in both
        directions [m, N]
    stops : or None
    """

    free_length: Positive
    stiffness: Curve
    stops: SpringStops | None = None


class ShockAbsorber(Part):
    """A damper between chassis and lower arm.

    Attributes
    ----------
    compression, rebound : while it becomes shorter, and longer [N s/m]
    """

    compression: NonNegative
    rebound: NonNegative


class CornerParts(Part):
    """Masses of a double wishbone; the same on both sides.

    Attributes
    ----------
    upper_arm, lower_arm, upright : rigid parts
    spindle : what turns with the wheel: hub, rim and tyre; the second moment of inertia is that of the spin
    """

    upper_arm: Solid
    lower_arm: Solid
    upright: Solid
    spindle: Solid


class Axle(Part):
    """Two double wishbones.

    Attributes
    ----------
    origin : from which its points are counted [m]
    points : hardpoints of the left side
    parts : masses
    spring, shock : of each side
    travel : range of wheel travel over which the linkage must close, bump positive [m]
    drive : share of the torque behind the gearbox, for both wheels together [-]
    brake : torque of each wheel at full pedal [N m]; 0 for none
    """

    origin: Vec3
    points: Hardpoints
    parts: CornerParts
    spring: CoilSpring
    shock: ShockAbsorber
    travel: tuple[Number, Number] = (-0.1, 0.1)
    drive: NonNegative = 0.0
    brake: NonNegative = 0.0


class PitmanSteering(Part):
    """Pitman arm, idler arm and the link between both, to which the tie rods of an axle are joined.

    The idler arm is massless. Both arms turn about parallel axes through `pitman_pivot` and `idler_pivot`.

    Attributes
    ----------
    axle : name of the axle that is steered
    axis : of both arms
    pitman_pivot, pitman_ball : ends of the Pitman arm, on the chassis and on the link [m]
    idler_pivot, idler_ball : ends of the idler arm, likewise [m]
    arm_com : centre of mass of the Pitman arm [m]
    link_com : centre of mass of the link [m]
    arm, link : rigid parts; inertia in axes whose z is `axis` and whose x is nearest to the vehicle's
    limit : largest angle of the Pitman arm to either side [rad]
    ratio : angle of the Pitman arm over that of the road wheels, positive to the left [-]
    understeer : for a driver, see `Steering` [rad s^2/m]
    """

    axle: str = "front"
    axis: Vec3
    pitman_pivot: Vec3
    pitman_ball: Vec3
    idler_pivot: Vec3
    idler_ball: Vec3
    arm_com: Vec3
    link_com: Vec3
    arm: Solid
    link: Solid
    limit: Annotated[Number, Field(ge=0.01, le=1.4)]
    ratio: Number
    understeer: NonNegative = 0.0


class Drivetrain(Part):
    """Engine and gearbox; `drive` of the axles says where the torque goes.

    Attributes
    ----------
    engine : torque map
    gearbox : gears and converter
    """

    engine: Engine
    gearbox: Gearbox
