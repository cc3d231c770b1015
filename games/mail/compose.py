"""A row of the outbox as a mail: the reader's language and zone, templates, pictures.

What a mail says of a game is had from `engine.rules.view` and `engine.rules.visible` for the reader's seat
and from nothing else.
"""

from __future__ import annotations

import re
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import msgspec
from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation

from games.log.loader import read_table
from games.models import Game, OutboxMail, User
from games.pictures import rasterize, render_worker
from games.rules import GAMES
from games.rules.contract import Event, View
from games.translate import say

from . import content, digest, relevance, reply_addresses, reply_content, signed_links
from .message import Mail, build

BOARD_WIDTH = rasterize.WIDTH  # CSS pixels, the widest that a mail shows
ICON_WIDTH = 26
SIGNATURE = "-- "  # what mail programs cut a text at
CHIP = "#f3e9d2"  # behind the icons of a hand, in light and in dark mails


_render_thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="render")


class Sheet:
    """A game as it is read for mails: its log and the chairs in order with the people on them."""

    def __init__(self, game: Game) -> None:
        self.game = game
        _same, self.log, self.seats = read_table(game.pk)

    @property
    def names(self) -> list[str]:
        """What to call them, in the active language."""
        return [seat.name for seat in self.seats]


class Draft(msgspec.Struct, frozen=True):
    """A mail whose words are written; the render worker may still be drawing its boards."""

    row: OutboxMail
    words: dict[str, Any]
    icons: dict[str, bytes]
    boards: dict[str, Future[bytes]]

    def mail(self) -> Mail:
        """The whole mail, as soon as its pictures are there."""
        boards = {name: board.result() for name, board in self.boards.items()}
        return build(self.row, **self.words, pictures={**boards, **self.icons})


class Desk:
    """Where mails are written, one batch long: games and pictures are kept for the next mail.

    Boards are painted by another process, for which a thread waits: while one is painted the mail
    before it is sent.
    """

    def __init__(self) -> None:
        self._sheets: dict[int, Sheet] = {}
        self._boards: dict[tuple[Any, ...], Future[bytes]] = {}

    def compose(self, row: OutboxMail) -> Mail:
        """The mail of this row, the same bytes each time as long as the game stands still."""
        return self.draft(row).mail()

    def draft(self, row: OutboxMail) -> Draft:
        """The mail of this row but for its board, which is being painted."""
        language, zone = _reader(row)
        with translation.override(language), timezone.override(zone):
            return self._draft(row)

    def _draft(self, row: OutboxMail) -> Draft:
        sheet = self.sheet(row.game) if row.game is not None else None
        if row.kind in digest.CARRIERS:
            return self._bundle(row, *digest.write(row, self))
        if row.kind == OutboxMail.Kind.ANSWER and sheet is None:
            return self._bundle(row, *digest.write_waiting(row, self))
        if row.kind == OutboxMail.Kind.ANSWER and sheet is not None:
            letter = reply_content.write(row, sheet)
        else:
            letter = content.write(row, sheet)
        boards: dict[str, Future[bytes]] = {}
        if row.game is not None and letter.view is not None:
            picture = self._board(row.game, letter.view, letter.recent)
            boards[f"board@{settings.SITE_HOST}"] = picture
        reply_to = _reply_to(row, sheet, letter)
        return self._written(row, letter, boards, reply_to, board=next(iter(boards), None))

    def _bundle(self, row: OutboxMail, letter: content.Letter, parts: list[digest.Part]) -> Draft:
        """Several games in one mail, each with its small board."""
        boards: dict[str, Future[bytes]] = {}
        for number, part in enumerate(parts[: digest.PICTURES], start=1):
            if part.view is not None:
                name = f"board-{number}@{settings.SITE_HOST}"
                boards[name] = self._board(part.game, part.view, part.recent, digest.BOARD_WIDTH)
                part.words["board"] = name
        draft = self._written(row, letter, boards, None, board_width=digest.BOARD_WIDTH)
        if row.user_id is not None:  # its words name one address for each game
            draft.words["reply_to"] = reply_addresses.person_address(row.user_id)
        return draft

    def compose_bundle(self, row: OutboxMail, parts: list[OutboxMail]) -> Mail:
        """The carrier `row` as if it carried these rows: what a preview shows."""
        assert row.user is not None
        language, zone = _reader(row)
        with translation.override(language), timezone.override(zone):
            return self._bundle(row, *digest.letter_of(row.kind, row.user, parts, self)).mail()

    def _written(
        self,
        row: OutboxMail,
        letter: content.Letter,
        boards: dict[str, Future[bytes]],
        reply_to: str | None,
        **more: Any,
    ) -> Draft:
        """The letter put into words."""
        game_off, kind_off = _off_urls(row)
        never = None
        if row.kind == OutboxMail.Kind.INVITATION:
            never = site_url(signed_links.never_path(row.to_address))
        context = {
            **letter.context,
            "reply_to": reply_to,
            "kind": row.kind,
            "site": settings.SITE_NAME,
            "site_url": settings.SITE_URL,
            "settings_url": site_url(reverse("mail_preferences")) if row.user is not None else None,
            "off_url": game_off,
            "kind_off_url": kind_off,
            "never_url": never,
            "kind_label": OutboxMail.Kind(row.kind).label,
            "language": translation.get_language(),
            "icon_host": settings.SITE_HOST,
            **more,
        }
        subject = render_to_string(f"mail/{letter.subject}.subject.txt", context)
        words = {
            "subject": " ".join(subject.split()),
            "text": _tidy(render_to_string(f"mail/{letter.template}.txt", context)),
            "html": render_to_string(f"mail/{letter.template}.html", context),
            "off_url": kind_off or game_off or never,
            "reply_to": reply_to,
            "at": relevance.wanted_at(row),
        }
        return Draft(row, words, self._icons(row, letter), boards)

    def sheet(self, game: Game) -> Sheet:
        """The game, read anew when it has moved on since the last mail of the batch."""
        sheet = self._sheets.get(game.pk)
        if sheet is None or sheet.log.version < game.version:
            sheet = self._sheets[game.pk] = Sheet(game)
        return sheet

    def _board(
        self, game: Game, view: View, recent: tuple[Event, ...], width: int = BOARD_WIDTH
    ) -> Future[bytes]:
        """The same picture for all who see the same: at the end, everybody does."""
        names = self.sheet(game).names
        drawing = GAMES[game.kind].presentation.draw(
            view, recent=recent, translate=lambda text: say(text, names)
        )
        key = (game.pk, hash(drawing), width)
        if key not in self._boards:
            self._boards[key] = _render_thread.submit(
                render_worker.render_png, drawing, width=width
            )
        return self._boards[key]

    def _icons(self, row: OutboxMail, letter: content.Letter) -> dict[str, bytes]:
        """Content-ID → PNG for each kind of thing in the hand."""
        if row.game is None or letter.view is None:
            return {}
        return {
            f"{held['icon']}@{settings.SITE_HOST}": _icon(row.game.kind, held["icon"])
            for held in letter.context.get("hand", ())
        }


