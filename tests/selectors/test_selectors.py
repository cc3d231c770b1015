"""Reads: who may see what, in which order, at what price."""

import dataclasses
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation
from msgspec.structs import replace

from games import selectors, services
from games.log import event_store, table_events
from games.log.game_log import LogItem
from games.models import Game, Message, Seat, User
from games.rules.atlantis.model import Dealt, Drew, Item
from games.rules.replay import check
from games.selectors import LogLine, NotFound, game_lists
from games.web.context_processors import Waiting
from tests.factories import (
    fresh,
    given_up,
    log_of,
    play_one,
    play_to_the_end,
    play_turns,
    seats_of,
    table_of,
)

NOBODY = AnonymousUser()


@pytest.fixture
def game(alice: User, bob: User) -> Game:
    return play_turns(table_of(alice, bob), 4)


def queries(work: Callable[[], object]) -> int:
    with CaptureQueriesContext(
        connection,
    ) as seen:
        work()
    return len(seen)


# -- access --------------------------------------------------------------------------------------


def test_an_open_game_is_everybodys_to_watch(game: Game, dave: User) -> None:
    for reader in (dave, NOBODY):
        assert selectors.game_for(reader, game.public_id) == game


def test_a_closed_game_is_for_those_at_the_table_and_staff_with_a_second_factor(
    alice: User, bob: User, dave: User, mona: User
) -> None:
    game = table_of(alice, bob, is_open=False)
    with pytest.raises(NotFound):
        selectors.game_for(mona, game.public_id)
    mona.has_proved_factor = True
    for reader in (alice, bob, mona):
        assert selectors.game_for(reader, game.public_id) == game
    for stranger in (dave, NOBODY):
        with pytest.raises(NotFound):
            selectors.game_for(stranger, game.public_id)


def test_a_player_who_gave_up_a_closed_game_goes_on_reading_it_as_a_spectator(
    alice: User, bob: User, carol: User, dave: User
) -> None:
    game = table_of(alice, bob, carol, is_open=False)
    services.game_resign(game_id=game.pk, user=carol)
    page = selectors.table_page(selectors.game_for(carol, game.public_id), carol)
    assert page.viewer is None
    engine = page.engine
    assert page.view == engine.rules.view(log_of(game).state, None)
    with pytest.raises(NotFound):
        selectors.game_for(dave, game.public_id)


def test_a_player_who_was_replaced_in_a_closed_game_goes_on_reading_it_as_a_spectator(
    alice: User, bob: User, carol: User, dave: User, mona: User
) -> None:
    game = table_of(alice, bob, carol, is_open=False)
    seat = game.seats.get(user=carol).number
    services.moderate_hand_seat(
        game_id=game.pk, seat=seat, to=dave, ruling=services.Ruling(mona, "Ill.")
    )
    assert selectors.table_page(selectors.game_for(carol, game.public_id), carol).viewer is None
    assert selectors.table_page(selectors.game_for(dave, game.public_id), dave).viewer == seat


def test_a_player_who_left_a_closed_table_before_the_start_does_not_see_what_became_of_it(
    alice: User, bob: User, carol: User
) -> None:
    game = table_of(alice, bob, seats=3, is_open=False)
    services.game_leave(game_id=game.pk, user=bob)
    services.game_join(game_id=game.pk, user=carol, token=game.invite_token)
    services.game_start(game_id=game.pk, by=alice)
    with pytest.raises(NotFound):
        selectors.game_for(bob, game.public_id)


def test_a_player_whom_the_host_removed_before_the_start_does_not_see_what_became_of_it(
    alice: User, bob: User, carol: User
) -> None:
    game = table_of(alice, bob, seats=3, is_open=False)
    services.game_remove_player(game_id=game.pk, by=alice, player=bob)
    services.game_join(game_id=game.pk, user=carol, token=game.invite_token)
    services.game_start(game_id=game.pk, by=alice)
    with pytest.raises(NotFound):
        selectors.game_for(bob, game.public_id)


