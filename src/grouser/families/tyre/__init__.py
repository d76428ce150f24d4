"""Tyres."""
