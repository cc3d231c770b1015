"""The pages: each a function from a request to a page, nothing decided here that a service decides.

A GET never acts. What a person may see is asked in selectors, what they do is done by services.
"""

from __future__ import annotations

from .pages import about, bad_form, home, name, rules, rules_index, settings
from .play import game, moment, play, record
from .tables import (
    add_bot,
    invite,
    join,
    leave,
    mails,
    rematch,
    remove_bot,
    resign,
    start,
    step_in,
    table_new,
)
from .wishes import mail_mend, mail_preview, mail_preview_html, mail_wishes

__all__ = [
    "about",
    "add_bot",
    "bad_form",
    "game",
    "home",
    "invite",
    "join",
    "leave",
    "mail_mend",
    "mail_preview",
    "mail_preview_html",
    "mail_wishes",
    "mails",
    "moment",
    "name",
    "play",
    "record",
    "rematch",
    "remove_bot",
    "resign",
    "rules",
    "rules_index",
    "settings",
    "start",
    "step_in",
    "table_new",
]
