"""What it was measured on. No names of hosts, users or folders."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from importlib.metadata import distribution, requires
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

import ordeval as oe
from benchmarks.peers.contenders import NUMPY, PEERS, US, version_of


def describe() -> dict[str, Any]:
    """Processor, cores, memory, system, Python, and how busy it was before."""
    return {
        "cpu": _from_file("/proc/cpuinfo", "model name") or platform.processor() or "unknown",
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "system": f"{_system()}, {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "load_before": round(os.getloadavg()[0], 1),
    }


def packages() -> dict[str, str | None]:
    """Versions of all contenders; None for one that is not installed."""
    names = (US, NUMPY, *PEERS, "torch", "pandas", "DuckDB")
    return {name: version_of(name) for name in names}


def installed_megabytes() -> dict[str, float]:
    """Size on disk of ordeval, and with all that it always needs; without compiled bytecode."""
    own = _megabytes(Path(oe.__file__).parent.rglob("*"))
    needed, waiting = set(), ["ordeval"]
    while waiting:
        found = [Requirement(line) for line in requires(waiting.pop()) or []]
        always = {r.name for r in found if not r.marker or r.marker.evaluate({"extra": ""})}
        waiting += always - needed
        needed |= always
    files = (Path(str(d.locate_file(f))) for d in map(distribution, needed) for f in d.files or [])
    return {"alone": own, "with_needed": own + _megabytes(files)}


def _megabytes(files: Iterable[Path]) -> float:
    return sum(f.stat().st_size for f in files if f.is_file() and f.suffix != ".pyc") / 1e6


def sentence(machine: dict[str, Any], versions: dict[str, str | None]) -> str:
    """All of it in one paragraph."""
    there = ", ".join(f"{name} {v}" for name, v in versions.items() if v)
    missing = ", ".join(name for name, v in versions.items() if not v)
    return (
        f"Measured on {machine['cpu']}, {machine['cores']} cores, {machine['memory_gb']} GB, "
        f"{machine['system']}, {machine['python']} (load {machine['load_before']} before the run), "
        f"with {there}." + (f" Not installed: {missing}." if missing else "")
    )


def _system() -> str:
    name = _from_file("/etc/os-release", "PRETTY_NAME", "=").strip('"')
    return name or f"{platform.system()} {platform.release()}"


def _from_file(path: str, key: str, separator: str = ":") -> str:
    file = Path(path)
    if not file.exists():
        return ""
    lines = (x.partition(separator) for x in file.read_text(encoding="utf-8").splitlines())
    return next((value.strip() for name, _, value in lines if name.strip() == key), "")
