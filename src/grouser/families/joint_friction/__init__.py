"""Friction of joints, with asperities that hold a standing joint."""
