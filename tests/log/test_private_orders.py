"""An order that a seat leaves in advance leaves no trace for anybody else.

Each test compares two worlds, one in which the order was left and one in which it was not.
"""

import re
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from games import selectors, services
from games.log import stored_rows
from games.mail.compose import MailComposer
from games.management.commands.verify import verify_game
from games.models import Game, Message, OutboxMail, Seat, User
from games.rules import GAMES
from games.rules.chance import order_chance
from games.rules.escape.model import DEFENCES, DefenceStage
from games.services import GameMoved, QuotaExceeded, ServiceError
from games.services.locked_game import LockedGame
from games.web.players import player_key
from tests.factories import (
    fresh,
    log_of,
    miss_deadline,
    people_of,
    person_on,
    play_one,
    play_turns,
    table_of,
)
from tests.fixtures.clock import still
from tests.rules.atlantis.planning import lines_of
from tests.support.atlantis_plans import dear, plan_of, send
from tests.support.escape_differing_secrets import (
    OTHER_BACK,
    assert_indistinguishable,
    both_parts,
    headers_and_page,
    last_mail,
)
from tests.support.escape_games import attacked, escape_table, game_with, play_line
from tests.support.lengths import by_length
from tests.support.moderators import moderating
from tests.support.pages import signed_in, text
from tests.support.rolled_back import rolled_back

pytestmark = pytest.mark.django_db
ESCAPE = GAMES["escape"]

BEGINNING = datetime(2027, 1, 2, 3, 4, 5, tzinfo=UTC)
LATER, LATEST = BEGINNING + timedelta(hours=1), BEGINNING + timedelta(hours=2)


def seen(game: Game, users: list[User], position: int) -> dict[str, Any]:
    """All that these people can get to see, and all rows about the game but the orders."""
    found: dict[str, Any] = {
        "game": Game.objects.filter(pk=game.pk).values().get(),
        "seats": list(Seat.objects.filter(game=game).order_by("number").values()),
        "notes": list(Message.objects.values("seq", "text")),
    }
    for user in users:
        for query in ("", f"at/{position}/"):
            headers, page = headers_and_page(game, user, query)
            found[f"page {query} of {user.email}"] = (headers, page, len(page))
        found[f"steps of {user.email}"] = selectors.table_page(_loaded(game, user), user).steps
        lists = selectors.home(user)
        found[f"lists of {user.email}"] = [
            [row.game.name for row in rows] for rows in (lists.waiting, lists.others)
        ]
        found[f"data of {user.email}"] = selectors.personal_data(user)
        rows = OutboxMail.objects.filter(user=user).order_by("dedupe_key")
        found[f"emails to {user.email}"] = [mail_of(row) for row in rows]
    return found


def _loaded(game: Game, user: User) -> Game:
    return selectors.game_for(user, game.public_id)


def undo(game: Game, user: User) -> None:
    """This player takes back their last step."""
    with transaction.atomic():
        services.step_undo_locked(LockedGame(game.pk), user)


def mail_of(row: OutboxMail) -> tuple[Any, ...]:
    """Return the content of an email without its number, which is random."""
    mail = MailComposer().compose(row)
    parts = (mail.subject, mail.body, mail.alternatives[0][0])
    fields = (row.kind, row.seat, row.seq, row.dedupe_key, row.context, row.next_try_at)
    return (*fields, *parts, len(mail.attachments))


ORDERS = {
    "a plan": ("plan coast",),
    "wishes": ("plan 6 E5, 5 E6", "plan 4 E5"),
    "an order for attacks": ("standing shark always",),
    "much": ("plan coast", "standing shark from 2", "standing whale never", "plan none"),
}


SOME = by_length(("wishes", "much"), tuple(ORDERS))


@pytest.mark.long
@pytest.mark.parametrize("lines", [ORDERS[name] for name in SOME], ids=SOME)
def test_nobody_notices_that_an_order_was_left(
    alice: User, bob: User, carol: User, dave: User, lines: tuple[str, ...]
) -> None:
    worlds = []
    with still(BEGINNING):
        game = escape_table(alice, bob, carol)
        escape_table(alice, carol)
    for orders in ((), lines):
        with rolled_back():
            with still(LATER):
                for line in orders:
                    play_line(game, bob, line)
            with still(LATEST):
                worlds.append(seen(game, [alice, carol, dave], game.version))
    without, left = worlds
    assert {name for name in without if without[name] != left[name]} == set()


