"""A model with its drives held still, as it settles; and which models settle before they run."""

from __future__ import annotations

from grouser.families.coordinate_force.motion import Motion
from grouser.families.driver.spec import Driver
from grouser.model.force import Actuator, Applied, Brake, Force, Powertrain, TrackPowertrain, Tyre
from grouser.model.model import Model
from grouser.model.signal import calc_signal_value


def begins_at_rest(model: Model) -> bool:
    """Whether runs of a model begin by settling if nothing is said: what stands on tracks, tyres or posts does."""
    return bool(model.tracks or model.posts) or any(isinstance(force, Tyre) for force in model.forces.values())


def with_held_drives(model: Model) -> Model:
    """The model with every motion, actuator and applied force held at its value at time zero, speeds at zero; brakes
    are applied, and drivers leave their hands off."""

    def hold_motion(motion: Motion) -> Motion:
        value = 0.0 if motion.quantity == "speed" else calc_signal_value(motion.value, 0.0)
        return motion.model_copy(update={"value": value})

    def hold_force(force: Force) -> Force:
        if isinstance(force, Actuator):
            value = 0.0 if force.control == "speed" else calc_signal_value(force.target, 0.0)
            return force.model_copy(update={"target": value})
        if isinstance(force, Applied):
            still = {
                name: tuple(calc_signal_value(s, 0.0) for s in getattr(force, name)) for name in ("force", "torque")
            }
            return force.model_copy(update=still)
        if isinstance(force, Powertrain | TrackPowertrain):
            return force.model_copy(update={"throttle": 0.0})
        if isinstance(force, Brake):
            return force.model_copy(update={"pedal": 1.0})
        return force

    def hold_driver(driver: Driver) -> Driver:
        steering = driver.steering
        still = None if steering is None else steering.model_copy(update={steering.ORDER[0]: 0.0})
        return driver.model_copy(update={"steering": still, "path": [], "speed": None})

    return model.model_copy(
        update={
            "motions": {name: hold_motion(motion) for name, motion in model.motions.items()},
            "forces": {name: hold_force(force) for name, force in model.forces.items()},
            "drivers": {name: hold_driver(driver) for name, driver in model.drivers.items()},
        }
    )
