"""Wheeled vehicles on double wishbones: the template, and the model made of it."""