def test_nobody_notices_it_after_the_next_move_either(
    alice: User, bob: User, carol: User, dave: User
) -> None:
    """The emails of that move are the same, and so is its luck."""
    worlds = []
    with still(BEGINNING):
        game = escape_table(alice, bob, carol)
    for orders in ((), ("standing whale always", "standing shark never")):
        with rolled_back():
            with still(LATER):
                for line in orders:
                    play_line(game, carol, line)
            with still(LATEST):
                play_line(game, alice, "place 6 E5")
                worlds.append(seen(game, [alice, bob, dave], game.version))
                worlds[-1]["log"] = [entry.event for entry in log_of(game).entries]
    without, left = worlds
    assert {name for name in without if without[name] != left[name]} == set()


PLANS = {
    "a plan": ("plan {move}",),
    "a plan that is taken back": ("plan {move}", "no plan"),
    "three lines": ("plan {move}, even so, at most 9 / {move}, anywhere / {move}, at most 0",),
}
PATHS = ("version", "board.svg", "board.png", "record.jsonl")
ADMIN = ("game", "user", "outboxmail", "inboundmail", "quotause", "decision")


def _shown(client: Client, path: str) -> tuple[int, str | bytes]:
    """What this browser gets, without what is random in each answer."""
    answer = client.get(path)
    once = re.compile(
        rb'nonce[="-][^ "]*"?|name="csrfmiddlewaretoken" value="[^"]*"|DTSTAMP:\w+'
        rb'|outboxmail/\d+|_selected_action" value="\d+'  # keys go on counting in the next world
    )
    return answer.status_code, once.sub(b"", answer.content)


def all_seen(game: Game, users: list[User], feeds: list[str], staff: User) -> dict[str, Any]:
    """`seen`, with all other pages, feeds and files of these people, and what a moderator who does
    not play finds about the game."""
    found = seen(game, users, game.version)
    for user in users:
        client = signed_in(user)
        for path in ("/", "/stamp", "/tables/", *(f"/g/{game.public_id}/{name}" for name in PATHS)):
            found[f"{path} of {user.email}"] = _shown(client, path)
        for other in people_of(game).values():
            found[f"{other} for {user.email}"] = _shown(
                client, reverse("player", args=[player_key(other)])
            )
    for feed in feeds:
        found[feed] = _shown(Client(), feed)
    client = moderating(staff)
    for name in ADMIN:
        found[f"list of {name}"] = _shown(client, reverse(f"admin:games_{name}_changelist"))
    found["game for a moderator"] = _shown(
        client, reverse("admin:games_game_change", args=[game.pk])
    )
    return found


def feeds_of(users: list[User]) -> list[str]:
    """The addresses of their calendars and news."""
    return [
        reverse(name, args=[services.feed_key_create(user=user, kind=kind)])
        for user in users
        for kind, name in (("calendar", "feed_calendar"), ("news", "feed_news"))
    ]


@pytest.mark.long
@pytest.mark.parametrize("name", by_length(("a plan",), tuple(PLANS)))
def test_nobody_notices_a_plan_for_the_next_turn_until_it_plays(
    alice: User, bob: User, carol: User, dave: User, mona: User, name: str
) -> None:
    """Neither when it is left, nor after the move of somebody else, whose luck is the same. Dave
    looks on."""
    worlds = []
    with still(BEGINNING):
        game = play_turns(table_of(alice, bob, carol, is_open=True), 3)
        others = [alice, bob, dave]
        feeds = feeds_of(others)
        log = log_of(game)
        view = log.engine.rules.view(log.state, 2)
        first = next(lines_of(view, 1, Random(1)))
        move = " ".join(["ABC"[first.figure], *first.cards])
        OutboxMail.objects.all().delete()
    for orders in ((), PLANS[name]):
        with rolled_back():
            with still(LATER):
                for line in orders:
                    play_line(game, carol, line.format(move=move))
            with still(LATEST):
                worlds.append(all_seen(game, others, feeds, mona))
                play_one(game)
                after = all_seen(fresh(game), others, feeds, mona)
                worlds[-1] |= {f"later {name}": found for name, found in after.items()}
                worlds[-1]["log"] = [entry.event for entry in log_of(game).entries]
    without, left = worlds
    assert {name for name in without if without[name] != left[name]} == set()


