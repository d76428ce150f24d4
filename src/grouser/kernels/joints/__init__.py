"""Connections between two frames."""
