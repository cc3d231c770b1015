"""The search of the admin's first page: a table, a person or an email, each by an index.

People and addresses are found only by those who may see people, and emails as their lists show them
to a moderator who plays.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from django import forms
from django.db.models import QuerySet
from django.db.models.functions import Collate, Lower
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.models import Game, InboundMail, OutboxMail, Seat, User
from games.moderation import base
from games.services import has_right

MOST = 20  # of each kind
MOST_GAMES = 200  # of people whose names begin so
LINK = re.compile(r"/g/([a-z2-7]{12})\b")


class SearchForm(forms.Form):
    """One box."""

    q = forms.CharField(
        label=gettext_lazy("Search"),
        max_length=320,
        help_text=gettext_lazy(
            "A table by its id, its link or the beginning of its name; a player by the beginning of "
            "the name or address; an email by its Message-ID."
        ),
        widget=forms.TextInput({"type": "search"}),
    )


class Hit(NamedTuple):
    """One thing that was found. kind: a table, a person or an email, in words."""

    kind: str
    name: str
    more: str
    url: str


def hits(by: User, term: str) -> list[Hit]:
    """What this member of staff may see of what the words name, at most MOST of each kind."""
    return [*_tables(by, term), *_people(by, term), *_emails(by, term)]


def tables(term: str) -> QuerySet[Game]:
    """The table with this id or link; else those whose names begin so, in their order."""
    link = LINK.search(term)
    games = Game.objects.defer("seed")
    exact = games.filter(public_id=link[1] if link else term.lower())
    if link or (len(term) == 12 and exact.exists()):
        return exact
    return _beginning(games, "name", term)


def games_of(by: User, term: str) -> list[int]:
    """The tables (pk) that the list of games shows for these words: also those of people, to those
    who may see people."""
    found = list(tables(term).values_list("pk", flat=True)[:MOST_GAMES])
    if has_right(by, "view_user"):
        for field in ("display_name", "email"):
            keys = list(
                _beginning(User.objects.all(), field, term).values_list("pk", flat=True)[:MOST]
            )
            seats = Seat.objects.filter(user__in=keys).order_by("-game")
            found += seats.values_list("game", flat=True)[:MOST_GAMES]
    return found


def _beginning(rows: QuerySet[Any], field: str, term: str) -> QuerySet[Any]:
    """By the index of this field, whatever the case. Its order is that of the index, so PostgreSQL
    reads no more rows than are asked for."""
    key = Collate(Lower(field), "C")
    found: QuerySet[Any] = rows.alias(key=key).filter(key__startswith=term.lower())
    return found.order_by("key")


def _tables(by: User, term: str) -> Iterator[Hit]:
    if has_right(by, "view_game"):
        for game in tables(term)[:MOST]:
            url = reverse("admin:games_game_change", args=[game.pk])
            yield Hit(_("table"), game.name, game.get_status_display(), url)


def _people(by: User, term: str) -> Iterator[Hit]:
    if has_right(by, "view_user"):
        found = {
            user.pk: user
            for field in ("email", "display_name")
            for user in _beginning(User.objects.all(), field, term)[:MOST]
        }
        for pk, user in list(found.items())[:MOST]:
            url = reverse("admin:games_user_change", args=[pk])
            yield Hit(_("player"), user.name, user.email, url)


def _emails(by: User, term: str) -> Iterator[Hit]:
    if "@" not in term:
        return
    word = f"<{term.strip('<>')}>"
    if has_right(by, "view_outboxmail"):
        for sent in base.emails_for(by, OutboxMail.objects.filter(message_id=word)):
            url = reverse("admin:games_outboxmail_change", args=[sent.pk])
            yield Hit(_("outgoing email"), str(sent), sent.get_state_display(), url)
    if has_right(by, "view_inboundmail"):
        found = InboundMail.objects.filter(message_id=word, message_id__gt="")
        for came in base.replies_for(by, found)[:MOST]:
            url = reverse("admin:games_inboundmail_change", args=[came.pk])
            yield Hit(_("incoming email"), str(came), came.get_state_display(), url)
