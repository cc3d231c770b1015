"""Boards are painted by a process of their own, so that words can be written on another core.

It is started for the first board, knows no database and no Django, and ends when its input does:
with the process that started it, however that ends. What it has drawn it keeps for the next board.

Asked: width and length (4 bytes each), then so many bytes of SVG. Answered: 1 byte, 0 for a PNG
and 1 for the reason why there is none, 4 bytes of length, and that.
"""

from __future__ import annotations

import atexit
import os
import signal
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO

from games.pictures import compositor
from games.pictures.rasterize import WIDTH

ROOT = Path(__file__).resolve().parents[2]

_QUESTION, _ANSWER = struct.Struct(">II"), struct.Struct(">BI")
_turn = threading.Lock()  # one question at a time
_process: subprocess.Popen[bytes] | None = None


def render_png(svg: str, *, width: int = WIDTH) -> bytes:
    """As games.pictures.compositor.render_png: the same bytes, and ValueError where the text is no board."""
    with _turn:
        try:
            return _ask(svg, width)
        except (OSError, EOFError):  # somebody killed it; a second time is more than chance
            close()
            return _ask(svg, width)


def close() -> None:
    """End the process, if there is one. The next board gets a new one."""
    global _process
    if _process is None:
        return
    assert _process.stdin is not None
    assert _process.stdout is not None
    with suppress(OSError):  # it has ended already, with our last question unread
        _process.stdin.close()
    _process.stdout.close()
    try:
        _process.wait(2)
    except subprocess.TimeoutExpired:
        _process.kill()
        _process.wait()
    _process = None


atexit.register(close)


def _forget() -> None:
    """After a fork the worker belongs to the parent, and so does a lock that another thread holds."""
    global _process, _turn
    _process, _turn = None, threading.Lock()


os.register_at_fork(after_in_child=_forget)


def _ask(svg: str, width: int) -> bytes:
    process = _open()
    assert process.stdin is not None
    assert process.stdout is not None
    text = svg.encode()
    process.stdin.write(_QUESTION.pack(width, len(text)) + text)
    process.stdin.flush()
    failed, length = _ANSWER.unpack(_read(process.stdout, _ANSWER.size))
    answer = _read(process.stdout, length)
    if failed:
        raise ValueError(answer.decode())
    return answer


def _open() -> subprocess.Popen[bytes]:
    global _process
    if _process is None:
        _process = subprocess.Popen(
            [sys.executable, "-m", "games.pictures.render_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
        )
    return _process


def _read(stream: IO[bytes], length: int) -> bytes:
    found = stream.read(length)
    if len(found) < length:
        raise EOFError("the render worker has ended")
    return found


def main(questions: IO[bytes], answers: IO[bytes]) -> None:
    """Answer until there are no more questions."""
    # Its end is the end of its input: a signal to all of a group is for the others.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    while head := questions.read(_QUESTION.size):
        width, length = _QUESTION.unpack(head)
        svg = questions.read(length).decode()
        try:
            failed, answer = 0, compositor.render_png(svg, width=width)
        except Exception as error:  # noqa: BLE001 (this board's fault, and not the next one's)
            failed, answer = 1, f"{type(error).__name__}: {error}".encode()
        answers.write(_ANSWER.pack(failed, len(answer)) + answer)
        answers.flush()


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
