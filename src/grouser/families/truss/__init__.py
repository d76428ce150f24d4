"""Trusses: bars between two points that stretch and do not bend."""
