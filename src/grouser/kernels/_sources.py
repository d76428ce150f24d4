"""Which sources decide what a unit of compiled code does.

A unit, that is an entry or a stage (`_stage.py`), is compiled with all that it calls, except other stages: these it
calls by address. So an edit concerns the units from which the edited file can be reached by imports of anything else
than stages. The names of stages are read from the text of the files: no unit has to be imported for it.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
FOLDERS = ("kernels", "families", "formulations", "compile", "integrators")
"""Folders with compiled code, and with the layouts of what it is given."""
_IMPORT = re.compile(r"^from (grouser[\w.]*) import (\([^)]*\)|.*)$", re.MULTILINE)
_STAGE = re.compile(r"^@kernel\(stage=.*\)\ndef (\w+)\(", re.MULTILINE)


def find_sources() -> list[Path]:
    """All files whose text decides what compiled code does."""
    return [*sorted(f for folder in FOLDERS for f in (PACKAGE / folder).rglob("*.py")), PACKAGE / "opcodes.py"]


def calc_source_hash() -> str:
    """Hash of all of them, 16 hexadecimal digits: it tells versions of the numerics apart."""
    return _calc_hash(find_sources())


def calc_unit_hash(file: Path) -> str:
    """Hash of the sources that decide what the units of a file do."""
    return _calc_hash(sorted(find_unit_sources(file)))


def find_unit_sources(file: Path) -> set[Path]:
    """The file, and what it imports besides stages, and what that imports, and so on."""
    found: set[Path] = set()
    waiting = [file]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += _find_imported(one)
    return found


@cache
def read_source(file: Path) -> str:
    """Text of a file, read once."""
    return file.read_text(encoding="utf-8")


@cache
def find_stages(file: Path) -> frozenset[str]:
    """Names of the stages of a file."""
    return frozenset(_STAGE.findall(read_source(file)))


@cache
def _find_imported(file: Path) -> tuple[Path, ...]:
    """Files with compiled code that a file imports anything else from than stages."""
    found = []
    for module, names in _IMPORT.findall(read_source(file)):
        wanted = {name.split(" as ")[0].strip() for name in re.sub(r"#.*", "", names).strip("() \n").split(",")} - {""}
        target = _find_file(module)
        if target is None:  # `from grouser import opcodes`
            found += [one for name in wanted if (one := _find_file(f"{module}.{name}")) is not None]
        elif wanted - find_stages(target):
            found.append(target)
    return tuple(found)


@cache
def _find_file(module: str) -> Path | None:
    """File of a module of this package, if it is one that decides what compiled code does."""
    path = PACKAGE.joinpath(*module.split(".")[1:])
    is_source = path.relative_to(PACKAGE).parts[:1] in {(folder,) for folder in (*FOLDERS, "opcodes")}
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if is_source and file.is_file():
            return file
    return None


def _calc_hash(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(read_source(file).encode())
    return digest.hexdigest()[:16]
