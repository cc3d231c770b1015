"""The limit of open files, for processes that hold a connection for each client."""

import contextlib
import resource


def allow_many_connections() -> None:
    """Raise the soft limit of open files to the hard limit."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):  # macOS reports more than it allows
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
