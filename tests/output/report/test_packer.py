from __future__ import annotations

import base64
import zlib

import numpy as np
import pytest

from grouser.output.report.packer import STEPS, Packer, read_array, unpack


@pytest.mark.parametrize("kind", ["f4", "u4", "u2", "i2", "u1", "i1"])
def test_arrays_come_back_as_they_were(kind):
    packer = Packer()
    first = packer.add(np.arange(7), kind)
    second = packer.add([3, 1, 4], "f4")
    content = unpack(packer.pack())
    np.testing.assert_array_equal(read_array(content, first), np.arange(7))
    np.testing.assert_array_equal(read_array(content, second), [3, 1, 4])
    # typed arrays of a browser must begin at multiples of their own size
    assert first["at"] % 4 == second["at"] % 4 == 0


def test_equal_arrays_are_stored_once():
    packer = Packer()
    time = np.linspace(0, 1, 1000)
    refs = [packer.add(time.copy(), "f4") for _ in range(5)]
    assert {ref["at"] for ref in refs} == {0}
    assert len(unpack(packer.pack())) == 4000


def test_a_range_is_kept_to_half_a_step_and_nan_stays_nan():
    values = np.random.default_rng(1).normal(5e3, 2e4, (50, 3))
    values[7, 1] = np.nan
    packer = Packer()
    ref = packer.add_range(values)
    found = read_array(unpack(packer.pack()), ref).reshape(values.shape)
    assert np.isnan(found[7, 1]) and np.isnan(found).sum() == 1
    step = np.ptp(values[np.isfinite(values)]) / STEPS
    assert np.nanmax(np.abs(found - values)) <= 0.5001 * step


@pytest.mark.parametrize("values", [[2.5, 2.5], [np.nan, np.nan], []])
def test_ranges_without_width_and_without_values(values):
    packer = Packer()
    ref = packer.add_range(values)
    np.testing.assert_allclose(read_array(unpack(packer.pack()), ref), values)


def test_the_text_is_deflate_with_its_header_as_browsers_inflate_it():
    packer = Packer()
    packer.add([1, 2, 3, 4], "u1")
    assert zlib.decompress(base64.b64decode(packer.pack()), zlib.MAX_WBITS) == b"\1\2\3\4"
