"""What decisions, and the subjects of all emails, say reads right in each language."""

from collections.abc import Callable, Iterator
from datetime import datetime
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games.mail import queue, signed_links
from games.mail.compose import MailComposer
from games.mail.kinds.moderation import DECISION_SENTENCES
from games.models import Action, Decision, DecisionText, Game, OutboxMail, User, database_clock
from tests.factories import person, table_of
from tests.support.emails import written
from tests.support.escape_games import escape_table
from tests.support.every_mail import every_row
from tests.support.languages import readable
from tests.support.moderators import moderating
from tests.support.pages import text
from tests.support.translation_style import misfits

pytestmark = pytest.mark.django_db

ALL = ("en", "de", "fr")


def first_of_a_month() -> datetime:
    later = timezone.localtime(database_clock.now()).replace(day=1, hour=12, minute=0)
    return later.replace(year=later.year + 1)


@pytest.fixture
def reader() -> User:
    return person("Ursule", time_zone="Europe/Paris")


def decisions(reader: User, by: User) -> Iterator[Decision]:
    """A decision of each kind about the reader, as it is stored, with an end and without."""
    game = table_of(reader, person("Emil"), name="Ostsee")
    User.objects.filter(pk=reader.pk).update(closes_at=first_of_a_month())
    about = {"by": by, "person": reader, "game": game, "rule": "polite"}
    answered = Decision.objects.create(action=Action.WARN, **about)
    answers = (Action.GRANT, Action.UPHOLD)
    for action in Action:
        message = f"decision {answered.pk}" if action in answers else ""
        for until in (first_of_a_month(), None):
            decision = Decision.objects.create(action=action, until=until, message=message, **about)
            DecisionText.objects.create(decision=decision, text="Insults")
            yield decision


def statement(decision: Decision) -> str:
    """The email about a decision, and the page on which one appeals, in words."""
    person = decision.person
    assert person is not None
    person.refresh_from_db()
    queue.decided(decision, person, {})
    mail = written(OutboxMail.objects.get(dedupe_key=f"decision:{decision.pk}"))
    page = readable(text(Client().get(signed_links.appeal_path(decision, person))))
    return "\n".join((mail["Subject"], mail.text, mail.words, page))


@pytest.mark.parametrize("language", ALL)
def test_each_decision_reads_right(reader: User, ada: User, language: str) -> None:
    made = list(decisions(reader, ada))
    User.objects.update(language=language)
    client = moderating(User.objects.get(pk=ada.pk))
    paths = [reverse("admin:games_decision_change", args=[one.pk]) for one in made]
    paths += [reverse("admin:games_user_conduct", args=[reader.pk])]
    seen = {path: readable(text(client.get(path))) for path in paths}
    told = [one for one in made if one.action in DECISION_SENTENCES]
    seen |= {f"{one.action} {one.until}": statement(one) for one in told}
    found = {name: misfits(unescape(words), language) for name, words in seen.items()}
    assert {name: said for name, said in found.items() if said} == {}


@pytest.mark.parametrize("words", ["Until: for good", "Bis: auf Dauer", "bis –"])
def test_a_value_that_does_not_fit_is_found(words: str) -> None:
    assert misfits(words, "de")


@pytest.mark.parametrize(
    "words", ["Motif: insultes", "le nom de Ursule", "mar. 1 déc.", "5: Bob joue", "que « Emil »"]
)
def test_bad_french_is_found(words: str) -> None:
    assert misfits(words, "fr")


@pytest.mark.parametrize("table", [table_of, escape_table])
def test_each_subject_is_good_french(table: Callable[..., Game], reader: User, bob: User) -> None:
    User.objects.update(language="fr")
    reader.refresh_from_db()
    game = table(reader, bob)
    composer = MailComposer()
    subjects = [str(composer.compose(row, []).subject) for _name, row in every_row(game, reader)]
    assert len(subjects) > 20
    assert [fault for subject in subjects for fault in misfits(subject, "fr")] == []
