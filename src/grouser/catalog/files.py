"""Finding the files of the catalog by name."""

from __future__ import annotations

import os
from pathlib import Path

from grouser.errors import ModelError, check_path, say_unknown
from grouser.model.document import parse_document


def find_file(folder: Path, kind: str, name_or_path: str | os.PathLike[str]) -> Path:
    """File of a catalog name, or the file itself.

    Parameters
    ----------
    folder : where the catalog keeps its files
    kind : what the files hold, for messages
    name_or_path : a name of the catalog, or the path of a file
    """
    check_path(name_or_path, kind)
    names = {file.stem: file for file in folder.glob("*.yaml")}
    if isinstance(name_or_path, str) and name_or_path in names:
        return names[name_or_path]
    path = Path(name_or_path)
    if path.suffix in (".yaml", ".yml") or len(path.parts) > 1 or os.path.isfile(path):
        return path
    raise ModelError(f"{say_unknown(kind, str(name_or_path), names)} (a file is given with its .yaml)")


def list_files(folder: Path) -> dict[str, str]:
    """Descriptions of the files of a catalog by name, in alphabetical order."""
    found = {}
    for file in sorted(folder.glob("*.yaml")):
        document = parse_document(file.read_text(encoding="utf-8"), str(file))
        found[file.stem] = str(document.get("description", ""))
    return found
