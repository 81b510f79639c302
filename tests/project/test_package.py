"""What is published: the wheel and the source distribution, installed as a stranger would."""

from __future__ import annotations

import email
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from datetime import date
from email.message import Message
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import ordeval as oe

network = pytest.mark.network

ROOT = Path(__file__).parents[2]
WINE = ROOT / "examples" / "wine.csv"
MODELS = ("forest", "logistic", "neighbours", "ridge_rounded", "always_5")
SEMANTIC = re.compile(
    r"(?P<major>0|[1-9]\d*)\.(?P<minor>0|[1-9]\d*)\.(?P<patch>0|[1-9]\d*)"
    r"(?:(?:a|b|rc)(?:0|[1-9]\d*))?"  # a trial before it, as Python's package indexes write it
)
SECTIONS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
LIMIT_OF_ORDEVAL = 3.5  # MB
LIMIT_OF_ALL = 230  # MB; nearly all of it is NumPy and SciPy


def run(*command: Any, cwd: Path, **settings: Any) -> subprocess.CompletedProcess[str]:
    """Run without this environment's path, so that only what is installed is found."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return subprocess.run(
        [str(c) for c in command], cwd=cwd, env=clean, capture_output=True, text=True,
        encoding="utf-8", timeout=300, check=False, **settings,
    )  # fmt: skip


def done(*command: Any, cwd: Path) -> str:
    ran = run(*command, cwd=cwd)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("dist")
    done(sys.executable, "-m", "build", ROOT, "--outdir", folder, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (path,) = dist.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as file:
        (name,) = [n for n in file.namelist() if n.endswith(".dist-info/METADATA")]
        return email.message_from_string(file.read(name).decode("utf-8"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of an environment that has the wheel, without extras."""
    home = tmp_path_factory.mktemp("clean")
    venv.create(home, with_pip=False)
    programs = home / ("Scripts" if os.name == "nt" else "bin")
    done(
        sys.executable, "-m", "pip", "--python", programs / "python", "install", "--quiet", wheel,
        cwd=home,
    )  # fmt: skip
    return programs


def site_packages(programs: Path) -> Path:
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return Path(done(programs / "python", "-c", code, cwd=programs).strip())


def megabytes(*folders: Path) -> float:
    """Size of the files, without what Python compiles by itself."""
    files = [f for folder in folders for f in folder.rglob("*") if f.is_file()]
    return sum(f.stat().st_size for f in files if f.suffix != ".pyc") / 1e6


def files_of(folder: str) -> set[str]:
    """The files below a folder of the tree, without what comes from running it."""
    paths = [p.relative_to(ROOT) for p in (ROOT / folder).rglob("*") if p.is_file()]
    return {p.as_posix() for p in paths if "__pycache__" not in p.parts}


def needed(metadata: Message) -> tuple[set[str], set[str]]:
    """Names that the package requires, and those that only extras bring."""
    lines = metadata.get_all("Requires-Dist", [])
    names = {line: re.split(r"[^\w-]", line)[0].lower() for line in lines}
    always = {name for line, name in names.items() if "extra ==" not in line}
    return always, set(names.values()) - always - {"ordeval"}


@network
def test_an_index_would_accept_both(dist: Path) -> None:
    said = done(sys.executable, "-m", "twine", "check", "--strict", *dist.iterdir(), cwd=dist)
    assert said.count("PASSED") == 2


@network
def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        names = {n for n in file.namelist() if ".dist-info/" not in n}
        points = [n for n in file.namelist() if n.endswith("entry_points.txt")]
        assert "ordeval = ordeval.cli:main" in file.read(points[0]).decode()
    assert names == {n.removeprefix("src/") for n in files_of("src")}
    data = {"report/templates/report.html", "papers/passages/amigo2020.txt", "py.typed"}
    assert {f"ordeval/{file}" for file in data} <= names


