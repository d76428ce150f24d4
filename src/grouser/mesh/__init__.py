"""Meshes of flexible bodies as arrays: generators, files, sets, quality, and the cell that holds a point."""
