"""Variables of the environment, as `variables` reads them, for processes without Django."""

import os
from pathlib import Path

YES, NO = ("1", "true", "yes", "y", "on"), ("0", "false", "no", "n", "off", "")


def variable(name: str) -> str:
    """The value of NAME, or the content of the file that NAME_FILE names; OSError without it."""
    path = os.environ.get(f"{name}_FILE")
    return Path(path).read_text().rstrip("\r\n") if path else os.environ.get(name, "")
