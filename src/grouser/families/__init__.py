"""Families of elements, a folder each: constants, materials and compiled code of one kind of element."""
