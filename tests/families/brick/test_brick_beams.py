"""Beams and plates under small loads, against theories of beams and plates and against published values.

Two bounds cannot be passed by any brick of eight nodes with a symmetric stiffness that passes the patch test, and are
said here instead of hidden:

- On a rectangle, patch test and exact pure bending decide the whole stiffness. Curvature is then constant in a brick:
  under a force at the tip, N bricks along a slender cantilever reach 1 - 1/(4 N^2).
- A brick with a trapezoidal face stiffens against bending in the plane of that face and out of it, or fails the patch
  test (MacNeal, A theorem regarding the locking of tapered four-noded membrane elements, 1987). For its energy is at
  least that of its mean strain, and bending gives one: nodes of a trapezium at +-a(1 +- t) and height +-c move up by
  k x^2/2, so the mean strain across is k t a^2/c, five times the largest strain of bending in the mesh below.
"""

import pytest
from brick_beams import (
    calc_cantilever,
    calc_curved,
    calc_plate,
    calc_straight,
    calc_twisted,
    hold_face,
    hold_plane,
    hold_section,
)
from standard_bricks import IncompatibleMesh, StandardMesh
from statics import Statics

COUNTS = (4, 6, 8, 10)


@pytest.mark.parametrize("poisson", (0.0, 0.3, 0.49))
@pytest.mark.parametrize("count", COUNTS)
def test_cantilever_bends_as_timoshenkos(count, poisson):
    """One brick through the thickness, 20 times as long as high. The end may become thinner and wider, as theories of
    beams have it."""
    assert calc_cantilever(count, poisson, "moment", hold_section) == pytest.approx(1.0, abs=1e-9)
    assert calc_cantilever(count, poisson, "weight", hold_section) == pytest.approx(1.0, abs=0.005)
    curvature = 1.0 - 1.0 / (4.0 * count**2)
    assert calc_cantilever(count, poisson, "force", hold_section) == pytest.approx(curvature, abs=0.004)


@pytest.mark.parametrize(("poisson", "accuracy"), [(0.0, 0.01), (0.3, 0.01), (0.49, 0.03)])
@pytest.mark.parametrize("count", COUNTS)
def test_cantilever_on_a_root_that_may_contract_and_bend_across(count, poisson, accuracy):
    """Its own weight and a moment within the accuracy; a force at the tip too from 6 bricks on, with 4 as far as the
    bound above lets it."""
    assert calc_cantilever(count, poisson, "moment", hold_plane) == pytest.approx(1.0, abs=1e-9)
    assert calc_cantilever(count, poisson, "weight", hold_plane) == pytest.approx(1.0, abs=accuracy)
    lost = 0.0 if count > 4 else 1.0 / (4.0 * count**2)
    assert calc_cantilever(count, poisson, "force", hold_plane) == pytest.approx(1.0 - lost, abs=accuracy)


@pytest.mark.parametrize(("poisson", "bound"), [(0.0, 0.0), (0.3, 0.11), (0.49, 0.29)])
def test_a_clamp_is_felt_along_half_a_brick(poisson, bound):
    """A clamp that also holds width and height stiffens the beam near it, in truth along its height, here along half a
    brick: the error falls with the number of bricks."""
    errors = [1.0 - calc_cantilever(count, poisson, "weight", hold_face) for count in (*COUNTS, 40)]
    # shear of one brick is even, that of a rectangle is not: 0.0003 of this beam
    assert all(error < bound / count + 0.0004 for error, count in zip(errors, (*COUNTS, 40), strict=True))
    assert errors[-1] < 0.01


@pytest.mark.parametrize("poisson", (0.0, 0.3, 0.49))
def test_one_layer_is_a_plate(poisson):
    """Clamped at its edges, under pressure: thin plates with D = E h^3/12/(1 - nu^2). Shear adds some parts in 1e3."""
    assert calc_plate(8, poisson) == pytest.approx(1.0, abs=0.002)
    assert calc_plate(4, poisson) == pytest.approx(1.0, abs=0.01)


def say_row(name, ratios):
    return f"{name:34s}" + "".join(f"{case} {value:7.4f}   " for case, value in ratios.items())


BOUNDS = {
    # twist: the warping of one brick is bilinear, St. Venant's is not; 4 x 4 bricks in the section reach 1.006
    "regular": {"extension": 0.98, "in plane": 0.98, "out of plane": 0.98, "twist": 0.90},
    # MacNeal's theorem, see above: as bricks of textbooks
    "trapezoidal": {"extension": 0.98, "in plane": 0.045, "out of plane": 0.03, "twist": 0.85},
    # both end bricks are trapezia; the one at the root bears 0.42 of the tip's displacement
    "parallelogram": {"extension": 0.98, "in plane": 0.62, "out of plane": 0.58, "twist": 0.88},
}
REFINED = {
    "regular": {"extension": 0.99, "in plane": 0.99, "out of plane": 0.99, "twist": 1.0},
    "trapezoidal": {"extension": 0.99, "in plane": 0.97, "out of plane": 0.96, "twist": 1.0},
    "parallelogram": {"extension": 0.99, "in plane": 0.98, "out of plane": 0.98, "twist": 1.0},
}


@pytest.mark.parametrize("shape", BOUNDS)
def test_straight_beam_of_macneal_and_harder(shape):
    ratios, fine = calc_straight(shape), calc_straight(shape, refined=4)
    print("\n" + say_row(shape, ratios))
    print(say_row(f"{shape}, bricks of a fourth", fine))
    print(say_row(f"{shape}, incompatible modes", calc_straight(shape, kind=IncompatibleMesh)))
    print(say_row(f"{shape}, trilinear", calc_straight(shape, kind=StandardMesh)))
    for case, ratio in ratios.items():
        assert BOUNDS[shape][case] < ratio < 1.001
        assert REFINED[shape][case] < fine[case] < 1.01


def test_curved_beam_of_macneal_and_harder():
    """Bricks are trapezia, all wide at the same side: they become thinner together, which only the clamp hinders."""
    for name, kind in (("natural modes", Statics), ("incompatible", IncompatibleMesh), ("trilinear", StandardMesh)):
        print("\n" + say_row(f"curved, {name}", calc_curved(kind=kind)), end="")
    coarse, fine = calc_curved(), calc_curved(refined=4)
    print("\n" + say_row("curved, bricks of a fourth", fine))
    assert 0.88 < coarse["in plane"] < 1.0
    assert 0.83 < coarse["out of plane"] < 1.0
    assert fine["in plane"] == pytest.approx(1.0, abs=0.01)
    assert 0.97 < fine["out of plane"] < 1.0


def test_twisted_beam_of_macneal_and_harder():
    for name, kind in (("natural modes", Statics), ("incompatible", IncompatibleMesh), ("trilinear", StandardMesh)):
        print("\n" + say_row(f"twisted, {name}", calc_twisted(kind=kind)), end="")
    for ratio in calc_twisted().values():
        assert ratio == pytest.approx(1.0, abs=0.01)
