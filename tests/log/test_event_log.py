"""The log: what goes in comes out, in order, once, and for ever."""

import hashlib
import json
import re
from datetime import UTC

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils.translation import override

from games import services
from games.log import event_store, stored_rows, table_events
from games.log.entry import decode_log
from games.log.event_store import VersionConflict
from games.models import Game, User
from games.rules import table_text
from games.rules.bots import Level
from games.rules.chance import SeededChance, commitment
from games.translate import say
from tests.factories import fresh, log_of, play_to_the_end, play_turns, table_of
from tests.support.verification import change_log

PAUSE = table_events.Paused()


pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shared_table")]


# -- reading ------------------------------------------------------------------------------------


def test_a_log_begins_with_the_table_and_the_promise_of_fair_luck(game: Game) -> None:
    first = log_of(game).entries[0]
    assert first.seq == 1
    assert isinstance(first.event, table_events.Created)
    assert first.event.commitment == commitment(bytes(game.seed))


def test_events_are_numbered_without_a_gap(game: Game) -> None:
    play_turns(game, 5)
    entries = log_of(game).entries
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))


def test_a_whole_log_is_one_query(
    game: Game, django_assert_num_queries: pytest.FixtureRequest
) -> None:
    play_turns(game, 8)
    now = fresh(game)
    with django_assert_num_queries(1):  # type: ignore[operator]
        event_store.load(now)


def test_the_position_folded_from_the_rows_is_that_which_was_decided(game: Game) -> None:
    play_turns(game, 12)
    log = log_of(game)
    state = log.engine.rules.initial()
    for event in log.engine_events:
        state = log.engine.rules.evolve(state, event)
    assert log.state == state
    assert log.projection.to_act == log.engine.rules.to_act(state)


def test_the_log_at_an_earlier_event_is_the_log_as_it_was(game: Game) -> None:
    play_turns(game, 3)
    then = log_of(game)
    play_turns(game, 3)
    again = log_of(game).until(then.version)
    assert again.entries == then.entries
    assert again.state == then.state


def test_an_extended_log_folds_like_one_read_anew(game: Game) -> None:
    play_turns(game, 6)
    whole = log_of(game)
    for cut in range(1, whole.version):
        longer = whole.until(cut).extended(whole.entries[cut:])
        assert longer.state == whole.state
        assert longer.table == whole.table
        assert longer.effective == whole.effective


def test_a_log_is_cut_into_setup_and_moves(game: Game) -> None:
    play_turns(game, 6)
    log = log_of(game)
    setup, *moves = log.moves
    assert log.engine.rules.command_of(setup[0].event) is None
    assert all(log.engine.rules.command_of(move[0].event) is not None for move in moves)
    assert all(
        log.engine.rules.command_of(entry.event) is None for move in moves for entry in move[1:]
    )


def test_every_move_decided_anew_from_the_seed_gives_the_same_events(game: Game) -> None:
    """Fair luck: anybody with the revealed seed can check every shuffle and every draw."""
    over = play_to_the_end(game)
    log = log_of(over)
    assert log.table.seed is not None
    seed = bytes.fromhex(log.table.seed)
    assert commitment(seed) == log.table.commitment
    engine, state = log.engine, log.engine.rules.initial()
    for move in log.moves:
        chance = SeededChance(seed, move[0].seq)
        made = engine.rules.command_of(move[0].event)
        events = (
            engine.setup(log.table.options, len(log.table.bots), chance)
            if made is None
            else engine.rules.decide(state, *made, chance)
        )
        assert events == tuple(entry.event for entry in move)
        state = engine.fold(events, state)


# -- writing ------------------------------------------------------------------------------------


def test_events_are_appended_after_the_expected_version(game: Game) -> None:
    version = event_store.append(game, game.version, [PAUSE, table_events.Resumed()])
    assert version == game.version + 2
    assert [entry.kind for entry in log_of(game).entries[-2:]] == ["table.paused", "table.resumed"]


