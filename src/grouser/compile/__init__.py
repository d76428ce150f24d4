"""Names become indices: models become tables."""
