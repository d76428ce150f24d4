"""Thick beam: two rigid-body nodes, three springs and three torsional springs at the centre between them."""
