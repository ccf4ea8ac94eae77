"""Find and run the ragfaith command."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Sequence

if TYPE_CHECKING:
    from typing import Any


_PREFIX = "ragfaith: "
_WARNING = "ragfaith: warning: "


class Error(Exception):
    """The command failed. The text is its message."""


class UsageError(Error, ValueError):
    """An option or a column is wrong."""


class GateError(Error, AssertionError):
    """A gate is not met. ``result`` is what the function would have returned."""

    def __init__(self, message: str, result: Any) -> None:
        super().__init__(message)
        self.result = result


class Messages(NamedTuple):
    """What a run that wrote its results wrote to stderr."""

    lines: list[str]
    gate_failed: bool

    def warn(self, stacklevel: int) -> None:
        """Issue the warnings, unless the user has seen them on a terminal."""
        if not _is_terminal():
            for line in self.lines:
                if line.startswith(_WARNING):
                    warnings.warn(line[len(_WARNING) :], stacklevel=stacklevel + 1)


def find_binary() -> str:
    """Return the path of the command.

    It is $RAGFAITH_BINARY, or in the scripts directory of the environment, next to the
    interpreter or on the PATH.
    """
    if path := os.environ.get("RAGFAITH_BINARY"):
        return path
    name = "ragfaith.exe" if os.name == "nt" else "ragfaith"
    user = sysconfig.get_path("scripts", f"{os.name}_user")
    # pip install --target puts scripts into bin beside the package.
    target = Path(__file__).parent.parent / "bin"
    for directory in (sysconfig.get_path("scripts"), Path(sys.executable).parent, user, target):
        if os.access(Path(directory, name), os.X_OK):
            return str(Path(directory, name))
    if found := shutil.which(name):
        return found
    raise Error(f"{name} not found: install the package again, or set RAGFAITH_BINARY")


def run(arguments: Sequence[str], stdin: Path | None = None) -> Messages:
    """Run the command, and show its messages if stderr is a terminal.

    Raises Error or UsageError unless it wrote its results. The command does not survive
    an exception such as KeyboardInterrupt.
    """
    command = [find_binary(), *arguments]
    if not _is_terminal() and arguments[0] == "score":
        command.insert(2, "--no-progress")
    lines = []
    source = open(stdin or os.devnull, "rb")
    with source, subprocess.Popen(command, stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        try:
            for raw in process.stderr:
                line = raw.decode("utf-8", "replace").rstrip("\r\n")
                lines.append(line)
                if _is_terminal():
                    print(line, file=sys.stderr)
            code = process.wait()
        except BaseException:
            process.terminate()
            raise
    if code in (0, 3, 4):
        return Messages(lines, code != 0)
    text = "\n".join(line[len(_PREFIX) :] for line in lines if line.startswith(_PREFIX) and not line.startswith(_WARNING))
    text = text or "\n".join(lines[-5:]) or f"ragfaith failed with exit code {code}"
    raise UsageError(text) if code == 2 else Error(text)


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()
