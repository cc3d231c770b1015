"""Records that somebody has changed, with or without recomputing the digests."""

from collections.abc import Sequence

import msgspec

from games.rules.records import FORMAT, Header, Line, with_digests, write


def rechained(lines: Sequence[bytes]) -> list[bytes]:
    """The records with the digests that somebody who changed them would recompute; lines that are
    none of a record stay as they are, and so do records of which no digest can be made."""
    done: list[bytes] = []
    header: Header | None = None
    body: list[Line] = []
    raw: list[bytes] = []

    def close() -> None:
        if header is None:
            done.extend(raw)
            return
        try:
            done.extend(write(*with_digests(header, body)))
        except (ValueError, RecursionError):
            done.extend(raw)

    for line in lines:
        if b'"record"' in line:
            close()
            header, body, raw = None, [], [line]
            try:
                header = msgspec.json.decode(line, type=Header)
            except ValueError:
                continue
            if header.format != FORMAT:
                header = None
            continue
        raw.append(line)
        if header is None or not line.strip():
            continue
        try:
            body.append(msgspec.json.decode(line, type=Line))
        except ValueError:
            header = None
    close()
    return done
