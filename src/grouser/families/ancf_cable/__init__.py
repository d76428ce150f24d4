"""Cable of the absolute nodal coordinate formulation: two nodes of a place and one gradient."""
