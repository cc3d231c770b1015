"""Open pages learn that they are out of date: by a stamp, or by a stream of changes."""

from urllib.parse import urlencode

from django.conf import settings
from django.core.signing import TimestampSigner
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import salted_hmac
from django.views.decorators.http import require_safe

from games import selectors
from games.models import User
from games.table_stamps import TICKET_SALT, session_digest, ticket_body

from .forms import TableFilterForm

Topics = tuple[str, ...]


def answer(stamp: str, events: str | None) -> HttpResponse:
    """Return the stamp of a page as JSON, with the address of the stream of its changes."""
    response = JsonResponse({"stamp": stamp, "events": events})
    response["Cache-Control"] = "no-store"
    return response


def stream_of(request: HttpRequest, topics: Topics) -> str | None:
    """Return the address of a stream of these topics, with a ticket that opens it for a quarter of
    an hour, while the session lasts. None if no event process is configured, so that the page
    polls.

    topics: what the page shows; the user of the request may see all of it.
    """
    if not settings.EVENTS_SOCKET:
        return None
    person = session = ""
    if request.user.is_authenticated:
        person = _person(request.user)
        session = session_digest(request.session.session_key or "")
    ticket = TimestampSigner(salt=TICKET_SALT).sign(ticket_body(person, session, topics))
    return f"/events/?{urlencode({'ticket': ticket})}"


def _person(user: User) -> str:
    """Return a pseudonym by which the event process counts the streams of one person."""
    return salted_hmac(TICKET_SALT, str(user.pk), algorithm="sha256").hexdigest()[:16]


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The stamp of the reader's first page."""
    topics = selectors.home_topics(request.user)
    return answer(selectors.stamp_of(topics), stream_of(request, topics))


@require_safe
def tables(request: HttpRequest) -> HttpResponse:
    """The stamp of the list of tables with these filters."""
    rows, _before = selectors.tables(request.user, TableFilterForm(request.GET).wanted())
    topics = selectors.tables_topics(rows)
    return answer(selectors.stamp_of(topics), stream_of(request, topics))
