"""Run the ragfaith command: python -m ragfaith."""

import os
import subprocess
import sys

from ragfaith import Error, find_binary


def main() -> None:
    try:
        command = [find_binary(), *sys.argv[1:]]
    except Error as error:
        sys.exit(f"ragfaith: {error}")
    if os.name == "nt":
        # Windows has no exec. The command also gets Ctrl-C, and decides when to exit.
        with subprocess.Popen(command) as process:
            while True:
                try:
                    sys.exit(process.wait())
                except KeyboardInterrupt:
                    pass
    os.execv(command[0], command)


main()
