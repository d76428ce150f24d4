"""Degrees of freedom of a model, counted."""

from __future__ import annotations

import numpy as np

from grouser.compile.compile import compile_model
from grouser.compile.realization import Ideal
from grouser.compile.stiffness import calc_held_motions
from grouser.kernels.nodes import FRAME_SIZE, POINT_SIZE
from grouser.model.model import Model

DEPENDENT = 1.0e-6
"""Singular value of constraint rows of length one below which rows imply each other."""


def find_freedom_count(model: Model) -> int:
    """Degrees of freedom in the initial positions if all joints and motions were ideal: six a body and three a
    point, less the rank of their rows."""
    compiled = compile_model(model, {"*": Ideal()}, Ideal(), ideal=True)
    held = calc_held_motions(compiled)
    rank = 0 if held is None else int(np.linalg.matrix_rank(held.toarray(), tol=DEPENDENT))
    return FRAME_SIZE * len(model.bodies) + POINT_SIZE * len(compiled.layout.free_points) - rank