def test_nothing_to_append_changes_nothing(game: Game) -> None:
    assert event_store.append(game, game.version, []) == game.version
    assert log_of(game).version == game.version


@pytest.mark.parametrize("off", [-1, +1, +5])
def test_a_wrong_expected_version_is_refused(game: Game, off: int) -> None:
    with pytest.raises(VersionConflict), transaction.atomic():
        event_store.append(game, game.version + off, [PAUSE])
    assert log_of(game).version == game.version


def test_a_lost_race_is_recognised_by_the_primary_key(game: Game) -> None:
    """Two that both read version n: the second insert meets a row, whatever was read before."""
    read = log_of(game)
    event_store.append(game, read.version, [PAUSE], digest=read.digest)
    with pytest.raises(VersionConflict, match="already there"), transaction.atomic():
        event_store.append(game, read.version, [PAUSE, PAUSE], digest=read.digest)
    assert log_of(game).version == read.version + 1


def test_a_transaction_that_lost_the_race_cannot_go_on(game: Game) -> None:
    read = log_of(game)
    event_store.append(game, read.version, [PAUSE], digest=read.digest)
    with pytest.raises(Exception, match="transaction"), transaction.atomic():
        try:
            event_store.append(game, read.version, [PAUSE], digest=read.digest)
        except VersionConflict:
            Game.objects.filter(pk=game.pk).update(name="swallowed")
    assert fresh(game).name != "swallowed"


def test_what_goes_along_with_events_is_written_with_them_or_not_at_all(game: Game) -> None:
    read = log_of(game)
    rename = ("UPDATE games_game SET name = %s WHERE id = %s", ["A 100% new name;", game.pk])
    with pytest.raises(VersionConflict), transaction.atomic():
        event_store.append(game, read.version - 1, [PAUSE], digest=read.digest, statements=[rename])
    assert fresh(game).name != "A 100% new name;"
    event_store.append(game, read.version, [PAUSE], digest=read.digest, statements=[rename])
    assert fresh(game).name == "A 100% new name;"


def test_a_fault_in_what_goes_along_is_not_taken_for_a_lost_race(game: Game) -> None:
    read = log_of(game)
    fault = ("UPDATE games_game SET seat_count = 99 WHERE id = %s", [game.pk])
    with pytest.raises(IntegrityError), transaction.atomic():
        event_store.append(game, read.version, [PAUSE], digest=read.digest, statements=[fault])


# -- digests ------------------------------------------------------------------------------------


def test_the_digest_chain_is_what_the_page_of_the_module_says(game: Game) -> None:
    """Checked from the outside, with json and hashlib, from the rows as jsonb keeps them."""
    play_turns(game, 3)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT seq, kind, seat, schema, payload::text, at, actor, digest FROM games_gameevent"
            " WHERE game_id = %s ORDER BY seq",
            [game.pk],
        )
        rows = cursor.fetchall()
    before = hashlib.sha256(game.public_id.encode()).digest()
    for seq, kind, seat, schema, payload, at, actor, digest in rows:
        when = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        words = json.dumps(
            [seq, kind, seat, schema, json.loads(payload), when, actor],
            sort_keys=True,
            separators=(",", ":"),
            ensure_ascii=False,
        )
        before = hashlib.sha256(before + words.encode()).digest()
        assert bytes(digest) == before
    assert len(rows) == fresh(game).version


def test_words_in_any_script_keep_their_digest(game: Game) -> None:
    text = '“Ünïcode” – 終わり \\ / " \t €'
    event = table_events.Extended(seat=None, until=text)
    event_store.append(game, game.version, [event])
    log, faults = stored_rows.audit(game)
    assert faults == []
    assert log is not None
    assert log.entries[-1].event == event


def test_a_good_log_has_no_faults(game: Game) -> None:
    play_turns(game, 4)
    log, faults = stored_rows.audit(fresh(game))
    assert faults == []
    assert log is not None
    assert log.entries == log_of(game).entries


