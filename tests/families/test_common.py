"""What holds for every family of elements, tested on each of `FAMILIES` by its cases."""

from __future__ import annotations

import numpy as np
import pytest
from cases import CASES
from probe import Probe
from scipy.spatial.transform import Rotation
from spec_fields import list_parts, list_places, list_wanted

from grouser.errors import ModelError
from grouser.families.coordinate_force.motion import Motion
from grouser.families.driver.spec import Driver
from grouser.families.joint.spec import Joint
from grouser.families.registry import FAMILIES
from grouser.kernels.kinds import LEDGER_NUMERICAL
from grouser.model.fault import say_path
from grouser.model.force import FAULTS
from grouser.model.model import Model
from grouser.model.validate import FAMILIES as SECTIONS
from grouser.simulate import simulate

ROUNDING = 1e-12
"""Relative: some sums of numbers of 16 digits."""
INSTANT, RATE_NEAR = 1e-5, 1e-7
"""Time [s] over which energies are differenced, and the error of that beside the powers of all forces: motions that
change within 0.01 s give (1e-5/0.01)^2/6, digits of energies 1e-16/1e-5 times the energy over the power."""
STEP, SPEED = 1e-6, 1e-5
"""Displacements [m, rad] and velocities [m/s, rad/s] of central differences."""
NAMES = [family.name for family in FAMILIES]
FAMILY = {family.name: family for family in FAMILIES}
MESHED = ("beam_thin", "beam_thick", "brick", "ancf_beam", "ancf_cable")
"""Families whose elements stand in meshes alone; bad numbers of meshes are refused in `tests/model/test_meshes.py`."""
ALL = [pytest.param(name, case, id=f"{name}: {title}") for name in CASES for title, case in CASES[name].items()]
WITH_SPRINGS = [entry for entry in ALL if FAMILY[entry.values[0]].add_springs is not None]
WITHOUT_SPRINGS = [entry for entry in ALL if FAMILY[entry.values[0]].add_springs is None]
COMPARABLE = [entry for entry in WITH_SPRINGS if entry.values[1].stiffness != "none"]
TURNABLE = [entry for entry in ALL if entry.values[1].turns != "none"]
WITH_OUTPUTS = [entry for entry in ALL if FAMILY[entry.values[0]].outputs]


def make_odd(case):
    """A probe of a case, deformed and moving, and evaluated."""
    probe = Probe(case.make(), case.preset)
    probe.set_odd(case)
    probe.evaluate()
    return probe


def list_elements(name):
    """Elements of a family in its cases: the model, its section, the name."""
    for case in CASES[name].values():
        model = case.make()
        elements = FAMILY[name].list_elements(model)
        for element in dict.fromkeys(e.partition(".")[0] if model.meshes else e for e in elements):
            section = next(section for section in (*SECTIONS, "meshes") if element in getattr(model, section))
            yield model, section, element


@pytest.mark.parametrize("name", NAMES)
def test_every_family_has_cases(name):
    assert CASES.get(name), f"family {name!r} has no case: add an entry to CASES of tests/families/cases.py"
    for title, case in CASES[name].items():
        assert FAMILY[name].list_elements(case.make()), f"case {title!r} has no element of the family {name!r}"


def test_every_kind_of_element_has_a_case():
    found = {type(getattr(model, section)[e]) for name in CASES for model, section, e in list_elements(name)}
    missing = {*FAULTS, Joint, Motion, Driver} - found
    assert not missing, f"no case of tests/families/cases.py has a {' or a '.join(cls.__name__ for cls in missing)}"


@pytest.mark.parametrize(("name", "case"), ALL)
def test_forces_balance_each_other(name, case):
    """The third law, the world included. What acts from outside does not balance, and is not asked to."""
    probe = make_odd(case)
    f, torque, x = probe.work.f, probe.work.torque, probe.state.x
    assert np.isfinite(f).all()
    assert np.isfinite(torque).all()
    assert (np.abs(f).max() + np.abs(torque).max() > 1e-6) == case.acts
    if case.is_closed:
        moment = np.cross(x, f)
        size = np.abs(f).sum() + np.abs(moment).sum() + np.abs(torque).sum()
        assert np.abs(f[probe.places].sum(axis=0)).max() <= ROUNDING * size  # forces on gradients are no forces
        assert np.abs(moment.sum(axis=0) + torque.sum(axis=0)).max() <= ROUNDING * size


