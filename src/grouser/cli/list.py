"""``grouser list``: what the catalog holds."""

from __future__ import annotations

from pathlib import Path

from grouser.cli.options import Json
from grouser.cli.report import print_json, print_table


def list_names(json: Json = False) -> int:
    """List vehicles, scenarios, presets and integrators."""
    import grouser.catalog
    from grouser.catalog.files import list_files
    from grouser.integrators.declarations import INTEGRATORS
    from grouser.presets import PRESETS

    # the folders are read without importing what builds vehicles from them, which would take longer than the listing
    catalog = Path(grouser.catalog.__path__[0])
    names = {
        "vehicles": list_files(catalog / "vehicles"),
        "scenarios": list_files(catalog / "scenarios"),
        "presets": {name: preset.description for name, preset in PRESETS.items()},
        "integrators": {name: one.description for name, one in INTEGRATORS.items()},
    }
    if json:
        print_json(names)
        return 0
    for title, entries in names.items():
        print_table(title, (), list(entries.items()))
    return 0
