"""Compose the email of an outbox row: language and time zone of its reader, templates, pictures.

What an email says about a game comes from `engine.rules.view` and `engine.rules.visible` for the
reader's seat and from nothing else.
"""

import logging
import re
import textwrap
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from email.utils import formataddr, parseaddr
from functools import lru_cache
from typing import Any

import msgspec
from django.conf import settings
from django.core.mail.message import EmailAlternative
from django.db.models import F
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.html import escape
from django.utils.translation import gettext as _

from games import metrics
from games.models import OutboxMail, Seat, User
from games.pictures import rasterize, render_worker
from games.pictures.render_worker import Request
from games.rules import GAMES
from games.translate import with_colon

from . import kinds, relevance, signed_links
from .kinds import BoardPicture, MailContent
from .kinds.base import Snapshots
from .kinds.batch import BatchMailKind, reader_of, turn_row
from .message import Mail, headers

ICON_WIDTH = 22
SIGNATURE = "-- "  # before it mail programs cut the signature off
CHIP = "#f3e9d2"  # behind the icons of a hand, on light and on dark screens

# Longer than the render worker takes to start, to fail and to be paused.
BOARD_SECONDS = 30.0

logger = logging.getLogger(__name__)

MAX_GAMES = 3  # in a preview of several games


@metrics.PAINTING.time()
def _render(request: Request) -> list[bytes]:
    return render_worker.render(request)


_render_thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="render")


class RenderedMail(msgspec.Struct, frozen=True):
    """An email whose text is written; the render worker may still be drawing its boards."""

    text: Mail
    boards: dict[tuple[str, ...], Future[list[bytes]]]  # Content-IDs → their pictures
    icons: dict[str, bytes]
    language: str

    def mail(self) -> Mail:
        """The whole email, once its boards are there. To be called once.

        A board that could not be drawn is replaced by a sentence: no email waits for a picture.
        """
        pictures = dict(self.icons)
        for names, board in self.boards.items():
            try:
                pictures.update(zip(names, board.result(BOARD_SECONDS), strict=True))
            except (OSError, ValueError) as error:
                logger.warning("An email goes out without its board: %r", error)
                with translation.override(self.language):
                    for name in names:
                        _leave_out(self.text, name)
        for name, png in pictures.items():
            self.text.add_picture(name, png)
        return self.text


class MailComposer:
    """Composes a batch of emails; games and pictures are kept for the next email of the batch.

    A thread waits for the process that draws boards, so that the email before can be sent.
    """

    def __init__(self) -> None:
        self._snapshots = Snapshots()
        self._boards: dict[tuple[Any, ...], Future[list[bytes]]] = {}

    def compose(self, row: OutboxMail, merged: Sequence[OutboxMail] | None = None) -> Mail:
        """The email of this row: the same bytes each time as long as the game does not change.

        merged: for previews, the rows that an unsaved batch is about.
        """
        return self.render(row, merged).mail()

    def render(self, row: OutboxMail, merged: Sequence[OutboxMail] | None = None) -> RenderedMail:
        """Like `compose`, but the boards need not be drawn yet."""
        language, zone = _locale_of(row)
        self._snapshots.mail = row
        with translation.override(language), timezone.override(zone):
            kind = kinds.get(row.kind)
            if merged is not None and isinstance(kind, BatchMailKind):
                content = kind.content_of(reader_of(row), merged, self._snapshots)
            else:
                content = kind.content(row, self._snapshots)
            boards = {(board.name, *board.details): self._draw(board) for board in content.boards}
            return RenderedMail(_text(row, kind, content), boards, _icons(row, content), language)

    def _draw(self, board: BoardPicture) -> Future[list[bytes]]:
        """The board and its details, drawn once for all who see the same; after the end, everybody
        does."""
        details = tuple(board.details.values())
        key = (board.game.pk, hash(board.drawing), board.pixels, details)
        if key not in self._boards:
            request = Request(board.drawing, board.pixels, details)
            self._boards[key] = _render_thread.submit(_render, request)
        return self._boards[key]


def _text(row: OutboxMail, kind: kinds.MailKind, content: MailContent) -> Mail:
    """The email without its pictures."""
    game_off = kind_off = None
    if row.user is not None and row.game is not None and row.seat is not None:
        game_off = settings.SITE_URL + signed_links.off_path(row.game.public_id, row.user)
    if row.user is not None and kind.can_unsubscribe(row):
        kind_off = settings.SITE_URL + signed_links.kind_off_path(row.kind, row.user)
    subject = " ".join(kind.subject(content.context).split())
    context = {
        **content.context,
        "subject": subject,
        "preheader": _preheader(kind, content.context),
        "site": settings.SITE_NAME,
        "site_url": settings.SITE_URL,
        "settings_url": settings.SITE_URL + reverse("mail_preferences"),
        "check_codes_url": settings.SITE_URL + reverse("about") + "#check-codes",
        "off_url": game_off,
        "kind_off_url": kind_off,
        "kind_label": kind.label,
        "language": translation.get_language(),
        "icon_host": settings.SITE_HOST,
    }
    template = content.template or kind.name
    mail = Mail(
        subject=subject,
        body=_tidy(render_to_string(f"mail/{template}.txt", context)),
        from_email=_sender(asks=_waits_for_reader(content.context)),
        to=[f"<{row.to_address}>"],  # filters distrust bare addresses beside one picture
        headers=headers(
            row,
            game_off or kind_off or content.context.get("never_url"),
            content.reply_to,
            relevance.date_of(row),
            names_table=kind.names_table,
        ),
    )
    mail.attach_alternative(render_to_string(f"mail/{template}.html", context), "text/html")
    return mail


