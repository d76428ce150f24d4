"""Tracked and wheeled vehicles as multibody systems."""
