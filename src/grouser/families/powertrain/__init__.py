"""Engine, converter, gearbox and driven wheels."""
