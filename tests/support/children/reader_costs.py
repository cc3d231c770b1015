"""Reads emails as the reader does, and measures each.

`python -m tests.support.children.reader_costs [spin|grow]`: a list of emails in MessagePack comes
by standard input; a list of [the reply, seconds of processor time, largest memory in bytes] goes
out. Without a reply, the reader was ended. spin, grow: the parser never ends, or takes more and
more memory.
"""

import os
import socket
import sys

import msgspec

from games.inbound import limited_reader, reply_parser
from games.inbound.limited_reader import Request
from games.inbound.reply_parser import Reply

Cost = tuple[Reply | None, float, int]


def cost_of(raw: bytes) -> Cost:
    """Read this email, and return the result and its cost."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        ours.close()
        limited_reader.read_one(theirs.detach())
        os._exit(0)
    with theirs, ours:
        theirs.close()
        ours.sendall(msgspec.msgpack.encode(Request(raw)))
        ours.shutdown(socket.SHUT_WR)
        answer = ours.makefile("rb").read()
    _pid, _status, used = os.wait4(pid, 0)
    try:
        reply = limited_reader.decoded(answer, Reply)
    except msgspec.DecodeError:
        reply = None
    return reply, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def spin(_mail: object) -> Reply:
    while True:
        pass


def grow(_mail: object) -> Reply:
    kept = [b""]
    while True:
        kept.append(bytes(1_000_000))


if __name__ == "__main__":
    if sys.argv[1:]:
        setattr(reply_parser, "read", {"spin": spin, "grow": grow}[sys.argv[1]])  # noqa: B010
    emails = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=list[bytes])
    sys.stdout.buffer.write(msgspec.msgpack.encode([cost_of(raw) for raw in emails]))
