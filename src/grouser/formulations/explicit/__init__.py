"""The `explicit` formulation: absolute coordinates and no constraints; every node moves by its own forces."""
