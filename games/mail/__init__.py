"""The outbox and what comes out of it: rows claimed, rendered, sent, marked.

A mail is a row first (written by notifications in the transaction that is its reason), then text,
HTML and pictures, then a conversation with a mail server. Never decides who is told what.
"""

from __future__ import annotations

from .outbox import Drained, drain, stop
from .relevance import NO_ARRIVAL, latest
from .reply_addresses import (
    ReplyPass,
    person_address,
    read_person_address,
    read_reply_address,
    reply_address,
)
from .retention import forget
from .signed_links import (
    OffPass,
    TurnPass,
    read_kind_token,
    read_never_token,
    read_off_token,
    read_reply_token,
    read_turn_token,
)

__all__ = [
    "NO_ARRIVAL",
    "Drained",
    "OffPass",
    "ReplyPass",
    "TurnPass",
    "drain",
    "forget",
    "latest",
    "person_address",
    "read_kind_token",
    "read_never_token",
    "read_off_token",
    "read_person_address",
    "read_reply_address",
    "read_reply_token",
    "read_turn_token",
    "reply_address",
    "stop",
]
