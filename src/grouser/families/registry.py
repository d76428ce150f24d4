"""All families, in the order of their states z, channels and rows of the sparse system."""

from __future__ import annotations

from grouser.families.ancf_beam import rows as ancf_beam
from grouser.families.ancf_cable import rows as ancf_cable
from grouser.families.applied import rows as applied
from grouser.families.beam_thick import rows as beam_thick
from grouser.families.beam_thin import rows as beam_thin
from grouser.families.brake import rows as brake
from grouser.families.brick import rows as brick
from grouser.families.coordinate_force import rows as coordinate_force
from grouser.families.driver import rows as driver
from grouser.families.family import Family
from grouser.families.joint import rows as joint
from grouser.families.joint_friction import rows as joint_friction
from grouser.families.powertrain import rows as powertrain
from grouser.families.track_powertrain import rows as track_powertrain
from grouser.families.truss import rows as truss
from grouser.families.tyre import rows as tyre

FAMILIES: tuple[Family, ...] = (
    joint.FAMILY,
    coordinate_force.FAMILY,
    applied.FAMILY,
    tyre.FAMILY,
    powertrain.FAMILY,
    brake.FAMILY,
    driver.FAMILY,
    truss.FAMILY,
    beam_thin.FAMILY,
    beam_thick.FAMILY,
    brick.FAMILY,
    ancf_beam.FAMILY,
    ancf_cable.FAMILY,
    joint_friction.FAMILY,
    track_powertrain.FAMILY,
)
