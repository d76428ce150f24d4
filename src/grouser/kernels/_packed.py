"""`Packed`: tables handed to compiled code by one address instead of array by array.

A namedtuple of a hundred arrays is a hundred arrays to numba: each is checked, translated and passed on by value, a
thousand machine words at every call of one kernel by another, and as many for the compiler to follow. Packed, a table
is the address of a block of memory that describes its arrays, laid out once,

    array: data, number of elements, shape, strides     number: itself     table: its address     None: nothing
    list of tables that are alike: address of their addresses

in words of eight bytes. Kernels read ``table.field`` as before. The block never changes while it is in use, and
compiled code is told so (`invariant.load`): it may keep what it has read.
"""

from __future__ import annotations

import hashlib
import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils
from numba.core.imputils import lower_builtin, lower_getattr_generic
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox
from numba.np.numpy_support import as_dtype

_WORD = ir.IntType(64)
_NUMBERS = {types.int64: np.int64, types.float64: np.float64, types.boolean: np.int64}


class PackedType(types.Type):
    """Type of a packed table: names, types and places of its fields. Equal layouts have equal names."""

    def __init__(self, table: str, fields: tuple[tuple[str, types.Type, int], ...]) -> None:
        text = ";".join(f"{name}:{kind}@{place}" for name, kind, place in fields)
        self.fields = {name: (kind, place) for name, kind, place in fields}
        super().__init__(f"{table}_{hashlib.sha256(text.encode()).hexdigest()[:12]}")

    @property
    def literal_type(self) -> PackedType:
        """Numba asks for it where an argument is compared with None: so it drops what is there for None, and compiles
        it no more."""
        return self


class PackedListType(types.Type):
    """Type of a list of packed tables of one type, of which ``tables[i]`` is one."""

    def __init__(self, item: PackedType) -> None:
        self.item = item
        super().__init__(f"list_{item.name}")


class Packed:
    """A namedtuple of arrays, numbers, None, other such and lists of them, packed. Arrays may change, the namedtuple is
    fixed.

    It keeps alive what compiled code sees, and has the type that numba sees.

    Parameters
    ----------
    known : others by the identity of their tables (`list_known`); what is among them is not packed again

    Attributes
    ----------
    table : the namedtuple
    address : of the block of memory
    """

    __slots__ = ("_memory", "_numba_type_", "_parts", "address", "table")

    def __init__(self, table: Any, known: dict[int, Packed] | None = None) -> None:
        known = {} if known is None else known
        words: list[int | float] = []
        fields: list[tuple[str, types.Type, int]] = []
        parts: list[Any] = []
        for name, value in zip(table._fields, table, strict=True):
            place = len(words)
            if value is None:
                kind = types.none
            elif isinstance(value, np.ndarray):
                kind = _find_array_type(value)
                words += [value.ctypes.data, value.size, *value.shape, *value.strides]
            elif isinstance(value, tuple):
                parts.append(known.get(id(value)) or Packed(value, known))
                kind = parts[-1]._numba_type_
                words.append(parts[-1].address)
            elif isinstance(value, list):
                items = [known.get(id(one)) or Packed(one, known) for one in value]
                kinds = {one._numba_type_ for one in items}
                assert len(kinds) == 1, f"the tables of the list {name!r} are not alike: {kinds}"
                kind = PackedListType(kinds.pop())
                addresses = np.array([one.address for one in items], dtype=np.int64)
                parts += [*items, addresses]
                words.append(addresses.ctypes.data)
            else:
                kind = typeof(value)
                words.append(np.array([value], dtype=_NUMBERS[kind]).view(np.int64)[0])
            fields.append((name, kind, place))
        self.table, self._parts = table, parts
        self._memory = np.array([*words, 0], dtype=np.int64)
        self.address = self._memory.ctypes.data
        self._numba_type_ = PackedType(type(table).__name__, tuple(fields))

    def list_known(self) -> dict[int, Packed]:
        """All tables in it, by their identity."""
        found: dict[int, Packed] = {}
        waiting = [self]
        while waiting:
            parts = [part for part in waiting.pop()._parts if isinstance(part, Packed)]
            found |= {id(part.table): part for part in parts}
            waiting += parts
        return found


_ARRAY_TYPES: dict[tuple[Any, ...], types.Type] = {}


def _find_array_type(array: np.ndarray) -> types.Type:
    """What `typeof` says, asked once for arrays that are alike: it takes most of the time of packing."""
    flags = array.flags
    key = (array.dtype, array.ndim, flags.c_contiguous, flags.f_contiguous, flags.writeable, flags.aligned)
    if key not in _ARRAY_TYPES:
        _ARRAY_TYPES[key] = typeof(array)
    return _ARRAY_TYPES[key]


@typeof_impl.register(Packed)
def _typeof_packed(value: Packed, context: Any) -> PackedType:
    return value._numba_type_


@register_model(PackedType)
@register_model(PackedListType)
class _PackedModel(models.OpaqueModel):
    """A pointer."""


@unbox(PackedType)
def _unbox_packed(kind, value, c):
    address = c.pyapi.object_getattr_string(value, "address")
    pointer = c.pyapi.long_as_voidptr(address)
    c.pyapi.decref(address)
    return NativeValue(pointer)


@infer_global(operator.getitem)
class _PackedItem(AbstractTemplate):
    def generic(self, args, kws):
        """Type of a table of a list."""
        if isinstance(args[0], PackedListType):
            return signature(args[0].item, args[0], types.intp)
        return None


@lower_builtin(operator.getitem, PackedListType, types.intp)
def _read_item(context, builder, sig, values):
    """A table of a list."""
    address = cgutils.gep_inbounds(builder, builder.bitcast(values[0], _WORD.as_pointer()), values[1])
    word = builder.load(address)
    word.set_metadata("invariant.load", builder.module.add_metadata([]))
    return builder.inttoptr(word, context.get_value_type(sig.return_type))


@infer_getattr
class _PackedAttributes(AttributeTemplate):
    key = PackedType

    def generic_resolve(self, kind, name):
        """Type of a field."""
        return kind.fields[name][0] if name in kind.fields else None


@lower_getattr_generic(PackedType)
def _read_field(context, builder, kind, value, name):
    """Value of a field."""
    field, place = kind.fields[name]
    if field is types.none:
        return context.get_dummy_value()
    words = builder.bitcast(value, _WORD.as_pointer())
    constant = builder.module.add_metadata([])

    def load(offset, as_type=_WORD):
        pointer = cgutils.gep_inbounds(builder, words, place + offset)
        word = builder.load(builder.bitcast(pointer, as_type.as_pointer()))
        word.set_metadata("invariant.load", constant)
        return word

    if not isinstance(field, types.Array):
        if field is types.boolean:
            return builder.trunc(load(0), ir.IntType(1))
        return load(0, context.get_value_type(field))
    model, n = context.data_model_manager[field], field.ndim
    array = ir.Constant(model.get_value_type(), None)  # nobody owns it

    def put(part, name, *index):
        nonlocal array
        array = builder.insert_value(array, part, (model.get_field_position(name), *index))

    # in this order: that of the reads decides, in places, which machine code comes out
    put(load(1), "nitems")
    put(load(0, context.get_value_type(types.CPointer(field.dtype))), "data")
    put(ir.Constant(_WORD, as_dtype(field.dtype).itemsize), "itemsize")
    for i in range(n):
        put(load(2 + i), "shape", i)
    for i in range(n):
        put(load(2 + n + i), "strides", i)
    return array