@pytest.mark.parametrize(("name", "case"), ALL)
def test_energy_that_is_stored_lost_and_supplied_is_the_work_of_the_forces(name, case):
    """Tyres and brakes book what their forces take and do not store as lost, so that there the rate of what they store
    is tested: of deflections, and of states z that relax."""
    probe = make_odd(case)
    work, state = probe.work, probe.state
    powers = np.concatenate([(work.f * state.v).sum(axis=1), (work.torque * work.w_world).sum(axis=1)])
    lost, supplied = work.dissipated.sum(), work.supplied.sum()
    rate = probe.calc_stored_rate(INSTANT)
    size = np.abs(powers).sum() + abs(lost) + abs(supplied) + abs(rate)
    assert rate + lost - supplied + powers.sum() == pytest.approx(0.0, abs=RATE_NEAR * size + 1e-9)


@pytest.mark.parametrize(("name", "case"), ALL)
def test_forces_are_the_same_with_and_without_slopes(name, case):
    probe = make_odd(case)
    names = ["f", "torque", "stored", "dissipated", "supplied", "z_rate", "joint_force", "joint_moment"]
    names += [f"{name}_value"] * bool(FAMILY[name].values)
    expected = {key: getattr(probe.work, key).copy() for key in names}
    plain = probe.evaluate(has_slopes=False)
    plain.stored[LEDGER_NUMERICAL] = expected["stored"][LEDGER_NUMERICAL]  # only implicit steps ask for it
    # behind what they show, elements may keep what an implicit step needs
    shown = len(FAMILY[name].outputs) or FAMILY[name].values
    for key, values in expected.items():
        columns = ... if key != f"{name}_value" else (slice(None), slice(shown))
        assert_near(getattr(plain, key)[columns], values[columns], ROUNDING, 0.0, key)


@pytest.mark.parametrize(("name", "case"), TURNABLE)
def test_what_is_turned_and_moved_as_a_whole_has_turned_forces(name, case):
    """World, plane ground and paths turn with it."""
    turn = Rotation.from_rotvec((0.0, 0.0, 1.1) if case.turns == "level" else (0.7, -1.1, 0.4)).as_matrix()
    probe = make_odd(case)
    names = ("f", "torque", "stored", "dissipated", "supplied", "z_rate")
    expected = {key: getattr(probe.work, key).copy() for key in names}
    expected |= {key: expected[key] @ turn.T for key in ("f", "torque")}
    probe.turn(turn, np.array([0.4, -0.3, 0.2]))
    found = probe.evaluate()
    for key, values in expected.items():
        # forces of stiff springs on small deformations lose digits of the positions
        assert_near(getattr(found, key), values, 1e-9, 1e-10, key)


def find_compared(probe, case):
    """Places of the numbers of all nodes for which slopes are compared."""
    numbers = np.arange(probe.size)
    bodies, points = probe._split(numbers)
    return np.concatenate([bodies[:, : case.compared].ravel(), points[:, : case.compared].ravel()])


def calc_differences(probe, case):
    """Stiffness and damping by differences of the forces."""
    stiffness = -probe.difference(probe.calc_force, probe.displace, probe.size, STEP)
    damping = -probe.difference(probe.calc_force, probe.add_velocity, probe.size, SPEED)
    if case.has_memory:
        by_states = -probe.difference(probe.calc_force, probe.move_states, len(probe.state.z), STEP)
        following = probe.difference(probe.calc_z_rate, probe.add_velocity, probe.size, SPEED)
        stiffness += by_states @ following
    return stiffness, damping


def assert_near(found, expected, share, least=1e-9, what=""):
    """Within a share of the largest number of either, or `least`."""
    size = max(np.abs(found).max(initial=0.0), np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=share * size + least, err_msg=what)


def find_least(matrix):
    """Least eigenvalue of a symmetric matrix, as a share of its largest number."""
    size = np.abs(matrix).max()
    return float(np.linalg.eigvalsh(0.5 * (matrix + matrix.T))[0]) / size if size > 0.0 else 0.0


@pytest.mark.parametrize(("name", "case"), WITH_SPRINGS)
def test_damping_of_implicit_steps_is_that_of_the_forces(name, case):
    """In odd states: forces are compared with all parts, since geometry has no part in it."""
    probe = make_odd(case)
    stiffness, damping = probe.calc_slopes()
    h = 0.3
    assert_near(probe.calc_matrix(h), h * damping + h * h * stiffness, 1e-12)
    for matrix in (stiffness, damping):
        assert_near(matrix, matrix.T, ROUNDING)
        assert find_least(matrix) > -1e-9 or not case.is_definite
    if case.damping:
        expected = -probe.difference(probe.calc_force, probe.add_velocity, probe.size, SPEED)
        assert_near(damping, 0.5 * (expected + expected.T), case.near)
        assert_near(expected, expected.T, case.near)


