"""How the words of a command are read: strictly."""

from collections import Counter
from typing import Any

from typer.core import TyperCommand

import ordeval as oe


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


def _check(parameter: Any, times: int, value: Any) -> None:
    is_option = parameter.param_type_name == "option"
    name = max(parameter.opts, key=len) if is_option else parameter.metavar
    if times > 1 and is_option and not (parameter.multiple or parameter.is_eager):
        often = "twice" if times == 2 else f"{times} times"
        raise oe.ParameterError(f"{name} is given {often}; give it once.")
    if "" in (value if isinstance(value, (list, tuple)) else [value]):
        raise oe.ParameterError(f"{name} must not be empty.")
