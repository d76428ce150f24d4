"""Vehicles on one flexible band: a template, and the model that is made of it."""