@pytest.mark.parametrize(("name", "case"), COMPARABLE)
def test_stiffness_of_implicit_steps_is_that_of_the_forces(name, case):
    """At rest, and in the relaxed start where the family leaves the change of geometry out."""
    probe = make_odd(case) if case.stiffness in ("loaded", "above") else Probe(case.make(), case.preset)
    probe.stop()
    stiffness, damping = probe.calc_slopes()
    by_force, by_speed = calc_differences(probe, case)
    by_force, by_speed = 0.5 * (by_force + by_force.T), 0.5 * (by_speed + by_speed.T)
    kept = np.ix_(*[find_compared(probe, case)] * 2)
    assert_near(damping[kept], by_speed[kept], case.near)
    if case.stiffness == "above":
        assert find_least(stiffness - by_force) > -case.near
        assert np.abs(stiffness - by_force).max() < np.abs(stiffness).max()
    else:
        assert_near(stiffness[kept], by_force[kept], case.near)


@pytest.mark.parametrize(("name", "case"), WITHOUT_SPRINGS)
def test_families_without_springs_add_nothing_to_implicit_steps(name, case):
    assert not make_odd(case).calc_matrix(1.0).any()


@pytest.mark.parametrize(("name", "case"), WITH_SPRINGS)
def test_springs_of_the_stable_step_are_the_slopes_of_implicit_steps(name, case):
    """In the start, at rest. Laws that may become stiffer on the way are counted by what they may become."""
    probe = Probe(case.make(), case.preset)
    probe.stop()
    found = [probe.normalise(matrix) for matrix in probe.calc_slopes()]
    given = [probe.calc_springs(FAMILY[family]) for family in (name, *case.beside)]
    for matrix, *parts in zip(found, *given, strict=True):
        most = sum(parts)
        if case.springs == "equal":
            assert_near(matrix, most, 1e-9)
        elif case.springs == "above":
            assert find_least(most - matrix) > -1e-9
        else:
            assert np.linalg.eigvalsh(matrix)[-1] <= np.linalg.eigvalsh(most)[-1]
    if case.springs == "equal":
        assert any(matrix.any() for matrix in found)


def spoil(model, path, value):
    """The model as data, with a value put somewhere."""
    data = _as_lists(model.model_dump())
    here = data
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = value
    return data


def _as_lists(value):
    if isinstance(value, dict):
        return {key: _as_lists(item) for key, item in value.items()}
    return [_as_lists(item) for item in value] if isinstance(value, list | tuple) else value


def assert_refused(model, path, value, named):
    """One fault, of the place that it is in."""
    try:
        Model.model_validate(spoil(model, path, value))
    except ModelError as error:
        assert len(error.faults) == 1, error
        assert error.faults[0].startswith(f"{say_path(named)}:"), error
        return str(error)
    raise AssertionError(f"{say_path(path)} = {value!r} is taken")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in MESHED])
def test_bad_numbers_are_refused_with_the_place_where_they_stand(name):
    """One number of every field: not a number, infinite, text, a truth value, and beyond both bounds."""
    seen, wanted, done = set(), set(), set()
    for model, section, element in list_elements(name):
        part = getattr(model, section)[element]
        wanted |= list_wanted(type(part))
        for place in list_places(type(part), part.model_dump(), (section, element)):
            seen.add((place.owner, place.field))
            form = place.owner, place.field, len(place.path) - place.path.index(place.field)
            if form in done:
                continue
            done.add(form)
            beyond = place.least - max(1.0, abs(place.least)), place.most + max(1.0, abs(place.most))
            assert np.isfinite(beyond).all(), f"{place.owner.__name__}.{place.field} is not bounded; take `Number`"
            for value in (np.nan, np.inf, -np.inf, "1 kg", True, *beyond):
                assert_refused(model, place.path, value, place.path)
    missing = [f"{cls.__name__}.{field}" for cls, field in wanted - seen]
    assert not missing, f"no case of the family {name!r} has a value of {', '.join(sorted(missing))}"


@pytest.mark.parametrize("name", NAMES)
def test_unknown_keys_are_refused_with_the_element(name):
    done = set()
    for model, section, element in list_elements(name):
        part = getattr(model, section)[element]
        for cls, path in list_parts(type(part), part.model_dump(), (section, element)):
            if cls not in done:
                done.add(cls)
                assert "unknown key 'unheard'" in assert_refused(model, (*path, "unheard"), 1.0, path)


@pytest.mark.parametrize(("name", "case"), WITH_OUTPUTS)
def test_every_output_is_a_channel(name, case):
    model = case.make()
    result = simulate(model, preset=case.preset, duration=2e-3, output_interval=1e-3, settle=False)
    for element in FAMILY[name].list_elements(model):
        for output in FAMILY[name].outputs:
            channel = f"{element}.{output.quantity}"
            assert channel in result, channel
            info = result.get_info(channel)
            assert info.unit == output.unit, channel
            assert np.isfinite(result[channel]).all(), channel
            assert len(result[channel]) == len(result.time)
