"""Force elements that are not connections or contacts."""