def test_a_former_moderator_does_not_see_the_closed_games_they_moderated(
    alice: User, bob: User, mona: User
) -> None:
    game = table_of(alice, bob, is_open=False)
    services.moderate_extend(game_id=game.pk, days=2, ruling=services.Ruling(mona, "A holiday"))
    User.objects.filter(pk=mona.pk).update(is_staff=False)
    mona = User.objects.get(pk=mona.pk)
    mona.has_proved_factor = True  # it protects their account still
    with pytest.raises(NotFound):
        selectors.game_for(mona, game.public_id)


def test_what_is_not_there_and_what_is_not_yours_sound_the_same(alice: User, dave: User) -> None:
    closed = table_of(alice, bots=1, is_open=False)
    refusals = set()
    for public_id in (closed.public_id, "nosuchgame23"):
        with pytest.raises(NotFound) as refusal:
            selectors.game_for(dave, public_id)
        refusals.add(str(refusal.value))
    assert len(refusals) == 1


def test_a_link_leads_to_its_table(alice: User) -> None:
    game = table_of(alice, seats=3, is_open=False)
    offer = services.game_invite(game_id=game.pk, by=alice, address="zoe@example.org")
    assert selectors.invitation_for(game.invite_token) == (game, None)
    assert selectors.invitation_for(offer.token) == (game, offer)
    for token in ("", "guess"):
        with pytest.raises(NotFound):
            selectors.invitation_for(token)


# -- lists ---------------------------------------------------------------------------------------


def hurry(game: Game, left: timedelta) -> None:
    Seat.objects.filter(game=game, asked_seq__isnull=False).update(due_at=timezone.now() + left)


def test_games_that_wait_for_me_come_by_time_left(alice: User, bob: User) -> None:
    games = [table_of(alice, bob, name=name) for name in ("calm", "late", "soon")]
    for game, days in zip(games, (5, -1, 1), strict=True):
        hurry(game, timedelta(days=days))
    table_of(bob, alice, name="his turn")
    lists = selectors.home(alice)
    assert [row.game.name for row in lists.waiting] == ["late", "soon", "calm"]
    assert [row.game.name for row in lists.others] == ["his turn"]
    assert lists.others[0].turn == ("Bob",)
    assert lists.others[0].due_at is not None


def test_every_game_of_mine_is_in_one_list(alice: User, bob: User, mona: User) -> None:
    table_of(alice, bob, name="waiting")
    table_of(bob, alice, name="other")
    paused = table_of(alice, bob, name="paused")
    services.moderate_pause(game_id=paused.pk, ruling=services.Ruling(mona, "x"))
    table_of(alice, seats=3, name="mine, gathering")
    table_of(bob, seats=3, name="open to me")
    table_of(bob, seats=3, name="closed to me", is_open=False)
    given_up(alice, bob, name="over")
    lists = selectors.home(alice)

    def names(rows: tuple[selectors.GameRow, ...]) -> list[str]:
        return [row.game.name for row in rows]

    assert names(lists.waiting) == ["waiting"]
    assert sorted(names(lists.others)) == ["other", "paused"]
    assert names(lists.gathering) == ["mine, gathering"]
    assert names(lists.open_tables) == ["open to me"]
    assert names(lists.finished) == ["over"]
    assert lists.finished[0].winners


def test_home_costs_the_same_however_many_games(alice: User, bob: User) -> None:
    table_of(alice, bob)
    table_of(bob, seats=3)
    given_up(alice, bob)
    few = queries(
        lambda: [
            seat.own_name for row in selectors.home(alice).waiting for seat in row.game.seat_list
        ]
    )
    for _more in range(3):
        table_of(alice, bob)
    many = queries(
        lambda: [
            seat.own_name for row in selectors.home(alice).waiting for seat in row.game.seat_list
        ]
    )
    assert many == few <= 6


