"""Appeals by reply to the email about a decision, in three languages; never by accident."""

import pytest

from games import services
from games.inbound import intake
from games.mail import relevance
from games.mail.reply_addresses import appeal_address
from games.models import FOR_GOOD, Appeal, Decision, InboundMail, OutboxMail, User
from tests.factories import fresh, log_of, play_turns, table_of
from tests.support import quoting
from tests.support.emails import Kind, Read, reply_to, written
from tests.support.replies import (
    PASS,
    Outcome,
    arrive,
    line_of,
    reply_email,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("replies")]

WHY = "Ich habe nur Bob zitiert. Das war so gemeint."
LANGUAGES = pytest.mark.parametrize("language", ["en", "de", "fr"])


@pytest.fixture
def decision(alice: User, mona: User) -> Decision:
    """Alice is suspended for good; nothing else happens to her."""
    mona.is_superuser = True
    return services.moderate_suspend(
        user=alice,
        until=None,
        ruling=services.Ruling(mona, "Insults at three tables", rule="polite"),
    )


def statement(decision: Decision) -> Read:
    return written(OutboxMail.objects.get(dedupe_key=f"decision:{decision.pk}"))


def write(decision: Decision, words: str, **more: str | None) -> InboundMail:
    """Answer the statement with these words."""
    to = reply_to(statement(decision))
    sender = more.pop("sender", None) or "alice@example.org"
    return arrive(reply_email(words, to, sender, **more), to)  # type: ignore[arg-type]


def answers() -> list[OutboxMail]:
    return list(OutboxMail.objects.filter(kind=Kind.APPEAL).order_by("pk"))


# -- by email alone --------------------------------------------------------------------------


@LANGUAGES
def test_from_the_statement_to_the_outcome_by_email_alone(
    alice: User, mona: User, ada: User, language: str
) -> None:
    alice.language = language
    alice.save()
    mona.is_superuser = True
    decision = services.moderate_suspend(
        user=alice, until=None, ruling=services.Ruling(mona, "Insults")
    )
    mail = write(decision, WHY, message_id="<appeal-1@mail.example.org>")
    assert mail.outcome == Outcome.ORDERED
    appeal = Appeal.objects.get()
    assert (appeal.decision, appeal.text) == (decision, WHY)
    (received,) = answers()
    said = {"en": "has been received", "de": "ist angekommen", "fr": "est bien arrivé"}[language]
    assert said in " ".join(written(received).text.split())
    assert written(received)["In-Reply-To"] == "<appeal-1@mail.example.org>"
    assert not relevance.check_before_send(received).drop
    services.appeal_answer(
        appeal_id=appeal.pk, lifts=True, ruling=services.Ruling(ada, "Bob began")
    )
    outcome = written(OutboxMail.objects.filter(kind=Kind.DECISION).latest("pk"))
    assert outcome["In-Reply-To"] == "<appeal-1@mail.example.org>"
    assert "Bob began" in outcome.text
    assert User.objects.get(pk=alice.pk).is_active


def test_an_appeal_of_several_lines_is_kept_whole(decision: Decision) -> None:
    write(decision, "I quoted Bob.\n\nHe wrote that first,\nat another table.")
    assert Appeal.objects.get().text == "I quoted Bob.\n\nHe wrote that first,\nat another table."


def test_the_text_of_an_appeal_is_not_stored_with_the_email_that_was_read(
    decision: Decision,
) -> None:
    mail = write(decision, WHY)
    assert (mail.line, mail.letter) == ("", None)


def test_an_appeal_never_becomes_a_move(alice: User, bob: User, mona: User) -> None:
    game = play_turns(table_of(alice, bob), 2)
    decision = services.moderate_warn(user=alice, ruling=services.Ruling(mona, "Insults"))
    line, before = line_of(game), log_of(game).version
    assert write(decision, line).outcome == Outcome.UNCLEAR
    assert fresh(game).version == before
    assert not Appeal.objects.exists()


# -- refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "Thanks, I won’t do that again.",
        "Understood, I will not write such things again.",
        "Ok, no problem, I accept.",
        "I have no complaint, you are right.",
        "Danke, ich mache das nicht mehr.",
        "Verstanden, ich werde das nicht wieder tun.",
        "Das wird nicht mehr vorkommen, versprochen.",
        "Kein Problem, danke für den Hinweis.",
        "Ich habe keine Einwände.",
        "Merci, c’est noté, je ne recommencerai pas.",
        "Je ne le ferai plus.",
        "Pas de souci, merci de m’avoir prévenue.",
        "Je n’ai pas d’objection.",
    ],
)
def test_a_promise_uses_up_no_appeal(decision: Decision, words: str) -> None:
    assert write(decision, words).outcome == Outcome.UNCLEAR
    assert not Appeal.objects.exists()


@pytest.mark.parametrize(
    "words",
    [
        "I will not accept this.",
        "No problem, but I did not write that.",
        "Ich nehme das nicht hin.",
        "Ich habe das nicht mehr geschrieben, nachdem Bob gefragt hat.",
        "Je n’ai insulté personne.",
        "Pas de souci, mais ce n’était pas moi.",
    ],
)
def test_a_contradiction_is_an_appeal(decision: Decision, words: str) -> None:
    assert write(decision, words).outcome == Outcome.ORDERED