def _preheader(kind: kinds.MailKind, context: dict[str, Any]) -> str:
    """What mailboxes show beside the subject: the first message of a player, then the rest."""
    said = kind.preheader(context)
    first = list(context.get("talk", ()))[:1] if said else []
    words = [
        textwrap.shorten(f"{with_colon(one['name'])} {one['text']}", 60, placeholder=" …")
        for one in first
    ]
    return " – ".join([*words, said])


def _waits_for_reader(context: dict[str, Any]) -> bool:
    """Whether the game of this email waits for its reader, or one of its games does."""
    return bool(context.get("asked") or context.get("waiting"))


def _sender(*, asks: bool) -> str:
    """The From of an email. asks: a game waits for the reader, which lists of emails show best in
    its name, because all emails of a game have one subject."""
    if not asks:
        return settings.MAIL_FROM
    name, address = parseaddr(settings.MAIL_FROM)
    return formataddr((_("Your turn · %(site)s") % {"site": name or settings.SITE_NAME}, address))


def _leave_out(mail: Mail, board: str) -> None:
    """Put a sentence where the HTML part shows this board, and nothing where it shows a detail."""
    is_detail = board.startswith("detail")
    sentence = _(
        "The picture of the board could not be drawn this time. The plain text version of this "
        "email and the game page show the board."
    )
    image = re.compile(rf'<img src="cid:{re.escape(board)}"[^>]*>')
    mail.alternatives = [
        EmailAlternative(
            image.sub("" if is_detail else f"<em>{escape(sentence)}</em>", str(html)), kind
        )
        for html, kind in mail.alternatives
    ]


def _icons(row: OutboxMail, content: MailContent) -> dict[str, bytes]:
    """Content-ID → PNG for each kind of thing in the reader's hand."""
    if row.game is None:
        return {}
    return {
        f"{held['icon']}@{settings.SITE_HOST}": _icon(row.game.kind, held["icon"])
        for held in content.context.get("hand", ())
    }


@lru_cache(maxsize=64)
def _icon(kind: str, name: str) -> bytes:
    return rasterize.svg_to_png(
        GAMES[kind].presentation.icon_svg(name), width=ICON_WIDTH, paper=CHIP
    )


def _locale_of(row: OutboxMail) -> tuple[str, Any]:
    """(language, time zone) of the reader; the site's own where they are unknown."""
    user = row.user
    language = row.context.get("language") or (user.language if user else settings.LANGUAGE_CODE)
    if language not in dict(settings.LANGUAGES):
        language = settings.LANGUAGE_CODE
    return language, user.zone if user else timezone.get_default_timezone()


def _tidy(text: str) -> str:
    """Remove spaces at the ends of lines and repeated empty lines; end with one newline."""
    lines = [line if line == SIGNATURE else line.rstrip() for line in text.strip("\n").splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n") + "\n"


def previewable() -> list[str]:
    """The kinds that have a preview."""
    return [name for name in kinds.names() if kinds.get(name).sample_statuses]


def preview_of(user: User, name: str) -> bytes | None:
    """A preview of this kind of email to this user as bytes; it is neither queued nor sent. None
    without a game that it could be about.

    Games that wait for the user come first; if none does, a game is shown as if it did.
    """
    kind = kinds.get(name)
    seats = Seat.objects.filter(user=user, game__status__in=kind.sample_statuses)
    newest = seats.select_related("game").order_by(
        F("asked_seq").desc(nulls_last=True), "-game__last_event_at"
    )
    mine = list(newest[:MAX_GAMES])
    if not mine:
        return None
    asked = [seat for seat in mine if seat.asked_seq is not None] or mine[:1]
    parts = [turn_row(seat, user) for seat in asked]
    row = OutboxMail(user=user) if kind.batches else parts[0]
    row.kind, row.context = name, kind.sample_context(asked[0])
    row.to_address = user.email
    row.message_id = f"<preview@{settings.SITE_HOST}>"
    row.created_at = timezone.now()
    mail = MailComposer().compose(row, parts if kind.batches else None)
    return bytes(mail.message().as_bytes())
