"""Fully parametrised beam of the absolute nodal coordinate formulation: constants, compiled code, linear joints."""
