"""Reports in the admin: one row for each person, closed together, and not shown to those whom they
concern."""

import re
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games import selectors, services
from games.models import Action, Decision, Game, Message, OutboxMail, Report, User
from games.services import NotAllowed
from games.templatetags.when import zoned
from tests.factories import given_up, person, table_of
from tests.support.emails import Kind
from tests.support.moderators import act, confirm, moderating, press
from tests.support.pages import text

pytestmark = pytest.mark.django_db

LIST = reverse("admin:games_report_changelist")
WORDS = "He calls everybody a donkey."


def page(report: Report) -> str:
    return reverse("admin:games_report_change", args=[report.pk])


def report(game: Game, user: User, other: User, words: str = WORDS) -> Report:
    seen = selectors.game_for(user, game.public_id)
    return services.conduct_report(game=seen, user=user, person=other, text=words)


def judge(client: Client, report: Report, outcome: str = "allowed", **fields: object) -> str:
    """Answer this report and do what the other fields say; the page that follows."""
    filled = {"reason": "He did", f"answer_{report.pk}": outcome, **fields}
    return act(client, "report", report.pk, "judge", **filled)


def rows_in(listed: str) -> int:
    return len(re.findall(r"<tr><t[hd]", listed.split("<tbody>")[1])) if "<tbody>" in listed else 0


def test_twenty_reports_about_one_person_are_one_row_and_closed_at_once(
    bob: User, mona: User
) -> None:
    for number in range(10):
        friend = person(f"Friend{number}")
        game = table_of(friend, bob)
        services.name_report(user=friend, person=bob, text="It is rude.")
        last = report(game, friend, bob)
    client = moderating(mona)
    listed = text(client.get(LIST))
    assert rows_in(listed) == 1
    assert '<td class="field-reporters_count">10</td>' in listed
    keys = re.findall(r'name="judge-answer_(\d+)"', text(client.get(page(last))))
    assert len(keys) == 20
    answers = {f"answer_{key}": "acted" for key in keys}
    judge(client, last, "acted", measure="warn", **answers)
    assert not Report.objects.filter(outcome="").exists()
    assert rows_in(text(client.get(LIST))) == 0
    assert rows_in(text(client.get(f"{LIST}?state=closed"))) == 1
    assert "closed (1)" in text(client.get(f"{LIST}?_facets=True"))
    answered = OutboxMail.objects.filter(kind=Kind.REPORT, context__outcome="acted")
    assert answered.values("user").distinct().count() == 10
    decision = Decision.objects.get(action=Action.CLOSE_REPORTS)
    assert (decision.by, decision.person) == (mona, None)


def test_the_page_says_who_reported_what_and_leads_to_the_forms_that_settle_it(
    alice: User, bob: User, mona: User, ada: User
) -> None:
    game = table_of(alice, bob)
    message = services.message_write(game_id=game.pk, user=bob, text="You donkey")
    services.message_write(game_id=game.pk, user=alice, text="You ass")
    seen = selectors.game_for(alice, game.public_id)
    made = services.message_report(game=seen, user=alice, key=message.pk, text=WORDS)
    services.message_delete(game_id=game.pk, user=bob, key=message.pk)
    shown = text(moderating(mona).get(page(made)))
    for words in ("You donkey", WORDS, "Alice", reverse("admin:games_game_change", args=[game.pk])):
        assert words in shown
    assert reverse("admin:games_user_change", args=[bob.pk]) not in shown
    assert "has been reported, too" not in shown
    report(game, bob, alice)
    shown = text(moderating(ada).get(page(made)))
    assert reverse("admin:games_user_change", args=[bob.pk]) in shown
    assert "has been reported, too" in shown


def test_the_page_of_a_report_shows_when_the_message_was_written_and_leads_to_it(
    reported: Report, mona: User, bob: User
) -> None:
    client = moderating(mona)
    message = Message.objects.get()
    shown = text(client.get(page(reported)))
    for words in (
        "You donkey",
        zoned(message.at),
        reverse("admin:games_message_change", args=[message.pk]),
        reverse("admin:games_game_change", args=[message.game_id]),
        reverse("admin:games_user_conduct", args=[bob.pk]),
    ):
        assert words in shown