@lru_cache(maxsize=64)
def _icon(kind: str, name: str) -> bytes:
    return rasterize.svg_to_png(
        GAMES[kind].presentation.icon_svg(name), width=ICON_WIDTH, paper=CHIP
    )


def site_url(path: str) -> str:
    """The whole address of a page of ours."""
    return f"{settings.SITE_URL}{path}"


def _off_urls(row: OutboxMail) -> tuple[str | None, str | None]:
    """Where the mails of this game, and where those of this kind, are turned off."""
    if row.user is None or row.kind == OutboxMail.Kind.ACCOUNT:
        return None, None
    game_off = None
    if row.game is not None and row.seat is not None:
        game_off = site_url(signed_links.off_path(row.game.public_id, row.user))
    if row.kind == OutboxMail.Kind.ANSWER or (
        row.kind == OutboxMail.Kind.MODERATED and game_off is None
    ):
        return game_off, None  # who writes is answered; who lost a seat is told so once
    return game_off, site_url(signed_links.kind_off_path(row.kind, row.user))


def _reply_to(row: OutboxMail, sheet: Sheet | None, letter: content.Letter) -> str | None:
    """Where a reply to this mail goes; None where it is no player's, or nobody reads replies."""
    if sheet is None or row.seat is None or row.user is None:
        return None
    seq = letter.seq if letter.seq is not None else sheet.log.moved_at
    return reply_addresses.reply_address(sheet.game.public_id, row.seat, seq)


def _reader(row: OutboxMail) -> tuple[str, Any]:
    """(language, time zone) of the one who will read the mail, of the house where unknown."""
    user: User | None = row.user
    language = row.context.get("language") or (user.language if user else settings.LANGUAGE_CODE)
    if language not in dict(settings.LANGUAGES):
        language = settings.LANGUAGE_CODE
    return language, user.zone if user else timezone.get_default_timezone()


def _tidy(text: str) -> str:
    """No spaces at the ends of lines, one empty line at most, one newline at the end."""
    lines = [line if line == SIGNATURE else line.rstrip() for line in text.strip("\n").splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n") + "\n"
