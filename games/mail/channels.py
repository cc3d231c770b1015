"""News of a circle for its channel at Discord, Slack or ntfy.

A message is first a row, written in the transaction that is its reason. A worker takes the rows of
one channel at a time and posts outside of any transaction; a row that it does not mark as sent is
due again, so a worker that dies sends at most one message twice. A message has the title of the
table, the names that everybody at it sees, and a link to the page of the circle, which asks for a
sign-in.
"""

import json
import re
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Literal
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games import selectors
from games.log.pipeline import Statement
from games.models import ChannelPost, Circle, Game, database_clock
from games.translate import join_names, quoted

from . import guarded_post, queue, workers
from .claims import after, retry_after
from .kinds.base import GameSnapshot

MOST_LETTERS = 500
MOST_AN_HOUR = 20  # messages; the last of them has all news that waits
LEASE = 60.0  # seconds in which nobody else posts what a worker has taken
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
GONE = (404, 410)

# By host: the paths to which we post, and what is said of others.
_WEBHOOK = (
    r"/api/webhooks/\d+/[\w-]+",
    gettext_lazy(
        "This is not the address of a Discord webhook. You can find it in the settings of your "
        "Discord channel, under “Integrations”."
    ),
)
_PATHS = {
    "discord.com": _WEBHOOK,
    "discordapp.com": _WEBHOOK,
    "hooks.slack.com": (
        r"/services/\w+/\w+/\w+",
        gettext_lazy(
            "This is not the address of a Slack webhook. It begins with "
            "https://hooks.slack.com/services/."
        ),
    ),
    "ntfy.sh": (
        r"/[\w-]{1,64}",
        gettext_lazy("An address at ntfy ends with the name of one topic: https://ntfy.sh/topic."),
    ),
}

_QUEUE = """
    INSERT INTO games_channelpost
        (circle_id, game_id, about, seq, created_at, next_try_at, attempts, sent)
    SELECT id, %s, %s, %s, %s, %s, 0, false FROM games_circle
    WHERE id = %s AND channel <> '' AND closed_at IS NULL AND (channel_turns OR %s <> 'turn')
    ON CONFLICT DO NOTHING
"""


def news(game: Game, about: Literal["open", "over", "turn"], seq: int) -> list[Statement]:
    """Tell the channel of the table's circle, if it has one, that the table is open, that the game
    has ended or whose turn it is since event `seq`; to be written with what happened."""
    if game.circle_id is None:
        return []
    workers.wake("games.tasks.post_to_channels")
    now = database_clock.now()
    return [(_QUEUE, [game.pk, about, seq, now, now, game.circle_id, about])]


def check(address: str) -> None:
    """guarded_post.BadAddress unless this is an address to which we post. Other hosts than those of
    the three services may have addresses of each kind."""
    host, _port, path = guarded_post.target(address, settings.CHANNEL_HOSTS)
    kinds = [_PATHS[host]] if host in _PATHS else list(_PATHS.values())
    if not any(re.fullmatch(pattern, path.partition("?")[0]) for pattern, _wrong in kinds):
        _pattern, wrong = kinds[-1]
        raise guarded_post.BadAddress(wrong)


def send_test(circle: Circle) -> bool:
    """Post a message that says nothing else; return whether it arrived."""
    words = _("This is a test from the circle “%(circle)s”.") % {"circle": circle.name}
    return _arrived(_post(circle, words))


def drain(seconds: float = 60.0) -> None:
    """Post the news that is due, for at most `seconds` plus one message. What did not arrive
    within a day is no news any more."""
    now, stop_at = database_clock.now(), time.monotonic() + seconds
    ChannelPost.objects.filter(created_at__lt=now - DAY).delete()
    while time.monotonic() < stop_at and (first := _due().first()) is not None:
        posts = _claim(first.circle_id)
        if posts:
            _deliver(posts)


def _due() -> QuerySet[ChannelPost]:
    due = ChannelPost.objects.filter(sent=False, next_try_at__lte=database_clock.now())
    return due.order_by("next_try_at", "pk")


def _claim(circle_id: int) -> list[ChannelPost]:
    """The news for the next message to this channel, leased to the caller; [] if it has had as many
    as it may within an hour, after which what waits is due again."""
    with transaction.atomic():
        Circle.objects.select_for_update(no_key=True).get(pk=circle_id)
        now, posts = database_clock.now(), ChannelPost.objects.filter(circle=circle_id)
        tried = posts.filter(tried_at__gt=now - HOUR).order_by("tried_at")
        times = [at for at in tried.values_list("tried_at", flat=True).distinct() if at]
        waiting = [post.pk for post in _due().filter(circle=circle_id)]
        if len(times) >= MOST_AN_HOUR:
            posts.filter(pk__in=waiting).update(next_try_at=times[0] + HOUR)
            return []
        taken = waiting if len(times) == MOST_AN_HOUR - 1 else waiting[:1]
        claimed = posts.filter(pk__in=taken)
        claimed.update(attempts=F("attempts") + 1, tried_at=now, next_try_at=after(LEASE))
        return list(claimed.select_related("circle__founder", "game").order_by("pk"))


