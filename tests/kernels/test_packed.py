"""Packed tables: compiled code reads and writes the arrays of a namedtuple through one address."""

from collections import namedtuple

import numpy as np
import pytest
from numba.core.errors import TypingError

from grouser.kernels._jit import kernel
from grouser.kernels._packed import Packed

Inner = namedtuple("Inner", ["matrix", "part"])
Table = namedtuple("Table", ["row", "index", "count", "share", "is_on", "absent", "inner"])


def make_table():
    """Fields of every kind; a column of a wider array is not contiguous."""
    wide = np.arange(12.0).reshape(4, 3)
    return Table(
        row=np.arange(4.0),
        index=np.array([3, 0, 2, 1], dtype=np.int32),
        count=4,
        share=0.5,
        is_on=True,
        absent=None,
        inner=Inner(matrix=np.zeros((2, 3)), part=wide[:, 1]),
    )


@kernel
def calc_sum(table, absent):
    """None is known when the code is compiled: the other branch could not be."""
    if absent is None:
        total = 0.0
        for i in range(table.count):
            total += table.row[table.index[i]] * table.share + table.inner.part[i]
        return total if table.is_on else -1.0
    return absent.missing


@kernel(entry=True)
def run_sum(table):
    """Also writes, to an array of an inner table."""
    for i in range(table.inner.matrix.shape[0]):
        for k in range(table.inner.matrix.shape[1]):
            table.inner.matrix[i, k] += 10 * i + k
    return calc_sum(table, table.absent)


@kernel
def count_rows(table):
    """A packed table is known not to be None when the code is compiled: the other branch could not be."""
    if table is None:
        return table.missing
    return table.count


@kernel(entry=True)
def run_count(table):
    """Its argument is packed."""
    return count_rows(table)


@kernel(entry=True)
def read_missing(table):
    """A field that is not there."""
    return table.missing


def test_all_fields_are_read_and_arrays_are_written():
    table = make_table()
    packed = Packed(table)
    assert run_sum(packed) == pytest.approx(0.5 * 6.0 + 1.0 + 4.0 + 7.0 + 10.0)
    assert run_sum(packed) == run_sum(table)
    assert table.inner.matrix == pytest.approx(3.0 * np.array([[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]]))


def test_what_is_there_for_none_is_not_compiled_for_a_table():
    assert run_count(Packed(make_table())) == 4
    with pytest.raises(TypingError, match="missing"):
        run_count(make_table())


def test_one_layout_is_compiled_once_and_another_anew():
    """The type knows the layout, not the numbers."""
    run_sum(Packed(make_table()))
    before = len(run_sum.signatures)
    run_sum(Packed(make_table()._replace(count=2, row=np.ones(9))))
    assert len(run_sum.signatures) == before
    run_sum(Packed(make_table()._replace(row=np.ones(4, dtype=np.float32))))
    assert len(run_sum.signatures) == before + 1


def test_a_field_that_is_not_there():
    with pytest.raises(TypingError, match="missing"):
        read_missing(Packed(make_table()))


def test_inner_kernels_are_translated_within_their_entries_only():
    """What only kernels call has no machine code of its own, and is not on disk."""
    run_sum(Packed(make_table()))
    for result in calc_sum.overloads.values():
        assert result.library.get_pointer_to_function(result.fndesc.llvm_func_name) == 0
    assert calc_sum.stats.cache_path is None
    assert run_sum.stats.cache_path is not None
