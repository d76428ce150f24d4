"""The integrators: the one place that says what each of them is.

Those with a `scheme` are stepped by the time loop (`time_loop.py`), which branches on it in compiled code. The others
have a file each; those that are not implicit see the equations of motion as an ordinary differential equation
(`grouser.formulations.ode`).
"""

from __future__ import annotations

from dataclasses import dataclass

from grouser.formulations.tree_options import FORMULATIONS

EULER, TRAPEZOIDAL, LEAPFROG = 0, 1, 2

DEFAULT_RADIUS = 0.8
"""Spectral radius of `generalised-alpha`, where none is given: the factor on infinitely fast modes in a step."""
MOVED = 5.0e-3
"""Share of the energies that change in a frame by which its balance may be wrong, in schemes of second order."""
MOVED_LATE = 2.0e-2
"""The same in leapfrog steps, whose balance is of first order: forces see velocities of half a step before. A damper
beyond its stable step turns velocities round in every step, and leaves about all of its power open."""


@dataclass(frozen=True)
class Integrator:
    """What an integrator is.

    Attributes
    ----------
    description : for lists
    order : order of accuracy, as a phrase
    scheme : of the time loop; None for those with a loop of their own
    evaluations : of the equations of motion in a step, where their number is fixed
    is_implicit : steps are linearly implicit, so that stiffness sets no bound
    is_adaptive : it chooses its steps by a tolerance; else they have one length
    takes_step : it chooses its steps, and can also be given one that it keeps
    tolerance : relative tolerance of one that chooses its steps, where none is given
    has_memory : it can carry friction that remembers its past (asperity)
    imbalance : error of the energy balance of a frame, as a share of the energies that change in it, up to which the
        frame is accepted. Beyond it the frame is repeated with a smaller step, unless the user has given the step.
        None: only frames that diverge are repeated
    is_balanced : the balance of each frame tells whether its step is small enough, also where it is given
    formulations : those that it can step
    imaginary, real : largest stable dt omega of an undamped mode and dt gamma of a mode that is only damped
    angle : largest angle [rad] that a body may turn in a step. With it a heavy top is right within 1 % after 150 rad. A
        run with longer steps is told that its step is too coarse
    package : package that has to be installed for it, as (module, extra of grouser); None for none
    """

    description: str
    order: str
    scheme: int | None = None
    evaluations: int = 0
    is_implicit: bool = False
    is_adaptive: bool = False
    takes_step: bool = False
    tolerance: float = 1.0e-6
    has_memory: bool = True
    imbalance: float | None = None
    is_balanced: bool = False
    formulations: tuple[str, ...] = FORMULATIONS
    imaginary: float = 2.0
    real: float = 2.0
    angle: float = 0.03
    package: tuple[str, str] | None = None


SUNDIALS = ("sksundae", "sundials")

INTEGRATORS: dict[str, Integrator] = {
    "trapezoidal": Integrator(
        "trapezoidal rule, predictor and corrector; fixed step",
        "2",
        TRAPEZOIDAL,
        evaluations=2,
        imbalance=MOVED,
        is_balanced=True,
    ),
    "leapfrog": Integrator(
        "leapfrog, that is central differences: speeds half a step beside positions; fixed step",
        "2, with damping 1",
        LEAPFROG,
        evaluations=1,
        imbalance=MOVED_LATE,
        formulations=("explicit", "augmented", "recursive"),
    ),
    "euler": Integrator("semi-implicit Euler; fixed step", "1", EULER, evaluations=1),
    "implicit-euler": Integrator(
        "linearly implicit Euler; fixed step that no stiffness limits",
        "1",
        EULER,
        evaluations=1,
        is_implicit=True,
        formulations=("explicit", "augmented"),
        angle=0.1,
    ),
    "implicit-extrapolated": Integrator(
        "linearly implicit Euler, extrapolated to second order; fixed step that no stiffness limits",
        "2",
        evaluations=3,
        is_implicit=True,
        formulations=("explicit", "augmented"),
        angle=0.1,
    ),
    "generalised-alpha": Integrator(
        "generalised-alpha method, Newton's method in each step; fixed step that no stiffness limits",
        "2",
        is_implicit=True,
        formulations=("explicit",),
        angle=0.1,
    ),
    "sdirk": Integrator(
        "implicit Runge-Kutta method of two stages; steps by a tolerance, that no stiffness limits",
        "2",
        is_implicit=True,
        is_adaptive=True,
        takes_step=True,
        tolerance=8.0e-3,
        formulations=("explicit",),
    ),
    "rk4": Integrator(
        "classical Runge-Kutta; fixed step",
        "4",
        evaluations=4,
        imbalance=MOVED,
        is_balanced=True,
        imaginary=2.828,
        real=2.785,
        angle=0.3,
    ),
    "adams": Integrator("Adams-Bashforth-Moulton of variable order; steps by a tolerance", "1 to 12", is_adaptive=True),
    "cvode-adams": Integrator(
        "Adams-Moulton of variable order by SUNDIALS; steps by a tolerance",
        "1 to 12",
        is_adaptive=True,
        has_memory=False,
        package=SUNDIALS,
    ),
    "cvode-bdf": Integrator(
        "backward differentiation by SUNDIALS, for stiff systems; steps by a tolerance",
        "1 to 5",
        is_adaptive=True,
        has_memory=False,
        package=SUNDIALS,
    ),
}
