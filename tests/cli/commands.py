"""How the tests run the command: within this process, in one of its own, or on a terminal.

Nearly everything is tested within this process. What only a process has, an exit code that a shell
sees, standard streams, signals and terminals, is tested in one.
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from typer.main import get_command

from ordeval.cli import app, main

EXAMPLES = Path(__file__).parents[2] / "examples"
WINE = str(EXAMPLES / "wine.csv")
STAGES = str(EXAMPLES / "stages.csv")
GRADES = ["--labels", "3..8"]
COLUMNS = ["--truth", "quality", "--pred", "forest", "--pred", "logistic"]
FEW = ["--metric", "accuracy", "--metric", "cem_ord", "--resamples", "199", "--seed", "1"]
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
COMMAND = [sys.executable, "-m", "ordeval"]


# A process builds its commands once; so do all runs within this one, which has them all.
get_command(app)  # imports all commands
BUILT = cache(get_command)


class Done(NamedTuple):
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


def run(*arguments: str, given: str | bytes = "") -> Done:
    """Run the command within this process."""
    given = given.encode() if isinstance(given, str) else given
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    code: object = 0
    with (
        mock.patch("typer.main.get_command", BUILT),
        mock.patch.object(sys, "argv", ["ordeval", *arguments]),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), "utf-8")),
        mock.patch.dict(os.environ, {"COLUMNS": "100"}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
    assert isinstance(code, int)
    return Done(code, *(_text(stream) for stream in (out, err)))


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def refused(*arguments: str, given: str | bytes = "") -> str:
    """The one message of a command that must end with exit code 2 and print nothing."""
    done = run(*arguments, given=given)
    assert (done.returncode, done.stdout) == (2, ""), done
    assert "Traceback" not in done.stderr
    return done.stderr


def run_process(*arguments: str, given: str) -> Done:
    """Run the command in a process of its own."""
    done = subprocess.run(
        [*COMMAND, *arguments], input=given, capture_output=True, text=True, check=False,
        env={**os.environ, "COLUMNS": "100"},
    )  # fmt: skip
    return Done(done.returncode, done.stdout, done.stderr)


def on_terminal(
    *arguments: str, width: int = 100, answers: str = "", **environment: str
) -> tuple[int, str]:
    """Run in a pseudo-terminal; its exit code, and what it shows."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    inherited = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")}
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True,
        env={**inherited, "TERM": "xterm-256color", **environment},
    )  # fmt: skip
    os.close(theirs)
    # A question without an answer would wait for ever.
    patience = threading.Timer(120, process.kill)
    patience.start()
    os.write(ours, answers.encode())
    shown = b"".join(_parts(ours))
    os.close(ours)
    patience.cancel()
    return process.wait(60), shown.decode().replace("\r\n", "\n")


def _parts(terminal: int) -> Iterator[bytes]:
    # Linux says end of file on a terminal with an input/output error.
    with contextlib.suppress(OSError):
        while part := os.read(terminal, 65536):
            yield part
