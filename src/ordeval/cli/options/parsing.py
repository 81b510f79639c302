"""How the words of a command are read: strictly."""

import re
from collections import Counter
from typing import Any, Final

from typer.core import TyperCommand

import ordeval as oe

# The help lists options in these groups; what is in none of them is in the last.
GROUPS: Final[dict[str, str]] = {
    "Columns": "truth pred prob score labels item model-col pred-col task rater rating rater-col "
    "judges judge without systems before covariate scorer proxy inclusion by weight clusters unit "
    "cluster-unit case system column",
    "Input": "table header-row input-format where encoding decimal drop-missing drop-unknown "
    "truth-file pred-file on confusion from config duplicates answer-pattern half refusal "
    "answer-decimal rescale",
    "Measures": "metric at-least cost decide outputs equal-steps imbalanced costs-known raters "
    "mandated",
    "Inference": "reference margin plan-power level method resamples seed no-intervals "
    "random-raters epsilon scoring min-items accuracy spread k class-shares overlap half-width "
    "power cluster-size icc items at folds",
    "Population": "prevalence mix over task-weights budget strata uncertainty",
    "Gates": "fail-under max-dropped show-gates ci junit quiet",
    "Output": "summary pairs all verbose brief title id show items-per-cell figure full format "
    "output help",
}
_HYPHEN: Final = "\u2011"  # one at which no line is broken


class Strict(TyperCommand):
    """A command whose options have one value each, unless they may be repeated, and none empty.

    The last of several would win without a word; and ``--weight "$COLUMN"`` must not mean that
    there are no weights where the variable is not set.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse once to see what was given, then as Typer does."""
        if not ctx.resilient_parsing:  # that is how completion parses half a command
            given, _, order = self.make_parser(ctx).parse_args(list(args))
            for parameter, times in Counter(order).items():
                _check(parameter, times, given.get(parameter.name))
        return super().parse_args(ctx, args)

    def get_help(self, ctx: Any) -> str:
        """The help, in which no line is broken inside the name of an option."""
        return str(super().get_help(ctx)).replace(_HYPHEN, "-")

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then options in groups."""
        listed: dict[str, list[tuple[str, str]]] = {"Arguments": [], **{g: [] for g in GROUPS}}
        groups = {name: group for group, names in GROUPS.items() for name in names.split()}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            name = max(parameter.opts, key=len).removeprefix("--")
            if parameter.param_type_name == "argument":
                listed["Arguments"].append((record[0].split()[0], _whole(record[1])))
            else:
                group = groups.get(name, list(GROUPS)[-1])
                listed[group].append((_whole(record[0]), _whole(record[1])))
        width = max(len(name) for records in listed.values() for name, _ in records)
        for group, records in listed.items():
            if records:
                with formatter.section(group):
                    formatter.write_dl(
                        [(f"{name:{min(width, 26)}}", text) for name, text in records]
                    )


def _whole(text: str) -> str:
    """A text in which the names of options do not break at their hyphens."""
    return re.sub(r"--[\w-]+", lambda found: found[0].replace("-", _HYPHEN), text)


def _check(parameter: Any, times: int, value: Any) -> None:
    is_option = parameter.param_type_name == "option"
    name = max(parameter.opts, key=len) if is_option else parameter.metavar
    if times > 1 and is_option and not (parameter.multiple or parameter.is_eager):
        often = "twice" if times == 2 else f"{times} times"
        raise oe.ParameterError(f"{name} is given {often}; give it once.")
    if "" in (value if isinstance(value, (list, tuple)) else [value]):
        raise oe.ParameterError(f"{name} must not be empty.")
