"""Families of elements: a folder each, with what it is in files, its rows, and its compiled code."""
