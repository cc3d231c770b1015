"""Mails that come in: kept, taken apart, believed or not, read as orders, answered.

    listener | webhook | pipe ─► store (a row, nothing else) ─► work, in a task: one transaction
    mime → silence → authenticity → reply (cuts, html) → commands → services → answer

Only the first line that the writer wrote is ever an order. Never answers to an address in a mail,
only to the player's own; never repeats a move in an answer.
"""

from __future__ import annotations

from . import confirmation
from .confirmation import Question
from .intake import forget
from .processor import read_one, read_waiting

__all__ = ["Question", "confirmation", "forget", "read_one", "read_waiting"]
