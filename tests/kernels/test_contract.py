"""The contract of compiled code, read from its syntax tree: what may be written, and what may be imported."""

import ast
from pathlib import Path

import numba.core.errors
import numpy as np
import pytest

import grouser
from grouser.kernels import _jit, _sources

PACKAGE = Path(grouser.__file__).parent
FILES = [path for path in _sources.find_sources() if "@kernel" in path.read_text() and not path.name.startswith("_")]
ALLOWED = ("math", "collections", "numpy", "numba", "grouser.opcodes")
ALLOWED += tuple(f"grouser.{folder}" for folder in ("kernels", "families", "formulations", "integrators"))
STRUCTURES = ("work",)
"""Parameters that are namedtuples of scratch arrays: their fields may be written."""


def find_kernels(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any("kernel" in ast.dump(d) for d in node.decorator_list):
            yield node


def find_root(node):
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def find_written(function):
    for node in ast.walk(function):
        targets = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AugAssign):
            targets = [node.target]
        for target in targets:
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            yield from (find_root(part) for part in parts if isinstance(part, ast.Subscript | ast.Attribute))


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_kernels_write_only_what_their_names_say(path):
    for function in find_kernels(ast.parse(path.read_text())):
        parameters = {arg.arg for arg in function.args.args}
        for name in find_written(function):
            allowed = name not in parameters or name.endswith(("_out", "_work")) or name in STRUCTURES
            assert allowed, f"{path.name}: {function.name} writes its input {name!r}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_kernels_have_docstrings_and_no_defaults(path):
    for function in find_kernels(ast.parse(path.read_text())):
        assert ast.get_docstring(function), f"{path.name}: {function.name} has no docstring"
        assert not function.args.defaults, f"{path.name}: {function.name} has default arguments"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_kernels_import_only_compiled_code(path):
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            names = [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name == "grouser":
                continue  # `from grouser import opcodes`
            assert name.startswith(ALLOWED), f"{path.name} imports {name}"


def test_compiled_code_cannot_allocate():
    """A kernel that makes an array does not compile: steps are free of allocation by construction."""

    @_jit.kernel(entry=True)
    def make_array(n):
        return np.zeros(n)

    with pytest.raises(numba.core.errors.TypingError):
        make_array(3)