@network
def test_the_source_distribution_holds_what_its_tests_read(dist: Path) -> None:
    (path,) = dist.glob("*.tar.gz")
    with tarfile.open(path) as file:
        names = {n.partition("/")[2] for n in file.getnames()}
    for folder in ("src", "tests", "examples"):
        assert files_of(folder) - names == set()
    assert {n.partition("/")[0] for n in names} >= {"benchmarks", "docs"}
    alone = {"README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "Makefile", "pyproject.toml"}
    assert alone <= names
    assert not {n for n in names if n.startswith((".venv", ".git/"))}


@network
def test_the_facts_of_the_wheel(metadata: Message) -> None:
    assert metadata["Version"] == oe.__version__
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert needed(metadata)[0] == {"numpy", "rich", "scipy", "typer"}


@network
def test_the_description_links_to_nothing_that_an_index_lacks(metadata: Message) -> None:
    text = metadata.get_payload()
    assert text.startswith("# ordeval")
    targets = re.findall(r"\]\(([^)\s]+)\)|(?:href|src)=[\"']([^\"']+)", text)
    assert [t for pair in targets for t in pair if t and not t.startswith("https://")] == []
    assert "docs/" in (ROOT / "README.md").read_text(encoding="utf-8")  # there were some


@network
def test_without_extras_the_demo_compares(installed: Path, tmp_path: Path) -> None:
    models = [argument for m in MODELS for argument in ("--pred", m)]
    said = done(
        installed / "ordeval", "compare", WINE, "--truth", "quality", "--labels", "3,4,5,6,7,8",
        "--seed", "0", "--resamples", "99", *models, cwd=tmp_path,
    )  # fmt: skip
    assert said.startswith("forest is best: CEM 0.759")
    assert "1,599 items" in said
    code = "import ordeval; print(ordeval.__version__, ordeval.__file__)"
    version, file = done(installed / "python", "-c", code, cwd=tmp_path).split(maxsplit=1)
    assert version == oe.__version__
    assert Path(file.strip()).is_relative_to(site_packages(installed))


@network
@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (["report", WINE, "--truth", "quality", "--pred", "forest", "-o", "r.html"], "report"),
        (["score", "empty.parquet", "--truth", "a", "--pred", "b"], "files"),
    ],
    ids=["report", "files"],
)
def test_what_needs_an_extra_says_how_to_get_it(
    arguments: list[Any], extra: str, installed: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty.parquet").touch()
    ran = run(installed / "ordeval", *arguments, cwd=tmp_path)
    assert ran.returncode == 2
    assert f'pip install "ordeval[{extra}]"' in " ".join(ran.stderr.split())
    assert "Traceback" not in ran.stderr
    assert not (tmp_path / "r.html").exists()


@network
def test_without_extras_the_installation_is_small(
    installed: Path, metadata: Message, record_property: Any
) -> None:
    site = site_packages(installed)
    names = {p.name.partition("-")[0].replace("_", "-").lower() for p in site.glob("*.dist-info")}
    always, only_extras = needed(metadata)
    assert always | {"ordeval"} <= names
    assert not names & only_extras
    own, everything = megabytes(site / "ordeval"), megabytes(site)
    record_property("megabytes", (round(own, 1), round(everything, 1)))
    assert own < LIMIT_OF_ORDEVAL
    assert everything < LIMIT_OF_ALL


def semantic(version: str) -> tuple[int, int, int]:
    match = SEMANTIC.fullmatch(version)
    assert match, version
    return int(match["major"]), int(match["minor"]), int(match["patch"])


def changelog() -> dict[str, list[str]]:
    """The lines below each heading of the changelog, newest first."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)[1:]
    headings = parts[::2]
    assert len(set(headings)) == len(headings)
    return dict(zip(headings, (body.splitlines() for body in parts[1::2]), strict=True))


@pytest.mark.parametrize("wrong", ["1.0", "v1.0.0", "01.0.0", "1.0.0.dev0", "1.0.0-rc1"])
def test_what_is_no_version_is_seen(wrong: str) -> None:
    with pytest.raises(AssertionError):
        semantic(wrong)


def test_the_changelog_lists_versions_newest_first() -> None:
    headings = list(changelog())
    pending = [h for h in headings if "unreleased" in h.lower()]
    released = [h.split(" - ") for h in headings if h not in pending]
    assert pending in ([], headings[:1])
    versions = [semantic(version) for version, _ in released]
    days = [date.fromisoformat(day) for _, day in released]
    assert all(newer > older for newer, older in pairwise(versions))
    assert all(newer >= older for newer, older in pairwise(days))
    if released:
        assert versions[0] <= semantic(oe.__version__)
    if not pending:
        assert released[0][0] == oe.__version__


@pytest.mark.parametrize("heading", changelog())
def test_every_change_stands_in_a_known_section(heading: str) -> None:
    lines = changelog()[heading]
    sections = [line.removeprefix("### ") for line in lines if line.startswith("#")]
    assert set(sections) <= SECTIONS
    assert len(set(sections)) == len(sections)
    first = next((line for line in lines if line), "")
    assert not first or first.startswith("### ")
    assert all(line.startswith(("- ", "  ", "### ")) for line in lines if line)


def test_every_file_names_the_same_version() -> None:
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited
    assert cited[1] == oe.__version__


def test_every_bound_of_a_dependency_is_a_lowest_version() -> None:
    """Those below are tested; a highest version would keep others from upgrading."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    data = extras.pop("datasets")  # files of one release are read
    bounds = [line for group in [project["dependencies"], *extras.values()] for line in group]
    own = [line for line in bounds if not line.startswith("ordeval[")]
    assert all(re.fullmatch(r"[\w-]+(\[[\w,]+\])?(>=[\d.]+)?", line) for line in own)
    assert all("==" in line for line in data if not line.startswith("ordeval["))
