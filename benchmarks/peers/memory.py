"""Peak memory of a call, beyond its data and its imports, each in a process of its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks._measuring import in_new_process, peak_memory
from benchmarks.peers.contenders import AMAE, COUNTING, KAPPA, OPERATIONS, TAU, Labels
from benchmarks.peers.plan import Plan
from benchmarks.peers.speed import items

METHOD = (
    "Increase of the highest resident memory of a new process (VmHWM, or ru_maxrss) during the "
    "call, after imports, a small call and loading the data."
)


@dataclass(frozen=True)
class Peak:
    """What a call needs beside its data."""

    operation: str
    size: str
    contender: str
    call: str
    bytes: int | None
    data_bytes: int


def all_peaks(plan: Plan) -> Iterator[Peak]:
    """Ours and the peers', for the operations on labels."""
    n = plan.memory_items
    for operation in (COUNTING,) if plan.quick else (COUNTING, KAPPA, AMAE, TAU):
        for contender in operation.present()[: 2 if plan.quick else None]:
            if contender.most < n:
                continue
            found = in_new_process(__spec__.name, operation.name, contender.package, str(n))
            yield Peak(
                operation.name, items(n), contender.package, contender.call,
                int(found) if found else None, 16 * n,
            )  # fmt: skip


def bytes_an_item(peaks: list[Peak]) -> dict[tuple[str, str], float]:
    """What the growth with the items must expect."""
    return {
        (p.operation, p.contender): p.bytes / (p.data_bytes / 16)
        for p in peaks
        if p.bytes is not None
    }


def main(operation: str, package: str, n: str) -> None:
    """Print what one call adds to the peak."""
    chosen = next(o for o in OPERATIONS if o.name == operation)
    contender = next(c for c in chosen.present() if c.package == package)
    contender.run(Labels.draw(1_000))
    data = Labels.draw(int(n))
    before = peak_memory()
    contender.run(data)
    print(peak_memory() - before)


if __name__ == "__main__":
    main(*sys.argv[1:])
