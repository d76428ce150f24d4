"""Crawlers in the plane: template, links, building."""
