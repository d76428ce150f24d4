"""Vehicles with wheels on arms and no tracks: tracked ones whose tracks are off."""
