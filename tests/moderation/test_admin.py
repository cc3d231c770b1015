"""The moderation pages, as a staff member sees and uses them."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.admin.utils import flatten_fieldsets
from django.contrib.auth.models import Permission
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise

from games import services
from games.log import event_store
from games.models import (
    Action,
    Decision,
    Game,
    InboundMail,
    Invitation,
    MailAddress,
    Message,
    OutboxMail,
    Seat,
    SecondFactor,
    User,
    address_digest,
)
from games.moderation import moderation_site
from tests.factories import person, person_on, table_of
from tests.support.emails import Kind
from tests.support.moderators import act, admin_page, moderate, moderating, reveal
from tests.support.pages import text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_table")]


@pytest.fixture
def moderator(mona: User, client: Client) -> Client:
    """The browser of Mona, who is staff and nothing more."""
    return moderating(mona, client)


def test_a_player_is_not_let_in(alice: User, client: Client, game: Game) -> None:
    client.force_login(alice)
    answer = client.get(reverse("admin:games_game_change", args=[game.pk]))
    assert answer.status_code in (302, 403)


def test_the_list_shows_whose_turn_it_is_and_the_deadline(moderator: Client, game: Game) -> None:
    said = listed(moderator)
    due = game.seats.get(asked_seq__isnull=False).due_at
    assert due is not None
    assert "Alice" in said
    assert due.strftime("%Y-%m-%d %H:%M") in said


def test_the_list_costs_the_same_for_one_table_and_for_many(
    moderator: Client, game: Game, alice: User, bob: User
) -> None:
    with CaptureQueriesContext(connection) as few:
        moderator.get(reverse("admin:games_game_changelist"))
    for _number in range(4):
        table_of(alice, bob)
    with CaptureQueriesContext(connection) as many:
        moderator.get(reverse("admin:games_game_changelist"))
    assert len(many) == len(few)


def test_the_page_of_a_game_shows_the_log_in_words_and_hides_hands_and_deck(
    moderator: Client, game: Game
) -> None:
    said = admin_page(moderator, game)
    dealt = next(e for e in event_store.load(game).entries if e.kind == "dealt")
    assert "The table was created." in said
    assert "&quot;hands&quot;: [null, null]" in said
    assert dealt.seq
    assert bytes(game.seed).hex() not in said


def test_a_bot_that_was_there_first_is_not_called_by_the_name_of_the_host(
    moderator: Client, alice: User
) -> None:
    said = admin_page(moderator, table_of(alice, bots=1))
    assert "Alice joined." in said
    assert "Alice, a bot" not in said


def test_a_language_and_a_zone_are_chosen_not_typed(mona: User, client: Client) -> None:
    mona.is_superuser, mona.time_zone = True, "Etc/GMT-3"
    mona.save()
    moderating(mona, client)
    form = client.get(reverse("admin:games_user_conduct", args=[mona.pk])).content.decode()
    assert '<option value="fr">French</option>' in form
    assert '<option value="Europe/Berlin">Europe/Berlin</option>' in form
    assert '<option value="Etc/GMT-3" selected>' in form, "a browser reported it"


def test_revealing_shows_the_hands_and_is_written_down(moderator: Client, game: Game) -> None:
    said = reveal(moderator, game)
    assert "&quot;hands&quot;: [null, null]" not in said
    assert "This page shows all hidden information" in said
    looked = Decision.objects.get()
    assert (looked.action, looked.reason) == (Action.REVEAL, "A complaint")


def test_a_link_reveals_nothing(moderator: Client, game: Game) -> None:
    answer = moderator.get(reverse("admin:games_game_reveal", args=[game.pk]), follow=True)
    assert "&quot;hands&quot;: [null, null]" in answer.content.decode()
    assert not Decision.objects.exists()


def test_pausing_needs_a_reason(moderator: Client, game: Game) -> None:
    said = moderate(moderator, game, "pause", reason="")
    game.refresh_from_db()
    assert game.status == Game.Status.RUNNING
    assert "This field is required" in said


def test_pausing_and_going_on_leave_events_with_their_reasons(
    moderator: Client, game: Game
) -> None:
    moderate(moderator, game, "pause", reason="Alice is in hospital")
    game.refresh_from_db()
    assert game.status == Game.Status.PAUSED
    said = moderate(moderator, game, "resume", reason="She is back")
    game.refresh_from_db()
    assert game.status == Game.Status.RUNNING
    assert "A moderator paused the game. Reason: Alice is in hospital" in said
    assert "The game was resumed. Reason: She is back" in said


def test_more_time_moves_the_deadline_by_the_days_given(moderator: Client, game: Game) -> None:
    before = game.seats.get(asked_seq__isnull=False).due_at
    moderate(moderator, game, "extend", seat="", days=4, reason="Holidays")
    after = game.seats.get(asked_seq__isnull=False).due_at
    assert before is not None and after is not None
    assert (after - before).days == 4


def test_only_seats_with_a_deadline_are_offered_more_time(moderator: Client, game: Game) -> None:
    form = re.search(
        r'<select name="extend-seat".*?</select>', admin_page(moderator, game), re.DOTALL
    )
    assert form is not None
    assert re.findall(r'value="(\d*)"', form[0]) == ["", str(game.to_act[0])]


def test_where_nobody_has_a_deadline_the_form_for_more_time_says_so(
    moderator: Client, game: Game
) -> None:
    game.seats.update(due_at=None)
    said = admin_page(moderator, game)
    assert "There is no deadline to extend." in said
    assert "extend-seat" not in said


def test_the_bot_plays_one_turn(moderator: Client, game: Game) -> None:
    moderate(moderator, game, "play_bot", seat=0, reason="Alice sleeps")
    game.refresh_from_db()
    assert game.to_act == [1]
    assert not game.seats.get(number=0).is_bot


def test_a_seat_is_offered_to_another_player(
    moderator: Client, game: Game, bob: User, carol: User
) -> None:
    moderate(moderator, game, "hand_seat", seat=1, to="CAROL@example.org", reason="Bob moved house")
    assert "Carol can take seat 2 until " in admin_page(moderator, game)
    assert game.seats.get(number=1).user == bob
    assert Decision.objects.get().person == carol


def test_a_seat_cannot_be_handed_to_an_unknown_address(
    moderator: Client, game: Game, bob: User
) -> None:
    said = moderate(moderator, game, "hand_seat", seat=1, to="nobody@example.org", reason="Try")
    assert "No account uses this email address" in said
    assert game.seats.get(number=1).user == bob


def test_a_seat_is_not_offered_to_somebody_who_plays_already(
    moderator: Client, game: Game, alice: User
) -> None:
    url = reverse("admin:games_game_act", args=[game.pk, "hand_seat"])
    form = {"hand_seat-seat": 1, "hand_seat-to": alice.email, "reason": "Try"}
    said = moderator.post(url, form).content.decode()
    assert "Alice already has a seat in this game." in said
    assert "has two weeks to accept seat" not in said


def test_a_game_is_taken_back_to_the_end_of_a_move(moderator: Client, game: Game) -> None:
    start = event_store.load(game).moves[0][-1].seq
    moderate(moderator, game, "play_bot", seat=0, reason="Alice sleeps")
    said = moderate(moderator, game, "rollback", to_seq=start, reason="She woke up")
    game.refresh_from_db()
    assert game.to_act == [0]
    assert "(undone)" in said


def test_cancelling_ends_the_game_and_notifies_the_players(moderator: Client, game: Game) -> None:
    moderate(moderator, game, "abort", reason="Opened by mistake")
    game.refresh_from_db()
    assert game.status == Game.Status.ABORTED
    emails = OutboxMail.objects.filter(game=game, kind=Kind.OVER)
    assert {mail.to_address for mail in emails} == {"alice@example.org", "bob@example.org"}


def test_what_cannot_be_done_now_is_not_offered(moderator: Client, game: Game) -> None:
    said = admin_page(moderator, game)
    assert reverse("admin:games_game_act", args=[game.pk, "pause"]) in said
    assert reverse("admin:games_game_act", args=[game.pk, "resume"]) not in said


def test_a_dead_email_is_tried_again_and_a_sent_one_is_not(moderator: Client, game: Game) -> None:
    dead, sent = OutboxMail.objects.filter(game=game).order_by("pk")[:2]
    OutboxMail.objects.filter(pk=dead.pk).update(state="dead", error="550 no such user")
    OutboxMail.objects.filter(pk=sent.pk).update(state="sent", sent_at=game.created_at)
    where = reverse("admin:games_outboxmail_changelist")
    assert "550 no such user" in moderator.get(where).content.decode()
    moderator.post(where, {"action": "try_again", "_selected_action": [dead.pk, sent.pk]})
    dead.refresh_from_db()
    sent.refresh_from_db()
    assert (dead.state, sent.state) == ("queued", "sent")


def test_a_moderator_without_all_rights_cannot_make_staff(mona: User, client: Client) -> None:
    mona.user_permissions.set(Permission.objects.filter(codename__in=["view_user", "change_user"]))
    moderating(mona, client)
    act(client, "user", mona.pk, "role", role="administrator", reason="x")
    mona.refresh_from_db()
    assert services.role_of(mona) == services.Role.MODERATOR


def test_an_unkind_note_is_deleted_by_a_moderator(moderator: Client, game: Game) -> None:
    note = Message.objects.create(
        game=game, author=person_on(game, 0), seq=game.version, seat=0, text="You fool"
    )
    act(moderator, "message", note.pk, "delete", reason="Rude")
    assert Message.objects.get().state == Message.State.REMOVED
    assert "You fool" in text(moderator.get(reverse("admin:games_message_changelist")))


# -- the lists -------------------------------------------------------------------------


def listed(moderator: Client, model: str = "game", **query: str) -> str:
    answer = moderator.get(reverse(f"admin:games_{model}_changelist"), query)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize("word", ["Hurry", "bob@example.org", "Bob", "address"])
def test_a_game_is_found_by_its_name_its_url_or_its_players(
    moderator: Client, mona: User, alice: User, bob: User, carol: User, word: str
) -> None:
    """By its players for those who may see people."""
    mona.user_permissions.add(Permission.objects.get(codename="view_user"))
    sought = table_of(alice, bob, name="Hurry up")
    table_of(alice, carol, name="Plenty of time")
    if word == "address":
        word = f"https://games.example.org/g/{sought.public_id}/at/7/"
    said = listed(moderator, q=word)
    assert "Hurry up" in said
    assert "Plenty of time" not in said


def test_a_name_is_not_found_within_the_url_of_another_game(
    moderator: Client, alice: User, carol: User
) -> None:
    other = table_of(alice, carol, name="Plenty of time")
    Game.objects.filter(pk=other.pk).update(public_id="aaabobaaabob")
    assert "Plenty of time" not in listed(moderator, q="Bob")
    assert "Plenty of time" in listed(moderator, q="aaabobaaabob")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"late": "yes"}, {"late"}),
        ({"late": "day"}, {"soon"}),
        ({"status__exact": "gathering"}, {"empty"}),
        ({"kind": "atlantis"}, {"late", "soon", "calm", "empty"}),
        ({"kind": "escape"}, set()),
    ],
)
def test_tables_are_filtered_by_deadline_status_and_game(
    moderator: Client, alice: User, bob: User, query: dict[str, str], found: set[str]
) -> None:
    names = {"late": -1, "soon": 20, "calm": 100}  # hours until the deadline
    for name, hours in names.items():
        game = table_of(alice, bob, name=name)
        due = timezone.now() + timedelta(hours=hours)
        game.seats.filter(asked_seq__isnull=False).update(due_at=due)
    table_of(alice, seats=3, name="empty")
    said = listed(moderator, **query)
    assert {name for name in (*names, "empty") if f">{name}</a>" in said} == found


def test_a_page_of_the_list_reads_no_more_seats_than_it_shows(
    moderator: Client, alice: User, bob: User
) -> None:
    """A thousand tables: nothing is asked about those on other pages."""
    table_of(alice, bob)
    made = {"kind": "atlantis", "seat_count": 2, "seed": b"", "commitment": "", "host": alice}
    over = {"status": Game.Status.FINISHED, "ended_at": timezone.now()}
    games = Game.objects.bulk_create(Game(name=f"No. {n}", **made, **over) for n in range(1_000))
    chairs = (Seat(game=game, number=n, place=n, is_bot=True) for game in games for n in (0, 1))
    Seat.objects.bulk_create(chairs)
    with CaptureQueriesContext(connection) as seen:
        said = listed(moderator)
    assert said.count('class="field-name"') == 50
    page = next(q["sql"] for q in seen.captured_queries if "LIMIT 50" in q["sql"])
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON, TIMING OFF) {page}")
        plan = cursor.fetchone()[0][0]["Plan"]
    assert seats_read(plan) <= 4 * 50


def seats_read(plan: dict[str, Any]) -> float:
    """Return the number of rows of the table of seats that this plan read."""
    here = (
        plan["Actual Rows"] * plan["Actual Loops"]
        if plan.get("Relation Name") == "games_seat"
        else 0
    )
    return here + sum(seats_read(part) for part in plan.get("Plans", ()))


@pytest.mark.parametrize(
    ("language", "heads"),
    [("de", ("Partien", "Spiel", "Status")), ("fr", ("Parties", "jeu", "état"))],
)
def test_lists_and_columns_are_named_in_the_moderators_language(
    moderator: Client, mona: User, game: Game, language: str, heads: tuple[str, ...]
) -> None:
    mona.language = language
    mona.save()
    said = listed(moderator).casefold()
    assert all(f">{head}<".casefold() in said for head in heads)
    assert "select " not in said


@pytest.mark.parametrize(
    "model",
    [Game, OutboxMail, InboundMail, User, Invitation, Message],
    ids=lambda model: model.__name__,
)
def test_every_column_shown_to_moderators_has_a_translated_name(model: type[Model]) -> None:
    model_admin: Any = moderation_site.get_model_admin(model)
    assert isinstance(model._meta.verbose_name_plural, Promise)
    fields = {field.name: field for field in (*model._meta.fields, *model._meta.many_to_many)}
    shown = {
        *model_admin.list_display,
        *(flatten_fieldsets(model_admin.fieldsets or ()) or fields),
    } - {
        "id",
        *(model_admin.get_exclude(None) or ()),
    }
    if model is Game:  # which has a page of its own
        shown = set(model_admin.list_display)
    named = {name for name, field in fields.items() if isinstance(field.verbose_name, Promise)}
    assert not (shown & fields.keys()) - named


def test_what_cannot_be_changed_has_no_button_to_save(moderator: Client, game: Game) -> None:
    mail = OutboxMail.objects.filter(game=game).first()
    assert mail is not None
    page = moderator.get(reverse("admin:games_outboxmail_change", args=[mail.pk])).content.decode()
    assert mail.masked_address in page
    assert "_save" not in page


def test_the_page_of_a_game_shows_who_looked_at_its_secrets(moderator: Client, game: Game) -> None:
    assert "Moderator actions" not in admin_page(moderator, game)
    reveal(moderator, game)
    said = " ".join(admin_page(moderator, game).split())
    assert re.search(
        r"<strong>Mona</strong> <a [^>]*> Reveal hidden information:</a> A compl", said
    )


def test_keys_of_sessions_and_of_second_factors_are_shown_to_nobody(
    mona: User, alice: User, client: Client
) -> None:
    mona.is_superuser = True
    mona.save()
    moderating(mona, client)
    factor = SecondFactor.objects.create(user=alice, type="totp", data={"secret": "JBSWY3DP"})
    shown = client.get(
        reverse("admin:games_secondfactor_change", args=[factor.pk])
    ).content.decode()
    assert "Alice" in shown
    assert "JBSWY3DP" not in shown
    assert client.get("/admin/usersessions/usersession/").status_code == 404


def test_only_a_superuser_takes_a_lost_second_factor_away(
    moderator: Client, mona: User, alice: User
) -> None:
    factor = SecondFactor.objects.create(user=alice, type="totp", data={"secret": "JBSWY3DP"})
    away = reverse("admin:games_secondfactor_act", args=[factor.pk, "delete"])
    assert moderator.post(away, {"reason": "Lost"}).status_code == 403
    mona.is_superuser = True
    mona.save()
    moderating(mona, moderator)  # other rights end the session
    act(moderator, "secondfactor", factor.pk, "delete", reason="Lost")
    assert not SecondFactor.objects.filter(user=alice).exists()


def test_a_superuser_ticks_who_may_see_people(mona: User, alice: User, client: Client) -> None:
    mona.is_superuser = True
    mona.save()
    moderating(mona, client)
    right = Permission.objects.get(codename="view_user")
    form = client.get(reverse("admin:games_user_conduct", args=[alice.pk]))
    assert "view users" in form.content.decode()
    why = {"reason": "Elected"}
    act(client, "user", alice.pk, "role", role="moderator", **why)
    act(client, "user", alice.pk, "permissions", permissions=right.pk, **why)
    new = {"display_name": "Alice", "language": "fr", "time_zone": "UTC"}
    act(client, "user", alice.pk, "edit", **new, **why)
    alice = User.objects.get(pk=alice.pk)
    assert (alice.language, alice.has_perm("games.view_user")) == ("fr", True)
    assert not alice.has_perm("games.change_user")


@pytest.fixture
def may_change_users(mona: User, client: Client) -> Client:
    """The browser of Mona, who may also change users."""
    mona.user_permissions.set(Permission.objects.filter(codename__in=["view_user", "change_user"]))
    return moderating(mona, client)


def user_page(browser: Client, user: User) -> str:
    answer = browser.get(reverse("admin:games_user_change", args=[user.pk]))
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_player_and_their_games_lead_to_each_other(
    may_change_users: Client, alice: User, game: Game
) -> None:
    assert reverse("admin:games_user_change", args=[alice.pk]) in admin_page(may_change_users, game)
    assert reverse("admin:games_game_change", args=[game.pk]) in user_page(may_change_users, alice)


def test_only_who_may_see_users_is_led_to_them(moderator: Client, alice: User, game: Game) -> None:
    assert reverse("admin:games_user_change", args=[alice.pk]) not in admin_page(moderator, game)


def test_the_page_of_a_user_says_what_to_do_about_a_wrong_address(
    may_change_users: Client, alice: User
) -> None:
    said = user_page(may_change_users, alice)
    assert "Nobody can change an address here." in said


@pytest.mark.parametrize(("why", "offered"), [("bounce", True), ("complaint", False)])
def test_emails_that_bounce_are_resumed_and_those_that_are_unwanted_are_not(
    may_change_users: Client, alice: User, why: str, offered: bool
) -> None:
    alice.mail_trouble = f"{why}:{address_digest(alice.email)}"
    alice.save()
    said = user_page(may_change_users, alice)
    assert "Only sign-in codes are sent" in said
    person_page = reverse("admin:games_user_conduct", args=[alice.pk])
    shown = text(may_change_users.get(person_page))
    assert ("Send emails to this address again" in shown) is offered
    act(may_change_users, "user", alice.pk, "emails", reason="Repaired")
    assert (User.objects.get(pk=alice.pk).mail_stopped == "") is offered


def test_all_users_of_a_domain_that_bounced_are_resumed_at_once(
    may_change_users: Client, alice: User, bob: User
) -> None:
    complains = person("Carol")
    elsewhere = User.objects.create_user("dave@elsewhere.example.org")
    for user in (alice, bob, complains, elsewhere):
        why = "complaint" if user == complains else "bounce"
        user.mail_trouble = f"{why}:{address_digest(user.email)}"
        user.save()
        MailAddress.objects.create(
            digest=address_digest(user.email), stopped=why, stopped_at=timezone.now()
        )
    act(may_change_users, "user", alice.pk, "domain", reason="Repaired")
    stopped = {user for user in User.objects.all() if user.mail_stopped}
    assert stopped == {complains, elsewhere}
    assert MailAddress.objects.exclude(stopped="").count() == 2


def test_people_are_for_those_with_the_right_to_see_them(moderator: Client) -> None:
    assert moderator.get(reverse("admin:games_user_changelist")).status_code == 403


def test_every_list_opens(moderator: Client, game: Game) -> None:
    for model in ("game", "outboxmail", "invitation", "message"):
        assert moderator.get(reverse(f"admin:games_{model}_changelist")).status_code == 200


# -- where a page is, and lists without rows ---------------------------------------------------


def crumbs(page: str) -> str:
    """The words above a page of the admin that say where it is."""
    (found,) = re.findall(r'<div class="breadcrumbs">(.*?)</div>', page, re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", "", unescape(found)).split())


def test_every_page_says_in_the_same_way_where_it_is(game: Game, mona: User, alice: User) -> None:
    note = Message.objects.create(
        game=game, author=alice, seq=game.version, seat=1, text="Good luck"
    )
    mona.is_superuser = True
    mona.save()
    client = moderating(mona)
    name = game.name
    for path, expected in {
        "": "Games, users and emails",
        "game/": "Games",
        f"game/{game.pk}/change/": f"Games › {name}",
        "inboundmail/": "Incoming emails",
        f"user/{alice.pk}/change/": f"Users › {alice}",
        f"message/{note.pk}/act/delete/": f"Messages › {note}",
    }.items():
        page = client.get(f"/admin/games/{path}").content.decode()
        assert crumbs(page).startswith(f"Moderation › {expected}"), path


def test_without_a_refusal_of_the_mail_server_its_list_says_so(mona: User) -> None:
    page = moderating(mona).get("/admin/games/mailtransport/").content.decode()
    assert "Emails are being sent; there is nothing to try." in page
    assert "0 mail server" not in page