def test_a_first_page_with_many_games_shows_the_first_of_each_list(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_lists, "HOME_SHOWN", 1)
    for name, days in (("calm", 5), ("soon", 1), ("later", 3)):
        hurry(table_of(alice, bob, name=name), timedelta(days=days))
    for _other in range(2):
        table_of(bob, alice)
        table_of(alice, seats=3)
    some, everything = selectors.home(alice), selectors.home(alice, everything=True)
    assert [row.game.name for row in some.waiting] == ["soon"]
    assert (len(some.others), len(some.gathering)) == (1, 1)
    assert (some.more_waiting, some.more_others) == (2, 2)
    assert [row.game.name for row in everything.waiting] == ["soon", "later", "calm"]
    assert (len(everything.others), len(everything.gathering)) == (2, 2)
    assert (everything.more_waiting, everything.more_others) == (0, 0)


def test_the_number_in_the_head_counts_what_waits_now(alice: User, bob: User, mona: User) -> None:
    first, second = table_of(alice, bob), table_of(alice, bob)
    table_of(bob, alice)
    assert selectors.waiting_games(alice)[0] == 2
    services.moderate_pause(game_id=first.pk, ruling=services.Ruling(mona, "x"))
    assert selectors.waiting_games(alice)[0] == 1
    play_one(second)
    assert selectors.waiting_games(alice) == (0, ())
    assert selectors.waiting_games(NOBODY) == (0, ())


def test_the_most_urgent_game_comes_first(alice: User, bob: User) -> None:
    calm, soon = table_of(alice, bob, name="calm"), table_of(alice, bob, name="soon")
    hurry(soon, timedelta(hours=1))
    first = ((soon.public_id, "soon"), (calm.public_id, "calm"))
    assert selectors.waiting_games(alice) == (2, first)


def test_a_page_leads_to_the_most_urgent_game_but_not_to_itself(
    alice: User, bob: User, rf: RequestFactory
) -> None:
    calm, soon = table_of(alice, bob), table_of(alice, bob)
    hurry(soon, timedelta(hours=1))

    def on_the_page_of(game: Game | None) -> Waiting:
        request = rf.get("/")
        request.user = alice
        if game is not None:
            request.game = game  # type: ignore[attr-defined]  # as games.web.game_page
        return Waiting(request)

    def lead_to(waiting: Waiting) -> list[str | None]:
        return [game and game.public_id for game in (waiting.next, waiting.other)]

    assert lead_to(on_the_page_of(None)) == [soon.public_id] * 2
    assert lead_to(on_the_page_of(soon)) == [calm.public_id] * 2
    play_one(calm)
    assert lead_to(on_the_page_of(soon)) == [soon.public_id, None]


def test_open_tables_are_shown_to_strangers_as_well(alice: User) -> None:
    table_of(alice, seats=3, bots=1, name="open")
    [row] = selectors.open_tables(NOBODY)
    assert (row.game.name, row.game.seats.all()[0].own_name) == ("open", "Alice")
    assert row.title == "Atlantis"


# -- one table -----------------------------------------------------------------------------------


def page(game: Game, reader: Any) -> selectors.TablePage:
    return selectors.table_page(selectors.game_for(reader, game.public_id), reader)


def players_of(seen: selectors.TablePage) -> Any:
    """The players as this page shows them."""
    assert seen.view is not None
    return seen.view.players