def test_a_changed_payload_is_found(game: Game) -> None:
    change_log(
        "UPDATE games_gameevent SET payload = jsonb_set(payload, '{pace_days}', '14')"
        " WHERE game_id = %s AND seq = 1",
        game.pk,
    )
    _log, faults = stored_rows.audit(game)
    assert faults == ["event 1 (table.created) is not what was written: its digest is wrong"]


def test_a_missing_event_is_found(game: Game) -> None:
    change_log("DELETE FROM games_gameevent WHERE game_id = %s AND seq = 2", game.pk)
    _log, faults = stored_rows.audit(game)
    assert faults[0] == "event 2 is missing (the log goes on with 3)"


def test_a_changed_seat_is_found(game: Game) -> None:
    change_log("UPDATE games_gameevent SET seat = 1 WHERE game_id = %s AND seq = 2", game.pk)
    _log, faults = stored_rows.audit(game)
    assert any("digest is wrong" in fault for fault in faults)
    assert any("kind or seat disagree" in fault for fault in faults)


def test_an_unreadable_event_is_reported_and_not_raised(game: Game) -> None:
    change_log(
        'UPDATE games_gameevent SET payload = \'{"kind": "table.joined"}\''
        " WHERE game_id = %s AND seq = 2",
        game.pk,
    )
    log, faults = stored_rows.audit(game)
    assert log is None
    assert any("cannot be read" in fault for fault in faults)


def test_a_log_moved_under_another_game_is_found(game: Game, alice: User) -> None:
    other = table_of(alice, bots=1)
    Game.objects.filter(pk=game.pk).update(public_id="aaaaaaaaaaaa")
    _log, faults = stored_rows.audit(fresh(game))
    assert any("digest is wrong" in fault for fault in faults)
    assert stored_rows.audit(fresh(other))[1] == []


# -- rollback in the fold ------------------------------------------------------------------------


def test_a_rollback_takes_out_what_came_after_and_keeps_it_readable(game: Game, mona: User) -> None:
    play_turns(game, 2)
    then = log_of(game)
    play_turns(game, 3)
    services.moderate_rollback(
        game_id=game.pk, to_seq=then.version, ruling=services.Ruling(mona, "a misclick")
    )
    log = log_of(game)
    assert log.engine_events == then.engine_events
    assert log.state == then.state
    assert log.version > then.version + 3


def test_rollbacks_of_rollbacks_fold_in_order(game: Game, mona: User) -> None:
    play_turns(game, 1)
    one = log_of(game)
    play_turns(game, 3)
    services.moderate_rollback(
        game_id=game.pk, to_seq=one.version, ruling=services.Ruling(mona, "back")
    )
    play_turns(game, 1)
    two = log_of(game)
    play_turns(game, 2)
    services.moderate_rollback(
        game_id=game.pk, to_seq=two.version, ruling=services.Ruling(mona, "back")
    )
    assert log_of(game).state == two.state
    services.moderate_rollback(
        game_id=game.pk, to_seq=one.version, ruling=services.Ruling(mona, "back")
    )
    assert log_of(game).state == one.state


# -- events of the table -------------------------------------------------------------------------


