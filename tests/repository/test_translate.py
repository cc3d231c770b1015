"""From the engine's words to the reader's."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone, translation

from games.rules.atlantis.model import Item
from games.rules.atlantis.names import cards_in_sentence
from games.rules.text import Seat, Text, _, ngettext
from games.templatetags.when import relative
from games.translate import exact_time, say, seat_name


def test_names_are_put_in_by_seat() -> None:
    assert say(_("%(player)s joined.", player=Seat(1)), ["Alice", "Bob"]) == "Bob joined."


def test_names_may_come_from_a_function() -> None:
    assert say(_("%(player)s joined.", player=Seat(2)), lambda n: f"<{n}>") == "<2> joined."


def test_without_names_a_seat_is_called_by_its_number() -> None:
    assert say(_("%(player)s joined.", player=Seat(0))) == "Seat 1 joined."


def test_a_seat_nobody_named_is_called_by_its_number() -> None:
    assert seat_name(4, ["Alice"]) == "Seat 5"


def test_a_plural_takes_its_form() -> None:
    cards = [ngettext("%(count)s card", "%(count)s cards", n) for n in (1, 2)]
    assert [say(text) for text in cards] == ["1 card", "2 cards"]


def test_a_text_in_a_text_is_said_in_the_same_language_with_the_same_names() -> None:
    inner = _("%(player)s’s ring", player=Seat(0))
    assert say(_("taken: %(what)s", what=inner), ["Alice"]) == "taken: Alice’s ring"


def test_a_text_without_parameters_may_hold_a_per_cent_sign() -> None:
    assert say(Text("100 % water")) == "100 % water"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "a flag and an olive"),
        ("de", "eine Fahne und einen Olivenzweig"),
        ("fr", "un drapeau et une olive"),
    ],
)
def test_the_cards_that_a_player_played_have_articles(language: str, said: str) -> None:
    with translation.override(language):
        assert say(cards_in_sentence([Item.FLAG, Item.OLIVE])) == said


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ("Tue 1 Dec, 12:00", "Wed 2 Dec, 12:00")),
        ("de", ("Di, 1. Dez., 12:00 Uhr", "Mi, 2. Dez., 12:00 Uhr")),
        ("fr", ("mar. 1er déc. à 12:00", "mer. 2 déc. à 12:00")),
    ],
)
def test_french_numbers_the_first_of_a_month_in_words(language: str, said: tuple[str, str]) -> None:
    with time_machine.travel(datetime(2026, 11, 20, tzinfo=UTC)), translation.override(language):
        times = [exact_time(datetime(2026, 12, day, 12, tzinfo=UTC)) for day in (1, 2)]
    assert tuple(time.replace("\xa0", " ") for time in times) == said


def test_words_come_in_the_active_language() -> None:
    with translation.override("de"):
        assert say(Text("Yes")) == "Ja"  # one of Django's own words: there in any case


def test_the_same_moment_is_written_for_each_zone_and_language() -> None:
    noon = datetime(2020, 7, 4, 12, tzinfo=UTC)

    def written(language: str, zone: str) -> str:
        with translation.override(language), timezone.override(zone):
            return exact_time(noon)

    assert written("en", "UTC") == "4 Jul 2020, 12:00"
    assert written("en", "Europe/Berlin") == "4 Jul 2020, 14:00"
    assert written("de", "Europe/Berlin") == "4.\xa0Juli 2020, 14:00\xa0Uhr"
    assert written("fr", "Europe/Berlin") == "4\xa0juil. 2020 à\xa014:00"


SECOND = timedelta(seconds=1)
LENGTHS = [timedelta(seconds=60), timedelta(hours=1), *map(timedelta, (1, 7, 32, 367))]
AGO = {
    "en": "1 minute ago, 1 hour ago, 1 day ago, 1 week ago, 1 month ago, 1 year ago",
    "de": "vor 1 Minute, vor 1 Stunde, vor 1 Tag, vor 1 Woche, vor 1 Monat, vor 1 Jahr",
    "fr": "il y a 1 minute, il y a 1 heure, il y a 1 jour, il y a 1 semaine, il y a 1 mois, il y a 1 an",
}
TWO_AGO = {
    "en": "2 minutes ago, 2 hours ago, 2 days ago, 2 weeks ago, 2 months ago, 2 years ago",
    "de": "vor 2 Minuten, vor 2 Stunden, vor 2 Tagen, vor 2 Wochen, vor 2 Monaten, vor 2 Jahren",
    "fr": "il y a 2 minutes, il y a 2 heures, il y a 2 jours, il y a 2 semaines, il y a 2 mois, "
    "il y a 2 ans",
}
AHEAD = {
    "en": "in 1 minute, in 1 hour, in 1 day, in 1 week, in 1 month, in 1 year",
    "de": "in 1 Minute, in 1 Stunde, in 1 Tag, in 1 Woche, in 1 Monat, in 1 Jahr",
    "fr": "dans 1 minute, dans 1 heure, dans 1 jour, dans 1 semaine, dans 1 mois, dans 1 an",
}
TWO_AHEAD = {
    "en": "in 2 minutes, in 2 hours, in 2 days, in 2 weeks, in 2 months, in 2 years",
    "de": "in 2 Minuten, in 2 Stunden, in 2 Tagen, in 2 Wochen, in 2 Monaten, in 2 Jahren",
    "fr": "dans 2 minutes, dans 2 heures, dans 2 jours, dans 2 semaines, dans 2 mois, dans 2 ans",
}


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_each_unit_of_a_relative_time_has_its_form(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime(2026, 11, 26, 12, tzinfo=UTC)
    monkeypatch.setattr(timezone, "now", lambda: now)

    def said(count: int, sign: int) -> str:
        moments = (now + sign * (count * length + SECOND) for length in LENGTHS)
        return ", ".join(map(relative, moments)).replace("\xa0", " ")

    with translation.override(language):
        assert said(1, -1) == AGO[language]
        assert said(2, -1) == TWO_AGO[language]
        assert said(1, +1) == AHEAD[language]
        assert said(2, +1) == TWO_AHEAD[language]
