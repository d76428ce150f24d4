"""The `embedded` formulation: closed loops become aggregated bodies of a tree, with independent speeds."""