@pytest.mark.long
@pytest.mark.parametrize("policy", by_length(("move",), ("move", "wait", "seat1")))
def test_nobody_notices_a_plan_that_does_not_fit(
    alice: User, bob: User, carol: User, dave: User, mona: User, policy: str
) -> None:
    """Neither when the turn begins, nor when its deadline is missed, nor by what the bot does
    then."""
    worlds = []
    with still(BEGINNING):
        game = play_turns(table_of(alice, bob, carol, is_open=True, timeout_policy=policy), 4)
        others = [alice, bob, dave]
        feeds = feeds_of(others)
        OutboxMail.objects.all().delete()
    for plan in ("", dear(game, carol)):
        with rolled_back(), still(LATER):
            if plan:
                send(game, carol, plan)
            play_one(game)
            assert fresh(game).to_act == [2]
            worlds.append(all_seen(fresh(game), others, feeds, mona))
            miss_deadline(game)
            services.game_play_bots(game_id=game.pk)
            after = all_seen(fresh(game), others, feeds, mona)
            worlds[-1] |= {f"later {name}": found for name, found in after.items()}
            worlds[-1]["log"] = [entry.event for entry in log_of(game).entries]
    without, left = worlds
    assert {name for name in without if without[name] != left[name]} == set()


def stored() -> dict[str, list[Any]]:
    """All rows of all tables with their place on disk, which every change moves, and how far each
    sequence of keys has got."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        tables = [name for (name,) in cursor.fetchall()]
        found: dict[str, list[Any]] = {}
        for table in tables:
            cursor.execute(f'SELECT ctid::text, t::text FROM "{table}" t ORDER BY 1')
            found[table] = cursor.fetchall()
        cursor.execute("SELECT sequencename, last_value FROM pg_sequences ORDER BY 1")
        return found | {f"sequence {name}": [last] for name, last in cursor.fetchall()}


def test_a_plan_writes_itself_and_a_limit_and_nothing_else(
    alice: User, bob: User, carol: User
) -> None:
    """So no number, time, announcement or email can tell of it."""
    game = play_turns(table_of(alice, bob, carol), 3)
    send(game, carol, plan_of(game, carol))
    before = stored()
    send(game, carol, dear(game, carol))
    after = stored()
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"games_gameorder", "games_quotause", "sequence games_quotause_id_seq"}


def test_the_order_is_in_force_and_its_seat_sees_it(alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    played = play_line(game, bob, "standing shark from 2")
    assert (played.version, played.order, played.asked) == (game.version, 1, False)
    log = log_of(game)
    assert ESCAPE.rules.view(log.state, 1).standing == (2, None)
    assert "at least 2" in text(signed_in(bob).get(f"/g/{game.public_id}/?do=standing"))
    assert stored_rows.audit(fresh(game))[1] == []


def test_a_plan_is_shuffled_by_luck_of_its_own(alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    play_line(game, bob, "standing shark never")
    play_line(game, bob, "plan coast")
    log = log_of(game)
    then = ESCAPE.fold([entry.event for entry in log.effective])
    plan = ESCAPE.notation.parse("plan coast", ESCAPE.rules.view(then, 1))
    luck = order_chance(bytes(game.seed), 2)
    assert ESCAPE.rules.decide(then, 1, plan, luck) == (log.orders[-1].event,)


def test_an_order_does_not_give_more_time(alice: User, bob: User) -> None:
    with still(BEGINNING):
        game = escape_table(alice, bob)
    due = game.seats.get(number=0).due_at
    with still(LATER):
        play_line(game, alice, "standing shark always")
    assert game.seats.get(number=0).due_at == due


def test_moves_prepared_before_an_order_are_current_and_others_are_not(
    alice: User, bob: User
) -> None:
    game = escape_table(alice, bob)
    version = game.version
    play_line(game, alice, "standing shark always", version=version)
    play_line(game, bob, "standing shark always", version=version)
    play_line(game, alice, "place 6 E5", version=version)
    with pytest.raises(GameMoved):
        play_line(game, alice, "place 5 E6", version=version)
    play_line(game, bob, "standing whale always", version=version)


def test_the_same_order_sent_twice_is_left_once(alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    first, again = (play_line(game, bob, "standing shark never") for _time in range(2))
    assert (first.repeated, again.repeated) == (False, True)
    assert len(log_of(game).orders) == 1


def test_nobody_fills_a_log_with_orders(alice: User, bob: User, settings: Settings) -> None:
    settings.QUOTAS = {"orders_seat_day": 2}
    game = escape_table(alice, bob)
    for line in ("standing shark never", "standing shark always", "standing shark always"):
        play_line(game, bob, line)
    with pytest.raises(QuotaExceeded):
        play_line(game, bob, "standing shark never")
    assert len(log_of(game).orders) == 2


def test_an_order_has_no_note_as_the_others_would_read_it(alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    with pytest.raises(ServiceError, match="must not notice"):
        services.game_play_line(
            game_id=game.pk,
            user=bob,
            seat=1,
            line="plan coast",
            version=game.version,
            note="Ready when you are!",
        )
    assert not log_of(game).orders
    assert not Message.objects.exists()


def test_a_rollback_undoes_the_orders_left_since(alice: User, bob: User, mona: User) -> None:
    game = escape_table(alice, bob)
    play_line(game, bob, "standing shark never")
    begun = game.version
    play_line(game, alice, "place 6 E5")
    play_line(game, bob, "standing shark always")
    services.moderate_rollback(
        game_id=game.pk, to_seq=begun, ruling=services.Ruling(mona, "a storm")
    )
    log = log_of(game)
    assert ESCAPE.rules.view(log.state, 1).standing == (0, None)
    assert stored_rows.audit(fresh(game))[1] == []
    play_line(game, bob, "standing whale always")
    assert ESCAPE.rules.view(log_of(game).state, 1).standing == (0, 1)


LOST = "What you had entered in advance since then was undone as well."


def test_nobody_but_its_seat_learns_that_an_undo_took_an_order(
    alice: User, bob: User, carol: User, dave: User
) -> None:
    """Nor does a moderator who plays there: the list of emails in the admin is the same."""
    worlds = []
    with still(BEGINNING):
        game = escape_table(alice, bob, carol)
    for orders in ((), ("standing shark always",)):
        with rolled_back():
            with still(LATER):
                play_line(game, alice, "place 6 E5")
                for line in orders:
                    play_line(game, carol, line)
            with still(LATEST):
                undo(game, alice)
                worlds.append(seen(game, [alice, bob, dave], game.version))
                worlds[-1]["log"] = [entry.event for entry in log_of(game).entries]
                emails = OutboxMail.objects.order_by("dedupe_key")
                worlds[-1]["emails"] = list(emails.values_list("kind", "to_address", "next_try_at"))
    without, left = worlds
    assert {name for name in without if without[name] != left[name]} == set()


def test_a_player_learns_that_an_undo_took_an_order(alice: User, bob: User) -> None:
    """In the log, above the form until they have left another one, and in their next email."""
    game = escape_table(alice, bob)
    play_line(game, alice, "place 6 E5")
    play_line(game, bob, "standing shark always")
    undo(game, alice)
    assert ESCAPE.rules.view(log_of(game).state, 1).standing == (None, None)
    page = text(signed_in(bob).get(f"/g/{game.public_id}/"))
    assert page.count(LOST) == 2
    play_line(game, bob, "standing shark always")
    assert text(signed_in(bob).get(f"/g/{game.public_id}/")).count(LOST) == 1
    play_line(game, alice, "place 5 E5")
    parts = both_parts(last_mail(game, bob, "turn"))
    assert all(f"Alice took back their last step. {LOST}" in part for part in parts)


def test_the_next_email_says_so_however_much_has_happened_since(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    monkeypatch.setattr(selectors.moves, "MOST_RECAP_LINES", 1)
    game = escape_table(alice, bob)
    play_line(game, alice, "place 6 E5")
    play_line(game, bob, "standing shark always")
    undo(game, alice)
    play_line(game, alice, "place 5 E5")
    (body, _html) = both_parts(last_mail(game, bob, "turn"))
    assert LOST in body and "placed U1" in body


def test_a_player_who_takes_a_step_back_learns_that_it_took_an_order(
    alice: User, bob: User
) -> None:
    game = escape_table(alice, bob)
    play_line(game, alice, "place 6 E5")
    play_line(game, alice, "standing shark always")
    undo(game, alice)
    assert text(signed_in(alice).get(f"/g/{game.public_id}/")).count(LOST) == 2


def test_the_email_about_a_rollback_says_it_to_the_seat_alone(
    alice: User, bob: User, mona: User
) -> None:
    game = escape_table(alice, bob)
    begun = game.version
    play_line(game, alice, "place 6 E5")
    play_line(game, bob, "standing shark always")
    services.moderate_rollback(
        game_id=game.pk, to_seq=begun, ruling=services.Ruling(mona, "a storm")
    )
    said = f"Reason: a storm. {LOST}"
    has = [said in both_parts(last_mail(game, user, "moderated"))[0] for user in (alice, bob)]
    assert has == [False, True]


def take_back_by_vote(game: Game, asker: User, *others: User) -> None:
    """The others agree that this player takes a move back."""
    services.vote_open(game_id=game.pk, user=asker, about="take_back")
    vote = log_of(game).vote
    assert vote is not None
    for user in others:
        services.vote_answer(game_id=game.pk, user=user, vote=vote.seq, agrees=True)
    assert log_of(game).vote is None


def test_nobody_but_its_seat_learns_that_a_voted_take_back_took_an_order(
    alice: User, bob: User, carol: User, dave: User
) -> None:
    """While the vote is open, nobody learns either that there is an order to lose."""
    worlds = []
    with still(BEGINNING):
        game = escape_table(alice, bob, carol)
    for orders in ((), ("standing shark always",)):
        with rolled_back():
            with still(LATER):
                play_line(game, alice, "place 6 E5")
                for line in orders:
                    play_line(game, carol, line)
                services.vote_open(game_id=game.pk, user=alice, about="take_back")
                world: dict[str, Any] = {"open": seen(game, [alice, bob, dave], game.version)}
            with still(LATEST):
                vote = log_of(game).vote
                assert vote is not None
                for user in (bob, carol):
                    services.vote_answer(game_id=game.pk, user=user, vote=vote.seq, agrees=True)
                world |= seen(game, [alice, bob, dave], game.version)
                world["log"] = [entry.event for entry in log_of(game).entries]
                emails = OutboxMail.objects.order_by("dedupe_key")
                world["emails"] = list(emails.values_list("kind", "to_address", "next_try_at"))
                worlds.append(world)
    without, left = worlds
    assert {name for name in without if without[name] != left[name]} == set()


def test_a_player_learns_that_a_voted_take_back_took_an_order(alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    play_line(game, alice, "place 6 E5")
    play_line(game, bob, "standing shark always")
    take_back_by_vote(game, alice, bob)
    assert ESCAPE.rules.view(log_of(game).state, 1).standing == (None, None)
    assert stored_rows.audit(fresh(game))[1] == []
    assert text(signed_in(bob).get(f"/g/{game.public_id}/")).count(LOST) == 2
    assert LOST not in text(signed_in(alice).get(f"/g/{game.public_id}/"))
    play_line(game, alice, "place 5 E5")
    assert all(LOST in part for part in both_parts(last_mail(game, bob, "turn")))


def attacked_with_defence(state: Any) -> bool:
    """Return whether a seat is asked that holds the defence against the attack."""
    attack = state.board.stage
    if not isinstance(attack, DefenceStage) or not attack.asked:
        return False
    return f"{attack.creature} defence" in state.kept[attack.asked[0]]


# -- attacks -------------------------------------------------------------------------------------


def test_an_order_that_settles_an_attack_reads_like_an_answer(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    """Return whether the seat answered "no" or left the order never to defend."""
    game = game_with(monkeypatch, (alice, bob), attacked())
    seat, creature = game.to_act[0], log_of(game).state.board.rolled
    user, others = person_on(game, seat), [u for u in (alice, bob) if u != person_on(game, seat)]
    worlds = []
    for line in ("no", f"standing {creature} never"):
        with rolled_back(), still(LATEST):
            play_line(game, user, line)
            worlds.append(seen(game, others, game.version))
            worlds[-1]["log"] = [entry.event for entry in log_of(game).entries]
    answered, ordered = worlds
    assert {name for name in answered if answered[name] != ordered[name]} == set()


def test_an_order_that_settled_an_attack_and_came_twice_is_recognised(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User
) -> None:
    game = game_with(monkeypatch, (alice, bob), attacked())
    creature = log_of(game).state.board.rolled
    user, line = person_on(game, game.to_act[0]), f"standing {creature} never"
    first, again = (play_line(game, user, line, version=game.version) for _time in range(2))
    assert (first.repeated, again.repeated) == (False, True)
    assert first.version == again.version
    assert stored_rows.audit(fresh(game))[1] == []


@pytest.mark.usefixtures("still_clock")
def test_nobody_sees_whether_an_attacked_seat_holds_a_defence(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User, dave: User
) -> None:
    """The attacked seat holds the tile that helps here, and another one in the other world."""

    game = game_with(monkeypatch, (alice, bob), attacked_with_defence)
    assert all(OTHER_BACK[back] != back for back in DEFENCES.values())
    attacker = next(user for user in (alice, bob) if user != person_on(game, game.to_act[0]))
    assert_indistinguishable(monkeypatch, game, attacker, "", mail=True)
    assert_indistinguishable(monkeypatch, game, dave, "")


def test_an_order_that_a_rollback_left_in_force_answers_when_the_time_is_over(
    monkeypatch: pytest.MonkeyPatch, alice: User, bob: User, mona: User
) -> None:
    """The game went back to the attack during which the order was left."""
    game = game_with(monkeypatch, (alice, bob), attacked_with_defence)
    attack, creature = game.version, log_of(game).state.board.rolled
    seat = game.to_act[0]
    play_line(game, person_on(game, seat), f"standing {creature} always")
    services.moderate_rollback(
        game_id=game.pk, to_seq=attack, ruling=services.Ruling(mona, "a storm")
    )
    due = game.seats.get(number=seat).due_at
    assert due is not None
    services.deadline_check(now=due + timedelta(hours=1))
    answers: list[Any] = [e.event for e in log_of(game).effective if e.kind == "answered"]
    assert (answers[-1].seat, answers[-1].defend) == (seat, True)


def test_a_new_player_reads_of_the_orders_of_the_one_before_and_they_do_not_count(
    alice: User, bob: User, dave: User, mona: User
) -> None:
    game = escape_table(alice, bob)
    play_line(game, alice, "standing whale never")
    services.moderate_hand_seat(
        game_id=game.pk, ruling=services.Ruling(mona, "Ill."), seat=0, to=dave
    )
    log = log_of(game)
    assert log.engine.rules.standing_orders(log.state, 0) == ()
    told = "does not count any more: standing whale never."
    assert told in text(signed_in(dave).get(f"/g/{game.public_id}/"))
    assert told not in text(signed_in(bob).get(f"/g/{game.public_id}/"))
    assert verify_game(game.pk)[2] == []
    play_line(game, dave, "standing whale never")
    log = log_of(game)
    assert len(log.engine.rules.standing_orders(log.state, 0)) == 1


def test_orders_left_for_a_seat_in_a_pause_do_not_count_after_it(
    alice: User, bob: User, carol: User, mona: User
) -> None:
    game = escape_table(alice, bob)
    play_line(game, alice, "standing whale never")
    services.moderate_pause(game_id=game.pk, ruling=services.Ruling(mona, "Ill."))
    services.moderate_hand_seat(
        game_id=game.pk, ruling=services.Ruling(mona, "Ill."), seat=0, to=carol
    )
    services.moderate_resume(game_id=game.pk, ruling=services.Ruling(mona, "Well."))
    log = log_of(game)
    assert log.engine.rules.standing_orders(log.state, 0) == ()
    assert verify_game(game.pk)[2] == []


def test_who_takes_the_seat_back_finds_no_order_of_theirs_in_force(alice: User, bob: User) -> None:
    game = escape_table(alice, bob)
    Game.objects.filter(pk=game.pk).update(timeout_policy="seat1")
    play_line(game, alice, "standing whale never")
    miss_deadline(game)
    services.seat_take_back(game_id=game.pk, user=alice)
    log = log_of(game)
    assert log.engine.rules.standing_orders(log.state, 0) == ()
    said = "What you had entered in advance does not count any more: standing whale never."
    assert said in text(signed_in(alice).get(f"/g/{game.public_id}/"))
