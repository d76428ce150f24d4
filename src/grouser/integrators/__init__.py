"""Integrators: how a run goes from one frame to the next."""
