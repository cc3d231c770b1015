"""Reports in the admin: one row for each person, closed together, and not shown to those whom they
concern."""

import re

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from games import selectors, services
from games.models import Action, Decision, Game, OutboxMail, Report, User
from games.services import NotAllowed
from tests.factories import given_up, person, table_of
from tests.support.emails import Kind
from tests.support.moderators import act, moderating
from tests.support.pages import text

pytestmark = pytest.mark.django_db

LIST = reverse("admin:games_report_changelist")
WORDS = "He calls everybody a donkey."


def page(report: Report) -> str:
    return reverse("admin:games_report_change", args=[report.pk])


def report(game: Game, user: User, other: User, words: str = WORDS) -> Report:
    seen = selectors.game_for(user, game.public_id)
    return services.conduct_report(game=seen, user=user, person=other, text=words)


def close(client: Client, report: Report, *keys: int, **form: str) -> str:
    path = reverse("admin:games_report_close", args=[report.pk])
    filled = {"keys": keys or [report.pk], "outcome": "acted", "note": "He did", **form}
    return text(client.post(path, filled, follow=True))


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
    shown = text(client.get(page(last)))
    keys = [int(key) for key in re.findall(r'name="keys" value="(\d+)"\s+checked', shown)]
    assert len(keys) == 20
    close(client, last, *keys)
    assert not Report.objects.filter(outcome="").exists()
    assert rows_in(text(client.get(LIST))) == 0
    assert rows_in(text(client.get(f"{LIST}?state=closed"))) == 1
    assert "closed (1)" in text(client.get(f"{LIST}?_facets=True"))
    answered = OutboxMail.objects.filter(kind=Kind.REPORT, context__outcome="acted")
    assert answered.values("user").distinct().count() == 10
    decision = Decision.objects.get()
    assert (decision.action, decision.by, decision.person) == (Action.CLOSE_REPORTS, mona, None)


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


def test_a_message_is_removed_from_there(alice: User, bob: User, mona: User) -> None:
    game = table_of(alice, bob)
    message = services.message_write(game_id=game.pk, user=bob, text="You donkey")
    seen = selectors.game_for(alice, game.public_id)
    made = services.message_report(game=seen, user=alice, key=message.pk, text=WORDS)
    client, remove = (
        moderating(mona),
        reverse("admin:games_message_act", args=[message.pk, "delete"]),
    )
    assert remove in text(client.get(page(made)))
    done = act(
        client, "message", message.pk, "delete", reason="Rude", rule="polite", next=page(made)
    )
    assert "Reports about Bob" in done, "it leads back to where one came from"
    assert Decision.objects.get().reported
    assert remove not in text(client.get(page(made)))
    assert "You donkey" in text(client.get(page(made)))


def test_a_form_that_is_incomplete_keeps_what_was_typed(alice: User, bob: User, mona: User) -> None:
    made, other = report(table_of(alice, bob), alice, bob), report(table_of(alice, bob), alice, bob)
    client = moderating(mona)
    shown = close(client, made, outcome="")
    assert "He did" in shown
    assert re.findall(r'name="keys" value="(\d+)"\s+checked', shown) == [str(made.pk)]
    assert not Report.objects.exclude(outcome="").exists()
    close(client, made)
    assert Report.objects.get(outcome="") == other


def test_the_second_moderator_learns_that_it_is_closed(alice: User, bob: User, mona: User) -> None:
    made, later = report(table_of(alice, bob), alice, bob), report(table_of(alice, bob), alice, bob)
    services.reports_close(keys=[made.pk], by=mona, outcome="allowed", note="Harmless")
    client = moderating(person("Mina", is_staff=True))
    assert "Select a valid choice" in close(client, later, made.pk)
    assert Report.objects.get(pk=made.pk).outcome == "allowed"


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
    path = reverse("admin:games_report_close", args=[made.pk])
    assert client.post(path, {"keys": [made.pk]}).status_code == 404
    with pytest.raises(services.ServiceError):
        services.reports_close(keys=[made.pk], by=mona, outcome="acted", note="x")
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
            services.reports_close(keys=[made.pk], by=by, outcome="acted", note="x")
