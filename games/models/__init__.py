"""The tables of the database, one module per matter; everything is had from here.

Rows know their own fields and nothing else: writes go through services, reads through
selectors, and the log (GameEvent) is touched by event_log alone.
"""

from __future__ import annotations

from .address import MailAddress, MailReport, Stopped, address_digest
from .event import GameEvent
from .inbound import InboundMail
from .mail import Heartbeat, OutboxMail, of_use_until
from .people import User
from .table import PACES, Game, Invitation, Seat, TableNote
from .wishes import GATHER_MINUTES, Way

__all__ = [
    "GATHER_MINUTES",
    "PACES",
    "Game",
    "GameEvent",
    "Heartbeat",
    "InboundMail",
    "Invitation",
    "MailAddress",
    "MailReport",
    "OutboxMail",
    "Seat",
    "Stopped",
    "TableNote",
    "User",
    "Way",
    "address_digest",
    "of_use_until",
]
