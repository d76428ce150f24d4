"""Surfaces of bodies as polygons and contact points: plain arrays."""
