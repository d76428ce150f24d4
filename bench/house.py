"""The house in numbers: how hard the source is to read, by counting.

python bench/house.py            the numbers
python bench/house.py --list     also the kernels and functions beyond the bounds
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grimp

SOURCE = Path(__file__).resolve().parent.parent / "src" / "grouser"
MANY, MOST = 10, 15
"""Arguments of a kernel beyond which there are many, and too many."""
COMPLEX = 25
"""Largest cyclomatic complexity of a function."""


def find_kernels(path: Path) -> Iterator[tuple[str, int]]:
    """Name and number of arguments of every kernel in a file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef) and any("kernel" in ast.unparse(d) for d in node.decorator_list):
            yield f"{path.relative_to(SOURCE)}:{node.name}", len(node.args.args) + len(node.args.kwonlyargs)


def find_complexities() -> Iterator[tuple[str, int]]:
    """Name and cyclomatic complexity of every function, as ruff counts it."""
    words = ["check", "--isolated", "--select", "C901", "--config", "lint.mccabe.max-complexity=0"]
    words += ["--output-format", "json", str(SOURCE)]
    done = subprocess.run([sys.executable, "-m", "ruff", *words], capture_output=True, text=True, check=False)
    for row in json.loads(done.stdout):
        name, value = re.findall(r"`(.+?)` is too complex \((\d+) >", row["message"])[0]
        yield f"{Path(row['filename']).relative_to(SOURCE)}:{name}", int(value)


def find_cycles() -> list[tuple[str, ...]]:
    """Modules that import each other, imports within functions included: sets of more than one."""
    graph = grimp.build_graph("grouser", exclude_type_checking_imports=True)
    reached = {module: graph.find_downstream_modules(module) for module in graph.modules}
    found = {
        tuple(sorted({module, *(other for other in reached[module] if module in reached[other])}))
        for module in graph.modules
    }
    return sorted(cycle for cycle in found if len(cycle) > 1)


def main() -> int:
    """Print the numbers; returns the exit code."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--list", action="store_true", help="name what is beyond the bounds")
    options = parser.parse_args()
    files = [path for path in sorted(SOURCE.rglob("*.py")) if path.stat().st_size]
    kernels = [kernel for path in files for kernel in find_kernels(path)]
    complexities = list(find_complexities())
    cycles = find_cycles()
    lengths = [len(path.read_text().splitlines()) for path in files]
    many = sorted((count, name) for name, count in kernels if count > MANY)
    complex_ones = sorted((value, name) for name, value in complexities if value > COMPLEX)
    print(f"kernels: {len(kernels)}; with more than {MANY} arguments {len(many)}, ", end="")
    print(f"more than {MOST} {sum(count > MOST for count, _ in many)}, most {max(count for _, count in kernels)}")
    print(
        f"complexity: largest {max(value for _, value in complexities)}, above {COMPLEX} {len(complex_ones)} functions"
    )
    print(f"import cycles, lazy ones included: {len(cycles)}")
    print(f"files: {len(files)}, median {statistics.median(lengths):.0f} lines, longest {max(lengths)}")
    if options.list:
        for title, rows in (("arguments", many), ("complexity", complex_ones)):
            print(f"\n{title}")
            print("\n".join(f"{value:5d}  {name}" for value, name in reversed(rows)))
        print("\ncycles")
        print("\n".join("  " + ", ".join(cycle) for cycle in cycles))
    return 0


if __name__ == "__main__":
    sys.exit(main())