def test_the_page_of_a_report_says_until_when_its_person_is_restricted(
    reported: Report, mona: User, bob: User
) -> None:
    client = moderating(mona)
    until = timezone.localtime() + timedelta(days=4)
    services.moderate_close_talk(user=bob, until=until, ruling=services.Ruling(mona, "Rude"))
    shown = text(client.get(page(reported)))
    assert f"May write messages again: {zoned(until)}" in " ".join(shown.split())
    assert f"(Ends: {zoned(until)})" in " ".join(shown.split()), "of the decision"


def test_a_ban_that_was_overturned_is_shown_as_such(
    reported: Report, mona: User, bob: User
) -> None:
    ban = services.moderate_close_talk(
        user=bob,
        until=timezone.localtime() + timedelta(days=4),
        ruling=services.Ruling(mona, "Rude"),
    )
    made = services.appeal_make(decision_id=ban.pk, text="I quoted Alice.")
    other = person("Mina", is_staff=True)
    ruling = services.Ruling(other, "So he did")
    services.appeal_answer(appeal_id=made.pk, ruling=ruling, lifts=True)
    shown = text(moderating(mona).get(page(reported)))
    assert "(overturned)" in shown
    assert "(Ends:" not in shown


@pytest.fixture
def reported(alice: User, bob: User) -> Report:
    """A message of Bob's, reported by Alice."""
    game = table_of(alice, bob)
    message = services.message_write(game_id=game.pk, user=bob, text="You donkey")
    seen = selectors.game_for(alice, game.public_id)
    return services.message_report(game=seen, user=alice, key=message.pk, text=WORDS)


def test_one_form_removes_closes_messages_and_answers(
    reported: Report, alice: User, bob: User, mona: User
) -> None:
    until = timezone.localdate() + timedelta(days=4)
    form = {f"remove_{reported.message}": "on", "measure": "close_talk", "until": until.isoformat()}
    judge(moderating(mona), reported, "acted", rule="polite", **form)
    actions = Decision.objects.order_by("pk").values_list("action", flat=True)
    assert list(actions) == [Action.CLOSE_TALK, Action.REMOVE_MESSAGE, Action.CLOSE_REPORTS]
    assert Message.objects.get().state == Message.State.REMOVED
    assert not User.objects.get(pk=bob.pk).may_talk
    assert Report.objects.get().outcome == "acted"
    told = OutboxMail.objects.filter(kind=Kind.DECISION).values_list("user", flat=True)
    assert list(told) == [bob.pk, bob.pk]


def test_the_page_that_asks_changes_nothing(reported: Report, mona: User) -> None:
    form = {f"answer_{reported.pk}": "acted", f"remove_{reported.message}": "on"}
    said = press(
        moderating(mona), "report", reported.pk, "judge", reason="Rude", measure="warn", **form
    )
    for words in ("Bob is warned by email.", "“You donkey”", "We have acted on your report."):
        assert words in said
    assert not Decision.objects.exists()
    assert Message.objects.get().state == Message.State.SHOWN


def test_nobody_reads_that_we_acted_where_nothing_was_done(
    reported: Report, alice: User, bob: User, mona: User
) -> None:
    other = services.name_report(user=alice, person=bob, text="It is rude.")
    form = {f"answer_{other.pk}": "acted", f"remove_{reported.message}": "on"}
    client = moderating(mona)
    said = judge(client, reported, "acted", **form)
    assert "nothing has been done about this" in said
    assert "He did" in said, "nothing that was typed is lost"
    assert not Report.objects.exclude(outcome="").exists()
    judge(client, reported, "acted", **{**form, f"answer_{other.pk}": ""})
    assert list(Report.objects.values_list("outcome", flat=True)) == ["", "acted"]


def test_a_report_about_an_act_at_the_table_was_acted_on_there(
    alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob)
    made = report(game, alice, bob)
    services.moderate_extend(game_id=game.pk, days=2, ruling=services.Ruling(mona, "Fair"))
    judge(moderating(mona), made, "acted")
    assert Report.objects.get().outcome == "acted"


def test_a_form_without_a_reason_keeps_what_was_typed(reported: Report, mona: User) -> None:
    shown = judge(moderating(mona), reported, reason="", measure="suspend")
    assert "This field is required" in shown
    assert re.search(r'value="suspend"[^>]* checked', shown)
    assert not Report.objects.exclude(outcome="").exists()