ALL_TABLE_EVENTS: list[table_events.Event] = [
    table_events.Created(
        commitment="c", game="atlantis", options={"o": "v"}, seat_count=2, pace_days=3
    ),
    table_events.Created(
        commitment="c",
        game="atlantis",
        options={},
        seat_count=2,
        pace_days=0,
        pace_hours=12,
        bank_days=2,
        bank_returns=True,
        weekends_off=True,
    ),
    table_events.BankChanged(seat=1, seconds=-3600),
    table_events.Joined(seat=0),
    table_events.Joined(seat=1, bot=True),
    table_events.Joined(seat=1, bot=True, level=Level.STRONG),
    table_events.Left(seat=1),
    table_events.Started(seats=2),
    table_events.Resigned(seat=0, to="bot"),
    table_events.Resigned(seat=0, to="end"),
    table_events.Paused(),
    table_events.Paused(until="2027-01-03T00:00:00+01:00"),
    table_events.Resumed(),
    table_events.Extended(seat=None, until="2026-01-01T00:00:00+00:00"),
    table_events.Extended(seat=1, until="2026-01-01T00:00:00+00:00"),
    table_events.DeadlineMoved(seat=1, code="absence", seconds=3600),
    table_events.DeadlineMoved(seat=1, code="outage", seconds=3600),
    table_events.DeadlineMoved(seat=1, code="weekend", seconds=3600),
    table_events.DeadlineMoved(seat=1, code="announced", seconds=3600),
    table_events.SeatHanded(seat=0, to="bot"),
    table_events.SeatHanded(seat=0, to="bot", lost=True),
    table_events.SeatHanded(seat=0, to="player"),
    table_events.Seated(seat=0),
    table_events.PlayerModerates(seat=0),
    table_events.BotPlayed(seat=0),
    table_events.RolledBack(to_seq=9),
    table_events.RolledBack(to_seq=9, seat=1),
    table_events.TimedOut(seat=0),
    table_events.Covered(seat=0),
    table_events.TakenOver(seat=0),
    table_events.TakenBack(seat=0),
    table_events.Replaced(seat=0),
    table_events.Excused(seat=0, missed=7),
    table_events.Aborted(code="moderator"),
    table_events.Aborted(code="empty"),
    table_events.Aborted(code="vote"),
    table_events.PauseVote(seat=0, until="2027-01-03T00:00:00+01:00"),
    table_events.ResumeVote(seat=0),
    table_events.CancelVote(seat=0),
    table_events.BotVote(seat=0, late=1),
    table_events.TakeBackVote(seat=0, to_seq=9),
    *(table_events.VoteAnswered(seat=1, agrees=agrees) for agrees in (True, False)),
    *(
        table_events.VoteSettled(about="cancel", outcome=outcome)
        for outcome in ("passed", "refused", "expired", "overtaken")
    ),
    table_events.VoteMoved(seconds=3600),
    table_events.Revealed(seed="00"),
]


@pytest.mark.parametrize("event", ALL_TABLE_EVENTS, ids=repr)
def test_an_event_of_the_table_is_read_as_it_was_written(event: table_events.Event) -> None:
    assert table_events.decode(table_events.encode(event), table_events.SCHEMA) == event


@pytest.mark.parametrize("event", ALL_TABLE_EVENTS, ids=repr)
@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize("reason", ["", "Because."])
def test_the_sentence_of_an_event_of_the_table_is_whole(
    event: table_events.Event, language: str, reason: str
) -> None:
    text = table_text.sentence(event, move=3, reason=reason)
    silent = table_events.Seated | table_events.BankChanged
    if isinstance(event, silent) or getattr(event, "code", "") in ("weekend", "announced"):
        assert text is None, "others say that"
        return
    assert text is not None
    with override(language):
        said = say(text, ("Ann", "Ben"))
    assert said.endswith(reason or (".", "00"))
    assert not re.search(r"  |\s[.,]|%|“”|„“|«\s*»", said)


def test_every_kind_of_table_event_is_tried_here() -> None:
    assert {type(event) for event in ALL_TABLE_EVENTS} == set(table_events.Event.__args__)


@pytest.mark.parametrize("schema", [0, 2])
def test_an_unknown_schema_is_refused_with_a_sentence(game: Game, schema: int) -> None:
    unknown = f"schema {schema}"
    with pytest.raises(ValueError, match=unknown):
        table_events.decode(table_events.encode(PAUSE), schema)
    for payload in ('{"kind":"table.paused"}', '{"kind":"table.danced","reason":"x"}'):
        row = f'[[1,"table.paused",null,null,"2027-01-02T03:04:05Z",{payload},0,"","",{schema}]]'
        with pytest.raises(ValueError, match=f"event 1 has {unknown}, and not 1"):
            decode_log(game.kind, row)
