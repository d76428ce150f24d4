"""Joints and bushings: between two frames, by forces or by constraint rows."""
