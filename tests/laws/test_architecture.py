"""The direction of imports between the rooms, and what `import ordeval` loads and costs."""

import ast
import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ordeval

ROOT = Path(ordeval.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
ROOMS = {
    "exceptions": 0, "_shared": 0, "_version": 0,
    "data": 1, "measures": 2, "inference": 3, "results": 4, "evaluate": 5,
    "meta": 6, "models": 6, "datasets": 6, "plots": 7, "report": 8, "papers": 9, "cli": 9,
}  # fmt: skip
HEAVY = {
    "scipy", "pandas", "sklearn", "matplotlib", "polars", "pyarrow", "narwhals", "duckdb",
}  # fmt: skip


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> int | None:
    """The number of a module's room; None for the package itself."""
    parts = module.split(".")
    return ROOMS[parts[1]] if len(parts) > 1 else None


def imported_by(node: ast.AST, module: str, path: Path) -> list[str]:
    """The modules that one import statement names."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    source = node.module or ""
    if node.level:
        package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
        source = ".".join([*package[: len(package) - node.level + 1], *filter(None, [source])])
    if source == "ordeval":
        return [f"ordeval.{alias.name}" for alias in node.names]
    return [source]


def imports(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    module = module_of(path)
    return [name for node in ast.walk(tree) for name in imported_by(node, module, path)]


def at_import_time(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run when a module is imported, type checking left out."""
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.dump(statement.test):
            yield from at_import_time(statement.orelse)
            continue
        yield statement
        for name in ("body", "orelse", "finalbody", "handlers"):
            yield from at_import_time(getattr(statement, name, []))


def test_the_rules_see_what_they_forbid() -> None:
    source = "\n".join(
        [
            "from typing import TYPE_CHECKING",
            "if TYPE_CHECKING:",
            "    import pandas",
            "def later():",
            "    import scipy",
            "try:",
            "    import polars.testing",
            "except ImportError:",
            "    from duckdb import sql",
            "class C:",
            "    import sklearn",
        ]
    )
    path = ROOT / "data" / "scale.py"
    found = {
        name.partition(".")[0]
        for statement in at_import_time(ast.parse(source).body)
        for name in imported_by(statement, "ordeval.data.scale", path)
    }
    assert found & HEAVY == {"polars", "duckdb", "sklearn"}
    relative = ast.parse("from . import scoring\nfrom .measures import path").body
    assert [imported_by(node, "ordeval.data.scale", path) for node in relative] == [
        ["ordeval.evaluate.score"],
        ["ordeval.measures"],
    ]


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_every_module_has_a_room(path: Path) -> None:
    module = module_of(path)
    assert module == "ordeval" or module.split(".")[1] in ROOMS


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_nothing_imports_a_higher_room(path: Path) -> None:
    own = room_of(module_of(path))
    if own is None:
        own = max(ROOMS.values())
    for name in imports(path):
        if name.startswith("ordeval."):
            room = room_of(name)
            assert room is not None
            assert room <= own, f"{module_of(path)} imports {name}"


@pytest.mark.parametrize(
    "path", [p for p in FILES if p != ROOT / "__init__.py" and p.parent != ROOT / "cli"]
)
def test_no_module_imports_the_package_itself(path: Path) -> None:
    """The package imports its modules; the other way round is a circle.

    The command is a user of the package, and no module imports it.
    """
    assert "ordeval" not in imports(path)


@pytest.mark.parametrize("path", [p for p in FILES if p.parent.name != "models"], ids=module_of)
def test_heavy_packages_are_imported_where_they_are_used(path: Path) -> None:
    """Estimators are scikit-learn's classes extended: the models are loaded on use as a whole."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    loaded = {
        name.partition(".")[0]
        for statement in at_import_time(tree.body)
        for name in imported_by(statement, module_of(path), path)
    }
    assert not loaded & HEAVY


def in_a_fresh_interpreter(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


def test_import_loads_numpy_and_nothing_heavy() -> None:
    loaded = in_a_fresh_interpreter(
        "import sys, ordeval; print(*{name.partition('.')[0] for name in sys.modules})"
    ).split()
    assert "numpy" in loaded
    assert not HEAVY & set(loaded)


def test_scoring_arrays_loads_nothing_heavy() -> None:
    loaded = in_a_fresh_interpreter(
        "import sys, ordeval as oe; repr(oe.score([1, 2, 2], [1, 2, 1])); "
        "print(*{name.partition('.')[0] for name in sys.modules})"
    ).split()
    assert not HEAVY & set(loaded)


def test_import_prints_nothing() -> None:
    assert in_a_fresh_interpreter("import ordeval") == ""


def test_import_costs_at_most_twice_a_bare_numpy() -> None:
    def seconds(module: str) -> float:
        return float(
            in_a_fresh_interpreter(
                "from time import perf_counter; start = perf_counter(); "
                f"import {module}; print(perf_counter() - start)"
            )
        )

    seconds("ordeval")  # compiles and warms the disk
    numpy = package = math.inf
    # Other tests run beside this one: the best of many rounds is what the import costs.
    for _ in range(40):
        numpy, package = min(numpy, seconds("numpy")), min(package, seconds("ordeval"))
        if package <= 1.9 * numpy:
            break
    assert package <= 2 * numpy
