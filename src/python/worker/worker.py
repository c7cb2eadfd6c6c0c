"""The entry of a Python process that runs users' code for the program.

It reads JSON messages from standard input, one a line, and writes JSON lines. What users' code prints goes to standard error.
"""

from __future__ import annotations

import os
import sys

if sys.version_info < (3, 9):
    sys.exit("this is Python %d.%d, and 3.9 is the oldest that is supported" % sys.version_info[:2])

_HERE = os.path.dirname(os.path.abspath(__file__))
# Users' modules and installed packages come first, so that a package called `hooks` is found although this folder has such a file.
sys.path = [_HERE] + [path for path in sys.path if path and os.path.abspath(path) != _HERE]

import channel as _channel  # noqa: E402
import operations  # noqa: E402

sys.path.remove(_HERE)
sys.path.append(_HERE)


def main() -> None:
    """Answers messages until standard input ends."""
    lines = _channel.Channel()
    operations.Operations(lines).serve()


if __name__ == "__main__":
    main()
