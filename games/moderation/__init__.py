"""The Django admin as a moderation tool: games, their logs, their email, people.

Rows are read-only. Moderators act through services, always with a reason that all players of the
game can read and that is recorded in its log. Hands, deck and seed are shown only at the press of a
button, which is recorded too.
"""

from games.moderation import appeals, audit, circles, games, limits, mail, people, reports
from games.moderation.admin_site import moderation_site

__all__ = [
    "appeals",
    "audit",
    "circles",
    "games",
    "limits",
    "mail",
    "moderation_site",
    "people",
    "reports",
]
