"""Engine, converter, gearbox and steering differential of a vehicle with tracks."""
