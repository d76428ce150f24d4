"""Small motions of the vehicle on its posts against modes of matrices that are made here, by other means.

Coordinates q: displacement of the hull (3), its rotation vector (3), angles of the arms (n), spins of the wheels (n).
With positions as functions of q, energies and their differences give all matrices:

    M = J^T diag(m, I) J,   K = d2V/dq2,   D = sum c (dr/dq)^T (dr/dq)

V holds gravity, torsion bars, and the springs of the discs on their pans, at its own minimum; r are rates of arms,
axles and touching points. Posts p come in as V(q, p) and by the rates of their pans:

    (-w^2 M + i w D + K) q = -(K_p + i w D_p) p
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from grouser.catalog.scenarios import apply_scenario, load_scenario
from grouser.catalog.vehicles import load_vehicle
from grouser.model.body import make_inertia_matrix
from grouser.model.contact import Wheel
from grouser.model.force import JointSpring
from grouser.model.model import Model
from grouser.result.result import Result
from grouser.simulate import settle, simulate

AMPLITUDE = 2.0e-4
"""Of the posts [m]: small beside the kinks of all curves."""
MOTIONS = [("shake", 1.2), ("pitch", 0.7), ("pitch", 0.9), ("pitch", 1.1)]
"""Motions of the posts and their frequencies [Hz]."""
ACROSS = np.array([0.0, 1.0, 0.0])


class Linear:
    """The vehicle as matrices."""

    def __init__(self, model: Model) -> None:
        self.model, self.posts = model, list(model.posts.values())
        self.count = len(self.posts)
        hull = model.bodies["chassis"]
        self.hull = np.array(hull.position)
        springs = [model.forces[post.arm] for post in self.posts]
        assert all(isinstance(spring, JointSpring) for spring in springs)
        self.springs = [spring for spring in springs if isinstance(spring, JointSpring)]
        self.pivots = [np.array(model.joints[spring.joint].frame_a.position) for spring in self.springs]
        self.arms = [model.bodies[model.joints[spring.joint].frame_b.body] for spring in self.springs]
        self.wheels = [model.bodies[post.wheel] for post in self.posts]
        shapes = {shape.body: shape for shape in model.shapes.values() if isinstance(shape, Wheel)}
        self.discs = [shapes[post.wheel] for post in self.posts]
        self.law = model.contacts[self.posts[0].on_pan]

    def place(self, q: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Centres of mass and rotations of hull, arms and wheels."""
        turn = Rotation.from_rotvec(q[3:6])
        hull = self.model.bodies["chassis"]
        centres, turns = [self.hull + q[:3] + turn.apply(hull.com)], [turn]
        wheels, spins = [], []
        for i in range(self.count):
            arm = turn * Rotation.from_rotvec(q[6 + i] * ACROSS)
            pivot = self.hull + q[:3] + turn.apply(self.pivots[i])
            start = self.hull + self.pivots[i]
            centres.append(pivot + arm.apply(self.arms[i].com))
            turns.append(arm)
            wheels.append(pivot + arm.apply(np.array(self.wheels[i].position) - start))
            spins.append(arm * Rotation.from_rotvec(q[6 + self.count + i] * ACROSS))
        return centres + wheels, turns + spins

    def find_depths(self, q: np.ndarray, p: np.ndarray) -> np.ndarray:
        """How deep each disc is in its pan (wheels, discs)."""
        centres, turns = self.place(q)
        depths = []
        for i in range(self.count):
            centre, turn, disc = centres[1 + self.count + i], turns[1 + self.count + i], self.discs[i]
            axis = turn.apply(ACROSS)
            upright = np.sqrt(1.0 - axis[2] ** 2)
            depths.append([disc.radius * upright - (centre + plane * axis)[2] + p[i] for plane in disc.planes])
        return np.array(depths)

    def calc_energy(self, q: np.ndarray, p: np.ndarray) -> float:
        """V."""
        centres, _ = self.place(q)
        masses = [self.model.bodies["chassis"].mass, *(a.mass for a in self.arms), *(w.mass for w in self.wheels)]
        energy = sum(9.81 * mass * centre[2] for mass, centre in zip(masses, centres, strict=True))
        for i, spring in enumerate(self.springs):
            assert isinstance(spring.stiffness, list)
            slope = np.diff([f for _, f in spring.stiffness])[1] / np.diff([a for a, _ in spring.stiffness])[1]
            energy += 0.5 * slope * q[6 + i] ** 2 - spring.preload * q[6 + i]
        return float(energy + 0.5 * self.law.stiffness * np.sum(self.find_depths(q, p) ** 2))

    def find_rates(self, q: np.ndarray, p: np.ndarray) -> np.ndarray:
        """What dampers see change: angles of arms and axles, depths, and touching points along x and y."""
        centres, turns = self.place(q)
        rows = [*q[6:], *self.find_depths(q, p).ravel()]
        for i in range(self.count):
            centre, turn = centres[1 + self.count + i], turns[1 + self.count + i]
            for plane in self.discs[i].planes:
                rows += list((centre + turn.apply([0.0, plane, -self.discs[i].radius]))[:2])
        return np.array(rows)

    def list_dampers(self, q: np.ndarray) -> np.ndarray:
        """Coefficients of `find_rates`."""
        bars = []
        for spring in self.springs:
            assert isinstance(spring.damping, list)
            rates, torques = np.array(spring.damping).T
            inner = np.searchsorted(rates, 0.0)
            slope = (torques[inner] - torques[inner - 1]) / (rates[inner] - rates[inner - 1])
            bars.append(slope + spring.friction / spring.friction_velocity)
        axles = [self.model.forces[f"{name}.rolling"] for name in self.model.posts]
        rolling = [f.friction / f.friction_velocity for f in axles if isinstance(f, JointSpring)]
        depths, friction = self.find_depths(q, np.zeros(self.count)).ravel(), self.law.friction
        assert friction is not None
        sliding = np.repeat(friction.mu * self.law.stiffness * depths / friction.velocity, 2)
        return np.concatenate([bars, rolling, np.full(len(depths), self.law.damping), sliding])

    def solve(self, shares: np.ndarray, frequency: float) -> np.ndarray:
        """Transfer functions of the arms from posts that move by their shares [rad/m]."""
        M, D, K, D_p, K_p = self.matrices
        w = 2.0 * np.pi * frequency
        return np.linalg.solve(-(w**2) * M + 1j * w * D + K, -(K_p + 1j * w * D_p) @ shares)[6 : 6 + self.count]

    @cached_property
    def matrices(self) -> tuple[np.ndarray, ...]:
        """M, D, K, D_p and K_p."""
        size, still, h = 6 + 2 * self.count, np.zeros(self.count), 1e-5
        scale = np.full(size, h)

        def slope(q: np.ndarray, p: np.ndarray) -> np.ndarray:
            return _differentiate(lambda u: np.array([self.calc_energy(u, p)]), q, scale)[0]

        rest = np.zeros(size)
        K = _differentiate(lambda u: slope(u, still), rest, 10.0 * scale)
        for _ in range(5):  # nothing holds the hull along and across, nor the wheels in their axles
            rest = rest - np.linalg.lstsq(K, slope(rest, still), rcond=1e-6)[0]
        K = _differentiate(lambda u: slope(u, still), rest, 10.0 * scale)
        K_p = _differentiate(lambda u: slope(rest, u), still, np.full(self.count, 10.0 * h))
        moved = _differentiate(lambda u: np.concatenate(self.place(u)[0]), rest, scale)
        turned = _differentiate(lambda u: self._find_turns(u, rest), rest, scale)
        bodies = [self.model.bodies["chassis"], *self.arms, *self.wheels]
        M = sum(body.mass * moved[3 * i : 3 * i + 3].T @ moved[3 * i : 3 * i + 3] for i, body in enumerate(bodies))
        turns = self.place(rest)[1]
        for i, body in enumerate(bodies):
            axes = turns[i].as_matrix()
            part = turned[3 * i : 3 * i + 3]
            M = M + part.T @ axes @ make_inertia_matrix(body.inertia) @ axes.T @ part
        dampers = self.list_dampers(rest)
        rates = _differentiate(lambda u: self.find_rates(u, still), rest, scale)
        rates_p = _differentiate(lambda u: self.find_rates(rest, u), still, np.full(self.count, h))
        return M, rates.T @ (dampers[:, None] * rates), K, rates.T @ (dampers[:, None] * rates_p), K_p

    def _find_turns(self, q: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """Small rotations of all bodies from their rest, world axes."""
        pairs = zip(self.place(q)[1], self.place(rest)[1], strict=True)
        return np.concatenate([(turn * before.inv()).as_rotvec() for turn, before in pairs])


def _differentiate(function, x: np.ndarray, steps: np.ndarray) -> np.ndarray:  # type: ignore[no-untyped-def]
    columns = []
    for i, step in enumerate(steps):
        d = np.zeros(len(x))
        d[i] = step
        columns.append((function(x + d) - function(x - d)) / (2.0 * step))
    return np.array(columns).T


def fit(time: np.ndarray, values: np.ndarray, frequency: float) -> complex:
    """Amplitude and phase beside a slow drift."""
    angle = 2.0 * np.pi * frequency * time
    columns = np.column_stack([np.cos(angle), -np.sin(angle), *(time**k for k in range(3))])
    real, imaginary = np.linalg.lstsq(columns, values, rcond=None)[0][:2]
    return complex(real, imaginary)


@pytest.fixture(scope="module")
def runs() -> dict[tuple[str, float], Result]:
    found, rest = {}, None
    for motion, frequency in MOTIONS:
        excitation = f"rig.excitation={{type: harmonic, motion: {motion}, amplitude: {AMPLITUDE}, length: 30, ramp: 2}}"
        changes = [excitation, f"rig.excitation.frequency={frequency}"]
        model = apply_scenario(load_vehicle("npost-12"), load_scenario("npost-shake", changes))
        rest = settle(model) if rest is None else rest
        found[motion, frequency] = simulate(model, duration=12.0, output_interval=0.01, initial=rest)
    return found


@pytest.fixture(scope="module")
def linear(runs: dict[tuple[str, float], Result]) -> Linear:
    return Linear(runs[MOTIONS[0]].model)


@pytest.mark.slow
@pytest.mark.parametrize(("motion", "frequency"), MOTIONS)
def test_transfer_functions_are_those_of_the_modes(
    runs: dict[tuple[str, float], Result], linear: Linear, motion: str, frequency: float
) -> None:
    """The tolerance is that of the smallness of 0.2 mm, beside which friction is not quite linear."""
    result = runs[motion, frequency]
    late = result.time > 12.0 - 6.0 / frequency
    time = result.time[late]
    names = list(result.model.posts)
    posts = np.array([fit(time, result[f"{name}.drive.target"][late], frequency) for name in names])
    arms = np.array(
        [fit(time, result[f"{result.model.posts[name].arm}.coordinate"][late], frequency) for name in names]
    )
    largest = posts[np.argmax(np.abs(posts))]
    wanted = linear.solve((posts / largest).real, frequency) * largest
    assert np.abs(arms - wanted).max() < 0.01 * np.abs(wanted).max()