def _deliver(posts: Sequence[ChannelPost]) -> None:
    """Post what is still so of this news, in one message."""
    circle, rows = posts[0].circle, ChannelPost.objects.filter(pk__in=[post.pk for post in posts])
    founder = circle.founder
    with translation.override(founder.language if founder is not None else None):
        said = {post.pk: _said(post) for post in posts}
        text = "\n".join(filter(None, said.values()))
        status = _post(circle, text) if text and circle.channel_address else None
    rows.filter(pk__in=[pk for pk, words in said.items() if not words]).delete()
    if _arrived(status):
        rows.update(sent=True)
    elif status in GONE:
        _switch_off(circle)
    else:
        rows.update(next_try_at=after(retry_after(posts[0].attempts)))


def _switch_off(circle: Circle) -> None:
    """Forget a channel that does not exist any more, and tell the founder."""
    with transaction.atomic():
        known = Circle.objects.filter(pk=circle.pk, channel=circle.channel)
        ChannelPost.objects.filter(circle=circle, sent=False).delete()
        if known.update(channel=""):
            queue.told_founder(
                circle,
                gettext_lazy("The channel of “%(circle)s” doesn’t exist any more"),
                gettext_lazy(
                    "Nothing is posted to %(channel)s any more, because there is no such channel. "
                    "You can set another one on the page of the circle:"
                ),
                channel=circle.channel_shown,
            )


# -- words ---------------------------------------------------------------------------------------


def _said(post: ChannelPost) -> str:
    """The news in words, in the active language; "" if it is not so any more."""
    table = GameSnapshot(post.game)
    game, names = table.game, table.names
    title = {"table": quoted(game.name)}
    match post.about, game.status:
        case "open", Game.Status.GATHERING if len(table.seats) < game.seat_count:
            free = game.seat_count - len(table.seats)
            text = ngettext(
                "%(table)s is open, with %(n)s free seat.",
                "%(table)s is open, with %(n)s free seats.",
                free,
            )
            return text % {**title, "n": free}
        case "turn", Game.Status.RUNNING:
            asked = [seat for seat in table.seats if seat.user_id and seat.asked_seq is not None]
            if any(seat.asked_seq == post.seq for seat in asked):
                turn = {"names": join_names([names[seat.number] for seat in asked])}
                return _("%(table)s: waiting for %(names)s.") % {**title, **turn}
        case "over", Game.Status.FINISHED:
            lines = [_("%(table)s has ended.") % title, *_places(table)]
            return "\n".join([*lines, *selectors.standings_text(post.circle).lines])
    return ""


def _places(table: GameSnapshot) -> list[str]:
    """The places and points, a line for all; [] where nothing was scored."""
    outcome = table.log.outcome
    if outcome is None:
        return []
    ranks = [(seat not in outcome.winners, -score) for seat, score in enumerate(outcome.scores)]
    placed = sorted((sorted(ranks).index(rank) + 1, seat) for seat, rank in enumerate(ranks))
    words = (f"{place}. {table.names[seat]} ({outcome.scores[seat]})" for place, seat in placed)
    return [", ".join(words), f"{_('Standings')}:"]


# -- the three services --------------------------------------------------------------------------


def _post(circle: Circle, text: str) -> int | None:
    """Post this text and the link to the circle's channel; the status of the answer. The path of
    the address tells the services apart. No name in a message mentions anybody."""
    text = _without_links(text)
    address, link = circle.channel_address, queue.circle_link(circle)
    path, kind = urlsplit(address).path, "application/json"
    if path.startswith("/api/webhooks/"):
        content = {"content": _fitting(text, link, _discord), "allowed_mentions": {"parse": []}}
        body = json.dumps(content)
    elif path.startswith("/services/"):
        body = json.dumps({"text": _fitting(text, link, _slack), "mrkdwn": False})
    else:
        body, kind = _fitting(text, link, str), "text/plain; charset=utf-8"
    headers = {"Content-Type": kind, "User-Agent": settings.SITE_NAME}
    return guarded_post.post(address, settings.CHANNEL_HOSTS, headers, body.encode())


def _arrived(status: int | None) -> bool:
    return status is not None and 200 <= status < 300


def _without_links(text: str) -> str:
    """The text with an invisible character within what a service would make a link of: a name or a
    title may be an address."""
    return re.sub(r"(?<=\w)([.:@])(?=[\w/])", "\\1\u2060", text)


def _discord(text: str) -> str:
    return re.sub(r"([\\*_~`|<>\[\]()#@])", r"\\\1", text)


def _slack(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _fitting(text: str, link: str, escaped: Callable[[str], str]) -> str:
    """The text as the service wants it, cut if it is too long, and the link."""
    room = MOST_LETTERS - len(link) - 1
    cut = text[:room]
    while len(escaped(cut)) > room or (cut != text and not cut.endswith("…")):
        cut = f"{cut[:-2].rstrip()}…"
    return f"{escaped(cut)}\n{link}"
