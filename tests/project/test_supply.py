"""What is fetched to build and to run: exact actions, and no version with a known advisory."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOWS = ROOT / ".github" / "workflows"
# The first version after the last advisory that was known when its bound was set.
SAFE = {
    "jinja2": (3, 1, 6),
    "scikit-learn": (1, 5, 0),
    "duckdb": (1, 4, 2),
    "pyspark": (3, 5, 7),
    "dask": (2026, 1, 1),
    "pyarrow": (23, 0, 1),
    "torch": (2, 10, 0),
    "mlflow-skinny": (3, 16, 0),
    "lightgbm": (4, 6, 0),
    "pytest": (9, 0, 3),
}


@pytest.mark.skipif(not WORKFLOWS.exists(), reason="a source distribution has no workflows")
def test_every_action_is_an_exact_commit() -> None:
    """A tag can be moved to other code; a commit cannot. The comment says which version it is."""
    used = [
        line.strip().removeprefix("- ")
        for path in sorted(WORKFLOWS.glob("*.y*ml"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.match(r"\s*(- )?uses:", line)
    ]
    assert len(used) >= 10
    for line in used:
        assert re.fullmatch(r"uses: [\w-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line
    commits = {line.split("@")[0]: line for line in used}
    assert set(used) == set(commits.values())  # one version of each


def test_no_bound_allows_a_version_with_a_known_advisory() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    bounds: dict[str, list[tuple[int, ...]]] = {}
    for line in (line for group in groups for line in group):
        if found := re.fullmatch(r"([\w-]+)(?:\[[\w,]+\])?>=([\d.]+)", line):
            version = tuple(int(part) for part in found[2].split("."))
            bounds.setdefault(found[1], []).append(version)
    for name, safe in SAFE.items():
        assert name in bounds
        for version in bounds[name]:
            assert (*version, 0, 0)[:3] >= safe, name


# Packages that are not called as what is imported, or that come with another.
CALLED = {
    "sklearn": "scikit-learn",
    "docx": "python-docx",
    "mlflow": "mlflow-skinny",
    "markupsafe": "jinja2",
    "datasets": "evaluate",
    "inspect_ai": "inspect-ai",
    "python_calamine": "python-calamine",
}


def test_an_extra_brings_what_its_hints_promise() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    def brought(extra: str) -> set[str]:
        names: set[str] = set()
        for line in project["optional-dependencies"][extra]:
            own = re.fullmatch(r"ordeval\[([\w,]+)\]", line)
            if own:
                names.update(*(brought(x) for x in own[1].split(",")))
            else:
                names.add(re.split(r"[\[>=]", line)[0])
        return names

    asked = {
        found
        for path in (ROOT / "src").rglob("*.py")
        for found in re.findall(
            r'import_extra\(\s*"(\w+)[\w.]*",\s*extra="(\w+)"', path.read_text(encoding="utf-8")
        )
    }
    assert {("pyarrow", "files"), ("zstandard", "files"), ("duckdb", "files")} <= asked
    missing = [x for x in sorted(asked) if CALLED.get(x[0], x[0]) not in brought(x[1])]
    assert missing == []
