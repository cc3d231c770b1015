"""What pages and emails print can be typed in a reply. The words come from the catalogues."""

import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import get_args

import pytest
from django.conf import settings
from django.utils import translation
from django.utils.formats import date_format
from django.utils.translation import gettext, pgettext

from games import selectors
from games.inbound import commands
from games.management.commands import messages
from games.rules import GAMES, table_events, table_text
from games.rules.contract import View
from games.rules.escape.model import Standing
from games.translate import say
from tests.rules.escape.scenes import Scene

LANGUAGES = ("en", "de", "fr")
# Not “Turn off emails for this game”: each email prints that line above its link, and nothing that
# an email prints may be read as a command where a mail program quotes it without marks.
SWITCHES = {
    "emails off": commands.SwitchMail(on=False),
    "Turn emails for this game back on.": commands.SwitchMail(on=True),
    "Turn off all emails of this service.": commands.StopAll(off=True),
    "Turn all emails of this service back on.": commands.StopAll(off=False),
}
ORDERS = (
    "Standing orders for attacks: standing shark always – never – from 2 – ask",
    "Standing order: never defend against %(creature)s.",
)


@pytest.fixture(params=LANGUAGES, autouse=True)
def language(request: pytest.FixtureRequest) -> object:
    with translation.override(request.param):
        yield request.param


@pytest.mark.parametrize("about", get_args(table_events.Proposal))
def test_the_heading_of_a_vote_asks_for_that_vote(about: table_events.Proposal) -> None:
    line = gettext("Vote: %(what)s") % {"what": say(table_text.vote_name(about))}
    command = commands.parse(line)
    assert isinstance(command, commands.AskVote), line
    assert command.about == about, line


def test_the_buttons_of_a_vote_are_answers() -> None:
    assert commands.is_yes(gettext("Yes, I agree"))
    assert commands.is_no(gettext("No"))
    assert commands.is_no(gettext("Change my answer to no"))


@pytest.mark.parametrize("days", range(1, 60, 7))
def test_a_day_is_read_as_emails_write_it(days: int) -> None:
    today = date(2026, 11, 28)
    for day in (today + timedelta(days + more) for more in range(7)):
        moment = date_format(
            datetime(day.year, day.month, day.day, tzinfo=UTC),
            pgettext("date format in mails", "l, j F, H:i"),
        )
        with_weekday = re.sub(r"\W*(?:à|um|at)?\W*00[:h]00.*", "", moment)
        for written in (selectors.day(day), with_weekday):
            command = commands.parse(f"away until {written}")
            assert isinstance(command, commands.Away), written
            assert command.until.seen_from(today) == day, written


def test_a_day_that_is_another_day_of_the_week_is_no_day() -> None:
    command = commands.parse("away until Mon 5 Jan 2027")
    assert isinstance(command, commands.Away)
    with pytest.raises(ValueError, match="no mon"):
        command.until.seen_from(date(2026, 11, 28))


@pytest.mark.parametrize("printed", SWITCHES)
def test_emails_are_switched_in_the_words_of_the_pages(printed: str) -> None:
    assert commands.parse(gettext(printed)) == SWITCHES[printed]


@pytest.mark.parametrize("printed", ORDERS)
def test_a_standing_order_begins_as_the_pages_call_it(printed: str) -> None:
    notation = GAMES["escape"].notation
    called = re.split(
        r" (?:for attacks|auf Angriffe|pour les attaques|en cas d)|\s?:", gettext(printed)
    )[0]
    rest = notation.localised("standing shark never", say).partition(" ")[2]
    view: View = Scene("E5 beach U1").view(1)
    line = f"{called}: {rest}"
    command = notation.parse(line, view)
    assert isinstance(command, Standing), line


# -- notes and messages --------------------------------------------------------------------


def labels_of_talk() -> list[str]:
    """The texts of the talk at a table that speak of messages, in the active language."""
    folder = Path(settings.BASE_DIR) / "templates/games/parts"
    source = (folder / "talk.html").read_text()
    found = re.findall(r'{% translate "([^"]*[Mm]essage[^"]*)"', source)
    assert len(found) > 3
    return [gettext(text) for text in (*found, "message", "messages", "messages at the table")]


def makes_note(word: str) -> bool:
    return any(
        isinstance(commands.parse(f"{word}{mark} well played"), commands.Note) for mark in ("", ":")
    )


def test_no_label_of_talk_is_a_word_that_makes_a_note() -> None:
    words = {word for label in labels_of_talk() for word in re.findall(r"\w+", label)}
    assert not [word for word in words if makes_note(word)]


@pytest.mark.parametrize("printed", ["note", "Note on this move"])
def test_the_label_of_a_note_begins_with_a_word_that_makes_one(printed: str) -> None:
    assert makes_note(re.findall(r"\w+", gettext(printed))[0])


def test_the_word_for_a_message_writes_one_before_a_colon() -> None:
    command = commands.parse(f"{gettext('message')}: hello all")
    assert command == commands.Say("hello all")


def test_no_text_calls_a_note_a_message(language: str) -> None:
    if language == "en":
        return
    catalog = messages.stored(language)
    mixed = [
        message.id
        for message in catalog
        if isinstance(message.id, str)
        and isinstance(message.string, str)
        and re.search(r"\bnotes?\b", message.id, re.IGNORECASE)
        and not re.search("message|address", message.id, re.IGNORECASE)
        and re.search(r"nachricht|\bmessages?\b", message.string, re.IGNORECASE)
    ]
    assert mixed == []
