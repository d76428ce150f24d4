"""The `augmented` formulation: absolute coordinates, ideal joints by multipliers, one block-sparse system."""
