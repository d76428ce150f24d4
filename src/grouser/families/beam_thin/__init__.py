"""Thin beam: three point nodes, two half trusses and a bending spring; no torsion."""
