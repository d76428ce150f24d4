"""Calibration: curves and numbers of a vehicle found from measured runs, through the runs of studies."""
