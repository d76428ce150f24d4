"""Brick of eight point nodes by natural modes: constants, materials, compiled code."""
