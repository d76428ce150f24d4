"""Tracked vehicles: template, routing of the track, and the model made of them."""
