"""Contact of surfaces in models: their places, when they are searched, what acts where they touch."""
