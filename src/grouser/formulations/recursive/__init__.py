"""The `recursive` formulation: joint coordinates, articulated bodies, cut joints."""
