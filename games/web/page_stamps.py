"""Open pages learn that they are out of date: by a stamp, or by a stream of changes."""

from urllib.parse import urlencode

from django.conf import settings
from django.core.signing import TimestampSigner
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import salted_hmac
from django.views.decorators.http import require_safe

from games import selectors
from games.table_stamps import TICKET_SALT, ticket_body

from .forms import TableFilterForm

Topics = tuple[str, ...]


def answer(reader: selectors.Reader, topics: Topics, stamp: str) -> HttpResponse:
    """Return the stamp of a page as JSON, with the address of the stream of its changes.

    topics: what the page shows; `reader` may see all of it.
    """
    response = JsonResponse({"stamp": stamp, "events": stream_of(reader, topics)})
    response["Cache-Control"] = "no-store"
    return response


def stream_of(reader: selectors.Reader, topics: Topics) -> str | None:
    """Return the address of a stream of these topics, with a ticket that opens it for a quarter of
    an hour. None if no event process is configured, so that the page polls.
    """
    if not settings.EVENTS_SOCKET:
        return None
    person = _person(reader) if reader.is_authenticated else ""
    ticket = TimestampSigner(salt=TICKET_SALT).sign(ticket_body(person, topics))
    return f"/events/?{urlencode({'ticket': ticket})}"


def _person(reader: selectors.Reader) -> str:
    """Return a pseudonym by which the event process counts the streams of one person."""
    return salted_hmac(TICKET_SALT, str(reader.pk), algorithm="sha256").hexdigest()[:16]


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The stamp of the reader's first page."""
    topics = selectors.home_topics(request.user)
    return answer(request.user, topics, selectors.stamp_of(topics))


@require_safe
def tables(request: HttpRequest) -> HttpResponse:
    """The stamp of the list of tables with these filters."""
    rows, _before = selectors.tables(request.user, TableFilterForm(request.GET).wanted())
    topics = selectors.tables_topics(rows)
    return answer(request.user, topics, selectors.stamp_of(topics))
