"""The few questions to the DNS that tell whether a sender is trusted: TXT, MX, PTR, A, AAAA.

One question, one answer, over UDP and again over TCP where it was cut; nothing is kept. Knows
nothing of mail.
"""

from __future__ import annotations

import ipaddress
import secrets
import socket
import struct
from pathlib import Path

KINDS = {"A": 1, "PTR": 12, "MX": 15, "TXT": 16, "AAAA": 28}
NO_ERROR, NO_SUCH_NAME = 0, 3
TIMEOUT_SECONDS = 4.0


class Unreachable(Exception):
    """Nobody answers questions to the DNS."""


def servers(file: Path = Path("/etc/resolv.conf")) -> list[str]:
    """The name servers of this machine."""
    try:
        lines = file.read_text().splitlines()
    except OSError:
        return []
    return [words[1] for line in lines if (words := line.split())[:1] == ["nameserver"]]


def ask(name: str, kind: str, server: str) -> list[str]:
    """The answers, [] where there is none: texts whole, "10 host" for MX, names without their dot.

    server: address, or address:port. Unreachable where it does not answer, or not with an answer.
    """
    host, port = _place(server)
    number = secrets.randbelow(1 << 16)
    question = struct.pack(">6H", number, 0x0100, 1, 0, 0, 0) + _labels(name)
    question += struct.pack(">2H", KINDS[kind], 1)
    try:
        answer = _by_udp(question, host, port)
        if answer[2] & 2:  # cut
            answer = _by_tcp(question, host, port)
        return _read(answer, number, KINDS[kind])
    except (OSError, struct.error, IndexError, UnicodeError) as error:
        raise Unreachable(f"{server}: {error or type(error).__name__}") from error


def reverse_name(address: str) -> str:
    """Where the name of an address is to be found."""
    return ipaddress.ip_address(address).reverse_pointer


def _place(server: str) -> tuple[str, int]:
    host, colon, port = server.rpartition(":")
    if colon and port.isdecimal() and ":" not in host:
        return host, int(port)
    return server, 53


def _labels(name: str) -> bytes:
    parts = [part.encode("idna") for part in name.strip(".").split(".")]
    return b"".join(bytes([len(part)]) + part for part in parts) + b"\0"


def _by_udp(question: bytes, host: str, port: int) -> bytes:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as line:
        line.settimeout(TIMEOUT_SECONDS)
        line.connect((host, port))
        line.send(question)
        return line.recv(4096)


def _by_tcp(question: bytes, host: str, port: int) -> bytes:
    with socket.create_connection((host, port), TIMEOUT_SECONDS) as line:
        line.sendall(struct.pack(">H", len(question)) + question)
        with line.makefile("rb") as stream:
            (length,) = struct.unpack(">H", stream.read(2))
            return stream.read(length)


def _read(answer: bytes, number: int, kind: int) -> list[str]:
    said, flags, questions, answers = struct.unpack(">4H", answer[:8])
    if said != number or not flags & 0x8000:
        raise OSError("that was no answer to our question")
    if flags & 15 == NO_SUCH_NAME:
        return []
    if flags & 15 != NO_ERROR:
        raise OSError(f"the name server says error {flags & 15}")
    place = 12
    for _question in range(questions):
        place = _name(answer, place)[1] + 4
    found = []
    for _answer in range(answers):
        place = _name(answer, place)[1]
        its_kind, _class, _ttl, length = struct.unpack(">2HIH", answer[place : place + 10])
        place += 10
        if its_kind == kind:
            found.append(_data(answer, place, length, kind))
        place += length
    return found


def _data(answer: bytes, place: int, length: int, kind: int) -> str:
    data = answer[place : place + length]
    match kind:
        case 1 | 28:
            return str(ipaddress.ip_address(data))
        case 12:
            return _name(answer, place)[0]
        case 15:
            return f"{struct.unpack('>H', data[:2])[0]} {_name(answer, place + 2)[0]}"
    texts, at = b"", 0
    while at < len(data):
        texts += data[at + 1 : at + 1 + data[at]]
        at += 1 + data[at]
    return texts.decode("utf-8", "replace")


def _name(answer: bytes, place: int) -> tuple[str, int]:
    """(the name that is written at this place, the place after it)."""
    parts: list[str] = []
    after = 0
    for _label in range(256):
        length = answer[place]
        if length >= 192:
            after = after or place + 2
            place = struct.unpack(">H", answer[place : place + 2])[0] & 0x3FFF
        elif length == 0:
            return ".".join(parts), after or place + 1
        else:
            parts.append(answer[place + 1 : place + 1 + length].decode("ascii", "replace"))
            place += 1 + length
    raise OSError("a name without an end")