def test_a_second_appeal_is_refused_and_answered(decision: Decision) -> None:
    write(decision, WHY)
    assert write(decision, "I say it once more: I quoted Bob").outcome == Outcome.REFUSED
    assert Appeal.objects.get().text == WHY
    said = " ".join(written(answers()[-1]).text.split())
    assert "already" in said and "Nobody will read the email that you sent." in said


def test_a_forged_sender_makes_no_appeal_and_the_person_is_led_to_the_page(
    decision: Decision,
) -> None:
    forged = PASS.replace("dmarc=pass", "dmarc=fail")
    assert write(decision, WHY, results=forged).outcome == Outcome.CONFIRM
    assert not Appeal.objects.exists()
    (row,) = answers()
    assert row.to_address == "alice@example.org"
    assert "/appeal/" in written(row).text


@pytest.mark.parametrize("sender", ["mallory@example.net", "bob@example.org"])
def test_the_email_of_somebody_else_is_left_alone(
    decision: Decision, bob: User, sender: str
) -> None:
    assert write(decision, WHY, sender=sender).outcome == Outcome.STRANGER
    assert not Appeal.objects.exists()
    assert answers() == []


def test_an_address_that_the_account_no_longer_has_makes_no_appeal(
    decision: Decision, alice: User
) -> None:
    User.objects.filter(pk=alice.pk).update(email="new@example.org")
    assert write(decision, WHY).outcome == Outcome.STRANGER
    assert not Appeal.objects.exists()


def test_after_the_account_is_gone_nobody_appeals(decision: Decision, alice: User) -> None:
    to = reply_to(statement(decision))
    User.objects.filter(pk=alice.pk).delete()
    assert arrive(reply_email(WHY, to, "alice@example.org"), to).outcome == Outcome.GONE


def test_a_forged_address_is_none_of_ours(decision: Decision) -> None:
    address = appeal_address(decision.pk)
    assert address is not None
    forged = address.replace(f"a{decision.pk}.", f"a{decision.pk + 1}.")
    assert intake.is_ours(address)
    assert not intake.is_ours(forged)


def test_an_email_that_cannot_be_read_is_answered_with_the_page(decision: Decision) -> None:
    armoured = "-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----"
    assert write(decision, armoured).outcome == Outcome.UNCLEAR
    assert "/appeal/" in written(answers()[0]).text
    assert not Appeal.objects.exists()


# -- by accident -----------------------------------------------------------------------------


@pytest.mark.parametrize("style", quoting.STYLES)
@LANGUAGES
def test_quoting_the_statement_without_a_word_is_no_appeal(
    decision: Decision, alice: User, style: str, language: str
) -> None:
    alice.language = language
    alice.save()
    mail = statement(decision)
    raw = PASS.encode() + b"\n" + quoting.reply(mail, style)
    row = arrive(raw, reply_to(mail))
    assert row.outcome == Outcome.UNCLEAR
    assert not Appeal.objects.exists()


@pytest.mark.parametrize("style", quoting.STYLES)
def test_of_a_quoted_statement_only_the_own_words_are_the_appeal(
    decision: Decision, style: str
) -> None:
    mail = statement(decision)
    arrive(PASS.encode() + b"\n" + quoting.reply(mail, style, WHY), reply_to(mail))
    assert Appeal.objects.get().text == WHY


AUTOMATIC = (
    "Auto-Submitted: auto-replied",
    "Auto-Submitted: auto-generated (vacation)",
    "X-Autoreply: yes",
    "X-Autorespond: Re",
    "X-Autoresponder: 1",
    "X-Mail-Autoreply: yes",
    "X-Auto-Reply: 1",
    "X-Vacation: 1",
    "X-FC-MachineGenerated: true",
    "X-Zarafa-Vacation: yes",
    "Precedence: auto-reply",
    "Precedence: bulk",
    "Precedence: junk",
    "Preference: auto",
    "X-Precedence: auto_reply",
    "X-Loop: alice@example.org",
    "Delivered-To: Autoresponder",
    "X-Failed-Recipients: bob@example.org",
    "X-Auto-Response-Suppress: All",
    "List-Id: <friends.example.net>",
    "Return-Path: <>",
)


@pytest.mark.parametrize("head", AUTOMATIC)
def test_an_automatic_reply_is_no_appeal_and_is_not_answered(decision: Decision, head: str) -> None:
    assert write(decision, "I am away until Monday.", head=head).outcome in (
        Outcome.AUTO,
        Outcome.BOUNCE,
    )
    assert not Appeal.objects.exists()
    assert answers() == []


def test_a_reaction_is_no_appeal(decision: Decision) -> None:
    assert write(decision, "Alice reacted to your message: 👍").outcome == Outcome.REACTION
    assert not Appeal.objects.exists()


def test_a_suspended_person_cannot_use_the_address_for_anything_else(
    decision: Decision, alice: User
) -> None:
    assert User.objects.get(pk=alice.pk).suspended_until == FOR_GOOD
    assert write(decision, "emails off").outcome == Outcome.UNCLEAR
    assert not Appeal.objects.exists()