def test_the_second_moderator_learns_that_it_is_closed(alice: User, bob: User, mona: User) -> None:
    made = report(table_of(alice, bob), alice, bob)
    client = moderating(person("Mina", is_staff=True))
    said = press(client, "report", made.pk, "judge", reason="x", **{f"answer_{made.pk}": "unclear"})
    services.reports_close(outcomes={made.pk: "allowed"}, ruling=services.Ruling(mona, "Harmless"))
    fields = {"reason": "x", f"answer_{made.pk}": "unclear"}
    assert "allowed" not in confirm(client, "report", made.pk, "judge", said, **fields)
    assert Report.objects.get(pk=made.pk).outcome == "allowed"


def test_the_lists_of_a_table_leave_out_what_happened_at_others(
    alice: User, bob: User, mona: User
) -> None:
    client, games = moderating(mona), (table_of(alice, bob), table_of(alice, bob))
    for game, words in zip(games, ("Sunny", "Rainy"), strict=True):
        services.message_write(game_id=game.pk, user=bob, text=words)
        report(game, alice, bob, words)
    for kind in ("message", "report"):
        path = reverse(f"admin:games_{kind}_changelist")
        listed = text(client.get(f"{path}?table={games[0].pk}"))
        assert ("Sunny" in listed, "Rainy" in listed) == (True, False), kind
        assert rows_in(text(client.get(f"{path}?table=x"))) == 0


# -- to whom they are not shown ------------------------------------------------------------------


@pytest.mark.parametrize("why", ["it is about them", "they made it", "they play there"])
def test_a_moderator_who_is_concerned_sees_and_closes_no_report(
    alice: User, bob: User, mona: User, why: str
) -> None:
    match why:
        case "it is about them":
            made = report(given_up(alice, mona), alice, mona)
        case "they made it":
            made = report(given_up(mona, bob), mona, bob)
        case _:
            made = report(table_of(alice, bob, mona), alice, bob)
    client = moderating(mona)
    assert rows_in(text(client.get(LIST))) == 0
    assert client.get(page(made)).status_code == 404
    path = reverse("admin:games_report_act", args=[made.pk, "judge"])
    assert client.post(path, {"reason": "x"}).status_code == 404
    with pytest.raises(services.ServiceError):
        services.reports_close(outcomes={made.pk: "acted"}, ruling=services.Ruling(mona, "x"))
    other = moderating(person("Mina", is_staff=True))
    assert rows_in(text(other.get(LIST))) == 1


def test_a_report_about_the_name_of_an_opponent_waits_for_another_moderator(
    alice: User, bob: User, mona: User
) -> None:
    table_of(bob, mona)
    made = services.name_report(user=alice, person=bob, text="It is rude.")
    assert moderating(mona).get(page(made)).status_code == 404


def test_a_moderator_who_is_reported_sees_the_same_pages_of_the_admin(
    alice: User, mona: User
) -> None:
    game = given_up(alice, mona)

    def pages(*, reported: bool) -> dict[str, str]:
        with transaction.atomic(), connection.cursor() as cursor:
            if reported:
                report(game, alice, mona)
            cursor.execute("SELECT setval('games_outboxmail_id_seq', 1000)")
            client = moderating(mona)
            urls = [LIST, f"{LIST}?q=donkey", f"{LIST}?state=closed", "/admin/"]
            names = ("outboxmail", "decision", "inboundmail", "quotause", "message")
            urls += [reverse(f"admin:games_{name}_changelist") for name in names]
            urls += [reverse("admin:games_outboxmail_changelist") + "?kind=report"]
            urls += [reverse("admin:games_game_change", args=[game.pk])]
            keys = r'(name="csrfmiddlewaretoken" value|nonce)="[^"]*"'
            found = {url: re.sub(keys, "", text(client.get(url))) for url in urls}
            transaction.set_rollback(True)
        return found

    after, before = pages(reported=True), pages(reported=False)
    for url in before:
        assert after[url].splitlines() == before[url].splitlines(), url


def test_players_and_staff_without_the_right_close_nothing(
    alice: User, bob: User, dave: User
) -> None:
    made = report(table_of(alice, bob), alice, bob)
    dave.is_staff = True
    dave.save()
    assert moderating(dave).get(page(made)).status_code == 403
    for by in (alice, dave):
        with pytest.raises(NotAllowed):
            services.reports_close(outcomes={made.pk: "acted"}, ruling=services.Ruling(by, "x"))
