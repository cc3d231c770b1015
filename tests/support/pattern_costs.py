"""What functions and regular expressions cost for long texts of hostile people."""

import ast
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

OPERATIONS = ("search", "match", "fullmatch", "sub", "split", "findall", "finditer")
SHORT, LONG = 500, 4_000  # characters
# For eight times the text. Work that grows with the length takes 8 times as long, work that grows
# with its square 64 times.
MOST = 24
TOO_LITTLE = 0.002  # seconds for the long text, in which the square of its length has no room
TRIES = 4
SIGNS = tuple(" \n\t.,;:!?-–_=*|>»<@#&/\\()[]{}\"'’0aé\0")
WORDS = (
    "ab ",
    "A1 ",
    "1. ",
    "a.",
    "x@",
    "<a> ",
    "<a@",
    "> ",
    "| ",
    "-- ",
    "a:\n",
    '\\"',
    "()",
    "note ",
)

Use = tuple[str, Callable[[Any], object], type, tuple[str, ...]]


def uses(module: ModuleType) -> Iterator[Use]:
    """(place, function, str or bytes, words of the pattern) for each use in this module of a
    regular expression that it writes out or names."""
    tree = ast.parse(Path(module.__file__ or "").read_text())
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        owner, operation = call.func.value, call.func.attr
        if operation not in OPERATIONS:
            continue
        pattern: Any = None
        with suppress(NameError, AttributeError):  # of local variables
            if isinstance(owner, ast.Name) and owner.id == "re":
                flags = [ast.unparse(key.value) for key in call.keywords if key.arg == "flags"]
                arguments = ", ".join([ast.unparse(call.args[0]), *flags])
                pattern = eval(f"re.compile({arguments})", {"re": re, **vars(module)})
            else:
                pattern = eval(ast.unparse(owner), dict(vars(module)))
        if isinstance(pattern, re.Pattern):
            yield f"{module.__name__}:{call.lineno}", *_use(pattern, operation)


def _use(
    pattern: re.Pattern[Any], operation: str
) -> tuple[Callable[[Any], object], type, tuple[str, ...]]:
    kind = type(pattern.pattern)
    source = pattern.pattern if kind is str else pattern.pattern.decode("latin-1")
    words = tuple(dict.fromkeys(re.findall(r"[^\W\d_]{2,}", source)))
    function = getattr(pattern, operation)
    if operation == "sub":
        return (lambda text: function(kind(), text)), kind, words
    if operation == "finditer":
        return (lambda text: list(function(text))), kind, words
    return function, kind, words


def hostile(words: tuple[str, ...] = ()) -> Iterator[tuple[str, str, str]]:
    """(beginning, what is repeated, end) of texts."""
    named = (*words[:12], *(f"{word} " for word in words[:12]))
    for part in (*SIGNS, *WORDS, *named):
        for start in ("", *words[:2], "a"):
            for end in ("", "\0"):
                yield start, part, end


def slow_texts(use: Use, short: int = SHORT, long: int = LONG) -> list[str]:
    """The place and those texts for which this function takes much more than eight times as long
    if they are eight times as long."""
    place, function, kind, words = use

    def cost(size: int) -> float:
        text: Any = f"{start}{part * (size // len(part))}{end}"
        if kind is bytes:
            text = text.encode()
        before = time.thread_time()
        function(text)
        return time.thread_time() - before

    found = []
    for start, part, end in hostile(words):
        for _try in range(TRIES):
            longer = cost(long)
            if longer < TOO_LITTLE or longer <= MOST * (shorter := cost(short)):
                break
        else:
            found.append(f"{place}: {start!r} {part!r} … {end!r}: {longer / shorter:.0f} times")
    return found
