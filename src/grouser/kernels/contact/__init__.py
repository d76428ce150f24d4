"""Contact: search, geometry, law."""
