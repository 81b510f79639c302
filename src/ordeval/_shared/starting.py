"""Ctrl-C while the command starts: exit at once with the code of an interrupt.

Python imports this module before all others of ordeval, which take a while.
"""

import os
import signal
import sys
from itertools import pairwise
from types import FrameType
from typing import Final

INTERRUPTED: Final = 130  # as shells say it of Ctrl-C


def end_if_interrupted() -> None:
    """Let an interrupt end the process, if this is the command, until it can end tidily."""
    if _is_command(sys.orig_argv) and signal.getsignal(signal.SIGINT) is _usual:
        signal.signal(signal.SIGINT, _end)


def interrupt_as_usual() -> None:
    """Let an interrupt be a KeyboardInterrupt again."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, _usual)


def ignore_interrupts() -> None:
    """Let no interrupt change how the command ends, when all is done."""
    if _is_command(sys.orig_argv):
        signal.signal(signal.SIGINT, signal.SIG_IGN)


_usual = signal.default_int_handler


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)  # nothing is open yet


def _is_command(words: list[str]) -> bool:
    """Whether Python runs the command, as a program or as a module."""
    names = {os.path.splitext(os.path.basename(word))[0] for word in words[:2]}
    after = dict(pairwise(words))
    return bool(names & {"ordeval", "ordeval-script"}) or after.get("-m") == "ordeval"


end_if_interrupted()
