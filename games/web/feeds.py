"""Feeds for calendars and news readers, and the page of their keys.

A feed is fetched without a session, often by a calendar service: it has the names of games, "your
turn", deadlines and links that need a sign-in, nothing else. Its URL is a key.
"""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone, translation
from django.utils.cache import get_conditional_response
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from games import selectors, services
from games.mail.turn_text import moment
from games.models import FeedKey

from .decorators import REFERRER_POLICY, SignedInRequest, secret_url

FRESH_SECONDS = 300  # how long a copy may be used without asking again
SHOWN_BEFORE = timedelta(minutes=15)  # an entry of a calendar ends at the deadline

Kind = FeedKey.Kind
ROUTES = {Kind.CALENDAR: "feed_calendar", Kind.NEWS: "feed_news"}


# -- the page of the keys --------------------------------------------------------------------


@login_required
@secret_url
def feeds(request: SignedInRequest) -> HttpResponse:
    """The page of feeds. A POST creates, replaces or revokes a key, and shows a new URL once."""
    created = ""
    kind = request.POST.get("kind", "")
    if request.method == "POST" and kind in Kind.values:
        if "revoke" in request.POST:
            services.feed_key_revoke(user=request.user, kind=kind)
            messages.success(request, _("The address of this feed no longer works."))
            return redirect("feeds")
        key = services.feed_key_create(user=request.user, kind=kind)
        created = settings.SITE_URL + reverse(ROUTES[Kind(kind)], args=[key])
    since = dict(request.user.feed_keys.values_list("kind", "created_at"))
    rows = [
        {
            "kind": value,
            "label": label,
            "since": since.get(value),
            "url": created if value == kind else "",
        }
        for value, label in Kind.choices
    ]
    return render(request, "games/feeds.html", {"feeds": rows})


# -- the feeds -------------------------------------------------------------------------------


@require_safe
def calendar(request: HttpRequest, token: str) -> HttpResponse:
    """The deadlines of one user as iCalendar (RFC 5545)."""
    return _answer(request, token, Kind.CALENDAR, _calendar, "text/calendar; charset=utf-8")


@require_safe
def news(request: HttpRequest, token: str) -> HttpResponse:
    """The turns of one user as an Atom feed (RFC 4287)."""
    return _answer(request, token, Kind.NEWS, _atom, "application/atom+xml; charset=utf-8")


def _answer(
    request: HttpRequest,
    token: str,
    kind: str,
    write: Callable[[FeedKey], bytes],
    content_type: str,
) -> HttpResponse:
    """The feed of this key, or 304 if the client has it. The same state gives the same bytes."""
    key = selectors.feed_key(token, kind)
    if key is None:
        raise Http404
    services.feed_count(user=key.user)
    with translation.override(key.user.language), timezone.override(key.user.zone):
        body = write(key)
    response = HttpResponse(body, content_type=content_type)
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    response["ETag"] = etag
    response["Cache-Control"] = f"private, max-age={FRESH_SECONDS}"
    response["Referrer-Policy"] = REFERRER_POLICY
    response["X-Robots-Tag"] = "noindex"
    return get_conditional_response(request, etag=etag, response=response) or response


def _calendar(key: FeedKey) -> bytes:
    from icalendar import Calendar, Event  # slow to import, and few processes need it

    entries = [
        Event.new(
            uid=f"{turn.public_id}-{turn.seq}@{settings.SITE_HOST}",
            stamp=turn.asked_at.astimezone(UTC),
            start=(turn.due_at - SHOWN_BEFORE).astimezone(UTC),
            end=turn.due_at.astimezone(UTC),
            summary=_title(turn),
            url=_link(turn),
        )
        for turn in selectors.waiting_turns(key.user)
        if turn.due_at is not None
    ]
    made = Calendar.new(
        prodid=f"-//{settings.SITE_NAME}//feed//EN",
        uid=f"{key.digest[:32]}@{settings.SITE_HOST}",
        name=settings.SITE_NAME,
        refresh_interval=timedelta(hours=1),
        subcomponents=entries,
    )
    return bytes(made.to_ical())


class _Feed(Atom1Feed):
    """Django's feed, which says the time of the fetch where it has no entries."""

    def latest_post_date(self) -> datetime:
        dates: list[datetime] = [item["pubdate"] for item in self.items]
        since: datetime = self.feed["since"]
        return max([since, *dates])


def _atom(key: FeedKey) -> bytes:
    feed = _Feed(
        title=_("Your turns at %(site)s") % {"site": settings.SITE_NAME},
        link=f"{settings.SITE_URL}/",
        description="",
        language=translation.get_language(),
        feed_guid=f"tag:{settings.SITE_HOST},2026:{key.digest[:32]}",
        since=key.created_at,
    )
    for turn in selectors.waiting_turns(key.user):
        until = moment(turn.due_at)
        feed.add_item(
            title=_title(turn),
            link=_link(turn),
            description=_("Deadline: %(when)s") % {"when": until} if until else "",
            unique_id=f"tag:{settings.SITE_HOST},2026:{turn.public_id}/{turn.seq}",
            pubdate=turn.asked_at,
        )
    return feed.writeString("utf-8").encode()


def _title(turn: selectors.WaitingTurn) -> str:
    return _("Your turn: %(name)s") % {"name": turn.name}


def _link(turn: selectors.WaitingTurn) -> str:
    return f"{settings.SITE_URL}{reverse('game', args=[turn.public_id])}"


urlpatterns = [
    path("settings/feeds/", feeds, name="feeds"),
    path("feed/<token>/deadlines.ics", calendar, name="feed_calendar"),
    path("feed/<token>/turns.atom", news, name="feed_news"),
]
