"""Lets the kernel free the memory of a program that a fork server started.

At its end, Python takes apart all modules, one object after the other. In a fork, that copies the
pages that it shared with the fork server, and takes a tenth of a second of processor time.
"""

import atexit
import os
import sys
from functools import cache

BAD_OUTPUT = 120  # the status of Python if it cannot write its last output

_status: int | None = None


@cache
def install() -> None:
    """Prepare this process, before it imports what a program needs.

    What is registered with atexit after this runs before the quick end, as it should.
    """
    atexit.register(_end)


def expect(error: BaseException) -> None:
    """Note that the program ends with this exception. Python ends as usual after Ctrl-C."""
    global _status
    if isinstance(error, SystemExit):
        code = error.code
        _status = 0 if code is None else code if isinstance(code, int) else 1
    else:
        _status = None if isinstance(error, KeyboardInterrupt) else 1


def _end() -> None:
    """After all threads and what else was registered; does nothing if the status is not known."""
    if _status is None:
        return
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not stream.closed:
                stream.flush()
    except OSError:
        os._exit(BAD_OUTPUT)
    os._exit(_status & 0xFF)
