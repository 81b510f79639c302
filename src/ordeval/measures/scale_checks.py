"""What measures need of a scale, and what they warn of."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ordeval._shared.text import argument, joined
from ordeval.data.scale import Scale
from ordeval.exceptions import EmptyLevelWarning, StepsWarning, user_frame

if TYPE_CHECKING:
    from ordeval.measures.metric import Metric


def warn_of_unused_levels(metrics: Iterable[Metric], scale: Scale) -> None:
    """Warn about measures whose value would differ on a longer scale than the integers imply."""
    names = [m.name for m in metrics if m.depends_on_empty_levels]
    if names:
        warnings.warn(
            f"[OE101] {joined(names)} {'depends' if len(names) == 1 else 'depend'} on "
            f"levels that never occur; the integers only imply {scale}. Declare "
            f"{argument('labels')} if "
            f"the scale is longer.",
            EmptyLevelWarning,
            stacklevel=user_frame(),
        )


def on_scale(metrics: Iterable[Metric], scale: Scale) -> tuple[Metric, ...]:
    """Return the measures with the levels that their parameters name found on the scale."""
    return tuple(m.on(scale) if m.bound or m.required else m for m in metrics)


def counts_steps(metrics: Iterable[Metric], scale: Scale) -> str:
    """Name the measures that count steps although the scale's numbers are not one apart."""
    names = [m.name for m in metrics if "points" in m.parameters and "points" not in m.bound]
    if not names or scale.uneven is None:
        return ""
    return (
        f"{joined(names, most=8)} {'counts' if len(names) == 1 else 'count'} steps of {scale}, "
        f"whose numbers are not one apart; with_params(points={_some(scale.uneven)}) measures in "
        f"points."
    )


def warn_of_steps(metrics: Iterable[Metric], scale: Scale) -> None:
    """Warn about measures that count steps on a scale whose numbers are not one apart."""
    message = counts_steps(metrics, scale)
    if message:
        warnings.warn(f"[OE205] {message}", StepsWarning, stacklevel=user_frame())


def _some(numbers: tuple[float, ...]) -> str:
    shown = [f"{x:g}" for x in numbers[:6]]
    return f"[{', '.join(shown)}{', ...' * (len(numbers) > 6)}]"
