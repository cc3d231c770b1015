"""The length of a test: the short form for `make test`, the long one for `make test-long`.

A test with two forms has the marker `long`, as every test of hypothesis does, and both forms
assert the same. `make test-long` runs the long forms of these tests.
"""

import os
from collections.abc import Sequence
from itertools import product
from typing import Any, TypeVar

T = TypeVar("T")

LONG = os.environ.get("TEST_LENGTH") == "long"


def by_length(short: T, long: T) -> T:
    """The value for the form that runs."""
    return long if LONG else short


def combined(*lists: Sequence[Any]) -> list[tuple[Any, ...]]:
    """All combinations of these values; in the short form only as many as have each value once."""
    if LONG:
        return list(product(*lists))
    most = max(map(len, lists))
    return [tuple(values[n % len(values)] for values in lists) for n in range(most)]
