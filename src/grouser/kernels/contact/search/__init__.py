"""Search for contacts between points and polygons of any two surfaces, and where they touch: no model is known here."""