def test_a_page_costs_the_same_however_long_the_game(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    short = queries(lambda: page(game, alice))
    play_turns(game, 20)
    assert queries(lambda: page(game, alice)) == short == 2
    play_to_the_end(game)
    assert queries(lambda: page(game, alice)) == short


def test_a_player_sees_the_own_hand_and_no_other(game: Game, alice: User) -> None:
    players = players_of(page(game, alice))
    assert players[0].hand is not None
    assert players[1].hand is None


def test_a_spectator_sees_no_hand(game: Game, dave: User) -> None:
    for reader in (dave, NOBODY):
        seen = page(game, reader)
        assert seen.viewer is None
        assert [player.hand for player in players_of(seen)] == [None, None]
        assert not seen.my_turn


def test_it_is_my_turn_on_my_page_only(game: Game, alice: User, bob: User) -> None:
    assert game.to_act == [0]
    assert page(game, alice).my_turn
    assert not page(game, bob).my_turn


def test_before_the_start_there_is_a_table_and_no_board(alice: User) -> None:
    seen = page(table_of(alice, seats=3), alice)
    assert seen.view is None
    assert seen.names == ("Alice",)
    assert seen.lines == ()


def test_the_log_in_words_names_the_players(game: Game, alice: User) -> None:
    moves = [line for line in page(game, alice).lines if line.kind == "moved"]
    assert [line.seat for line in moves] == [0, 1, 0, 1]
    assert "Alice" in moves[0].sentences[0]
    assert "Bob" in moves[1].sentences[0]


def test_only_the_lines_that_are_shown_are_put_into_words(game: Game, alice: User) -> None:
    seen, written = page(game, alice), []

    def write(item: LogItem) -> LogLine:
        written.append(item)
        return seen.write(item)

    newest = dataclasses.replace(seen, write=write).newest_lines(2, 2)
    assert newest == seen.lines[:-3:-1]
    assert len(written) == 2


def test_the_log_speaks_the_readers_language(game: Game, mona: User) -> None:
    with translation.override("en"):
        english = page(game, mona).lines[0].sentences
    assert english == ("The game started with 2 players.",)


def test_what_happened_since_my_last_move_is_marked(game: Game, alice: User, bob: User) -> None:
    """Alice, Bob, Alice, Bob have moved: for Alice the last move is new, for Bob nothing is."""
    fresh_moves = [m.seat for m in page(game, alice).lines if m.fresh]
    assert fresh_moves == [1]
    assert not any(line.fresh for line in page(game, bob).lines)
    assert len(page(game, alice).recent) > 0
    assert page(game, bob).recent == ()


def test_before_ones_first_move_all_since_the_start_is_new(alice: User, bob: User) -> None:
    game = play_turns(table_of(alice, bob), 1)
    (move,) = selectors.since_last_move(log_of(game), 1, bob.pk)
    assert move.seat == 0
    assert move.last_seq == game.version


def test_page_and_email_agree_on_what_a_new_player_on_a_seat_has_not_seen(
    alice: User, bob: User, carol: User, mona: User
) -> None:
    game = play_turns(table_of(alice, bob), 4)
    services.moderate_hand_seat(
        game_id=game.pk, seat=1, to=carol, ruling=services.Ruling(mona, "Bob left.")
    )
    game = play_turns(game, 1)
    log = log_of(game)
    names = selectors.SeatNames(log, seats_of(game))
    recap = selectors.recap(log, 1, carol.pk, names)
    fresh = [line for line in page(game, carol).lines if line.fresh]
    assert [line.first for line in recap.lines] == [line.first for line in fresh]
    assert sum(line.kind == "moved" for line in fresh) == 5


def test_a_spectator_has_missed_nothing(game: Game) -> None:
    assert selectors.since_last_move(log_of(game), None, None) == ()


def test_a_note_stands_beside_its_move(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    play_one(game, note="Well played!")
    lines = page(game, bob).lines
    assert [m.note for m in lines if m.kind == "moved"] == ["Well played!"]
    Message.objects.all().delete()
    assert [m.note for m in page(game, bob).lines if m.kind == "moved"] == [""]


def test_undone_moves_stay_readable(alice: User, bob: User, mona: User) -> None:
    game = table_of(alice, bob)
    start = game.version
    play_turns(game, 2)
    services.moderate_rollback(
        game_id=game.pk, to_seq=start, ruling=services.Ruling(mona, "misread")
    )
    play_one(game)
    lines = page(game, alice).lines
    assert [m.undone for m in lines if m.kind == "moved"] == [True, True, False]
    assert any("misread" in m.sentences[0] for m in lines if m.kind == "table.rolled_back")


# -- the past ------------------------------------------------------------------------------------


def at(game: Game, reader: Any, seq: int) -> selectors.TablePage:
    return selectors.position_at(selectors.game_for(reader, game.public_id), reader, seq)


def test_every_position_of_the_game_can_be_seen_as_it_was(alice: User, bob: User) -> None:
    game = table_of(alice, bob)
    then = {}
    for _move in range(5):
        then[fresh(game).version] = page(game, alice).view
        play_one(game)
    for seq, view in then.items():
        assert at(game, alice, seq).view == view


def test_one_steps_back_and_forth_through_all_positions(game: Game, alice: User) -> None:
    here: int | None = page(game, alice).steps[0]
    walked = []
    while here is not None:
        walked.append(here)
        here = at(game, alice, here).later
    assert walked == list(page(game, alice).steps)
    assert at(game, alice, walked[0]).earlier is None
    assert at(game, alice, walked[-1]).earlier == walked[-2]
    assert at(game, alice, walked[-1]).is_now
    assert not at(game, alice, walked[0]).is_now


@pytest.mark.parametrize("seq", [0, -3, 10_000])
def test_moments_that_never_were_are_not_found(game: Game, alice: User, seq: int) -> None:
    with pytest.raises(NotFound):
        at(game, alice, seq)


def test_in_the_past_it_is_nobodys_turn(game: Game, alice: User) -> None:
    assert not at(game, alice, game.version).my_turn


def test_eyes_of_others_are_closed_while_the_game_runs(game: Game, alice: User) -> None:
    assert at(game, alice, game.version).views == ()


def test_after_the_end_everything_is_open(game: Game, dave: User) -> None:
    over = play_to_the_end(game)
    last = page(over, dave)
    assert [view.players[n].hand is not None for n, view in enumerate(last.views)] == [True, True]
    early = last.steps[0]
    assert at(over, dave, early).views[1].players[1].hand is not None
    ended = [text for line in last.lines for text in line.sentences]
    running = [text for m in page(table_of_same(over), dave).lines for text in m.sentences]
    assert ended != running


def table_of_same(game: Game) -> Game:
    """The same rows as if the game still ran: what a watcher would have read then."""
    Game.objects.filter(pk=game.pk).update(status="running", ended_at=None)
    return fresh(game)


# -- the record ----------------------------------------------------------------------------------


def test_the_record_of_a_finished_game_passes_the_check_from_the_outside(
    game: Game, mona: User
) -> None:
    services.moderate_rollback(
        game_id=game.pk, to_seq=log_of(game).moves[1][-1].seq, ruling=services.Ruling(mona, "x")
    )
    over = play_to_the_end(game)
    [checked] = check(selectors.record_lines(over))
    assert checked.fair
    assert checked.undone == 3
    assert checked.outcome is not None
    assert list(checked.outcome.scores) == over.scores


def test_a_record_names_nobody(game: Game, alice: User, bob: User) -> None:
    text = "\n".join(selectors.record_lines(play_to_the_end(game)))
    for person in (alice, bob):
        assert person.email not in text
        assert person.display_name not in text


def test_there_is_no_record_before_the_end(game: Game) -> None:
    with pytest.raises(NotFound):
        selectors.record_lines(game)


def test_a_table_that_never_began_has_no_record(alice: User) -> None:
    game = table_of(alice, seats=3)
    services.game_leave(game_id=game.pk, user=alice)
    with pytest.raises(NotFound):
        selectors.record_lines(fresh(game))


# -- twin worlds ---------------------------------------------------------------------------------


def twin(game: Game, host: User, guest: User) -> Game:
    """A game that differs from this one in nothing but what the host may not know: one card of the
    guest's hand is another (the one that lies at the bottom of the deck, and that lies there
    instead), and all tiles that are covered still have changed places."""
    log = log_of(game)
    prepared, *rest = log.engine_events
    deck = list(prepared.deck)
    hand = [card for card, count in zip(Item, log.state.hands[1], strict=True) if count]
    handed = next(n for n in range(len(rest) - 1, -1, -1) if set(guests_cards(rest[n])) & set(hand))
    mine = next(card for card in hand if card in guests_cards(rest[handed]))
    theirs = next(n for n in range(len(deck) - 1, -1, -1) if deck[n] != mine)
    rest[handed] = with_card(rest[handed], mine, deck[theirs])
    at = deck.index(mine)
    deck[at], deck[theirs] = deck[theirs], deck[at]

    still = [n for n, stack in enumerate(log.state.path) if len(stack) == 2]
    path = list(prepared.path)
    for here, there in zip(still, still[1:] + still[:1], strict=True):
        path[here] = (prepared.path[there][0], path[here][1])

    other = table_of(host, guest, seats=3)
    changed = replace(prepared, deck=tuple(deck), path=tuple(path))
    started = [table_events.Started(seats=2), changed]
    version = event_store.append(other, other.version, started)
    for event, entry in zip(rest, log.effective[1:], strict=True):
        version = event_store.append(other, version, [event], entry.by)
    now = event_store.load(other)
    Game.objects.filter(pk=other.pk).update(
        seat_count=2,
        status="running",
        version=now.version,
        to_act=list(now.projection.to_act),
        started_at=timezone.now(),
    )
    return fresh(other)


def guests_cards(event: Any) -> tuple[Item, ...]:
    """The cards that this event put into the hand of seat 1."""
    if isinstance(event, Dealt):
        return event.hands[1] or ()
    return (event.cards or ()) if isinstance(event, Drew) and event.seat == 1 else ()


def with_card(event: Any, old: Item, new: Item) -> Any:
    """The same event, one of these cards another."""
    cards = list(guests_cards(event))
    cards[cards.index(old)] = new
    cards.sort(key=list(Item).index)
    if isinstance(event, Dealt):
        return replace(event, hands=(event.hands[0], tuple(cards)))
    return replace(event, cards=tuple(cards))


def shape(seen: selectors.TablePage) -> dict[str, object]:
    """A page without its times, which no two games share, and counted from its start."""
    start = seen.lines[0].first
    return {
        "viewer": seen.viewer,
        "names": seen.names,
        "view": seen.view,
        "recent": seen.recent,
        "my_turn": seen.my_turn,
        "views": seen.views,
        "steps": [step - start for step in seen.steps],
        "moments": [
            (m.first - start, m.last - start, m.kind, m.seat, m.sentences, m.fresh, m.note)
            for m in seen.lines
        ],
    }


@pytest.fixture(params=[0, 2, 5, 12])
def worlds(request: pytest.FixtureRequest, alice: User, bob: User) -> tuple[Game, Game]:
    """A game after this number of moves, and its twin."""
    game = play_turns(table_of(alice, bob), request.param)
    return game, twin(game, alice, bob)


@pytest.mark.parametrize("reader", ["alice", "dave"])
def test_two_worlds_that_differ_in_secrets_look_the_same(
    worlds: tuple[Game, Game], alice: User, dave: User, reader: str
) -> None:
    game, other = worlds
    assert log_of(game).state != log_of(other).state  # the worlds do differ …
    who = {"alice": alice, "dave": dave}[reader]
    first, second = page(game, who), page(other, who)
    assert shape(first) == shape(second)  # … and nobody can see it, now
    for here, there in zip(first.steps, second.steps, strict=True):
        assert shape(at(game, who, here)) == shape(at(other, who, there))  # nor in the past


def test_the_one_whose_secret_it_is_sees_the_difference(
    worlds: tuple[Game, Game], bob: User
) -> None:
    """Else the test above would show nothing."""
    game, other = worlds
    assert shape(page(game, bob)) != shape(page(other, bob))


def test_the_seed_is_on_no_page_before_the_end(game: Game, alice: User) -> None:
    assert bytes(game.seed).hex() not in repr(shape(page(game, alice)))
    over = play_to_the_end(game)
    assert bytes(game.seed).hex() in repr(shape(page(over, alice)))
