"""Families of elements: each has a folder with its kernel, its table, its masses and its stable step."""
