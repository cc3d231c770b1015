"""Records from the outside: the check finds whatever was changed, and the commands say so."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rules import GAMES
from games.rules.__main__ import game_seed, main, records
from games.rules.atlantis.box import ITEMS
from games.rules.chance import SeededChance, commitment
from games.rules.contract import Event, Outcome
from games.rules.records import Header, Line, RecordFault, line_of, record_of, with_digests, write
from games.rules.replay import check
from games.rules.selfplay import by_chance
from tests.support import record_damage
from tests.support.lengths import by_length
from tests.support.tampering import rechained
from tests.support.warm_processes import run_python

ROOT = Path(__file__).parents[2]
ATLANTIS = GAMES["atlantis"]
SEED = game_seed("records", 0)
OPTIONS = {"order": "random"}


def whole_game() -> list[bytes]:
    """The record of a game of three."""
    return list(records(ATLANTIS, OPTIONS, 3, "records", 1, bots=False))


GAME = whole_game()


def fault(lines: list[bytes]) -> str:
    """The sentence with which the check stops, though all digests are recomputed."""
    with pytest.raises(RecordFault) as caught:
        list(check(rechained(lines)))
    return str(caught.value)


def legal(lines: list[bytes]) -> bool:
    try:
        list(check(rechained(lines)))
    except RecordFault:
        return False
    return True


def changed(number: int, **fields: Any) -> list[bytes]:
    """GAME with fields of one line (0 is the header) set to something else."""
    lines = list(GAME)
    lines[number] = json.dumps({**json.loads(lines[number]), **fields}).encode()
    return lines


def event_changed(kind: str, **fields: Any) -> list[bytes]:
    """GAME with fields of the first event of this kind set to something else."""
    number, line = next(
        (number, line)
        for number, line in enumerate(map(json.loads, GAME))
        if line.get("kind") == kind
    )
    return changed(number, event={**line["event"], **fields})


def without_seed() -> list[bytes]:
    return rechained(GAME[:-1])


# -- what is right ---------------------------------------------------------------------------


def test_a_played_game_is_faultless() -> None:
    (checked,) = check(GAME)
    assert (checked.game, checked.seats, checked.fair) == ("atlantis", 3, True)
    assert checked.events == len(GAME) - 1
    assert checked.outcome is not None


def test_several_records_stand_in_one_file() -> None:
    assert [checked.fair for checked in check([*GAME, b"\n", *without_seed()])] == [True, False]


def test_without_the_seed_the_rules_are_checked_with_the_results_that_are_recorded() -> None:
    (checked,) = check(without_seed())
    assert not checked.fair
    assert checked.outcome is not None


def test_a_game_that_is_not_over_is_faultless_too() -> None:
    moves = [n for n, line in enumerate(GAME) if json.loads(line).get("kind") == "moved"]
    (checked,) = check(rechained(GAME[: moves[5]]))
    assert (checked.outcome, checked.finished) == (None, False)


def test_a_header_alone_is_no_record() -> None:
    assert "no event" in fault(GAME[:1])


# -- what is wrong ---------------------------------------------------------------------------


def test_no_record_at_all() -> None:
    assert "there is no record" in fault([])


def test_a_record_without_its_header() -> None:
    assert "begins with its header" in fault(GAME[1:])


def test_a_line_that_is_no_json() -> None:
    assert fault([*GAME[:5], b"oops", *GAME[5:]]).startswith("line 6: this is no line of a record")


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (record_damage.doubled_key, "stands twice"),
        (record_damage.doubled_key_in_disguise, "the key 'kind' stands twice"),
        (record_damage.no_utf_8, "can't decode byte"),
        (record_damage.half_a_pair, "surrogates not allowed"),
        (record_damage.other_number, "no whole number"),
        (record_damage.no_number, "line "),
        (record_damage.mark_in_front, "Unexpected UTF-8 BOM"),
        (record_damage.no_time, "is no time"),
        (record_damage.earlier_time, "is before the time of an earlier line"),
        (record_damage.some_digests, " digest"),
    ],
)
def test_a_damaged_line(damage: record_damage.Damage, reason: str) -> None:
    for number in range(by_length(5, 50)):
        with pytest.raises(RecordFault) as caught:
            list(check(damage(GAME, Random(number))))
        assert reason in str(caught.value)


def test_a_line_that_is_too_deep() -> None:
    assert "no line of a record" in fault([GAME[0], b"[" * 100_000])


def test_a_line_that_is_no_object() -> None:
    assert "it is no object" in fault([GAME[0], b"[]"])


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"game": "chess"}, "no game “chess”"),
        ({"format": 9}, "format 9"),
        ({"seats": 7}, "for 2 to 4 players"),
        ({"options": {"order": "backwards"}}, "“backwards” is not a valid choice"),
        ({"seats": 4}, "event 1: “deck” is "),
        ({"options": {"order": "seated"}}, "but by the rules it is [0,1,2]"),
        ({"commitment": "00"}, "not the one that the header committed to"),
        ({"schema": 99}, "schema 99"),
    ],
)
def test_a_header_that_does_not_fit(fields: dict[str, Any], reason: str) -> None:
    assert reason in fault(changed(0, **fields))


def test_a_missing_event() -> None:
    assert "event 5 is missing" in fault([*GAME[:5], *GAME[6:]])


def test_events_in_another_order() -> None:
    lines = list(GAME)
    lines[4], lines[5] = lines[5], lines[4]
    assert "event 4 is missing" in fault(lines)


def test_a_move_that_the_rules_forbid() -> None:
    assert "You have no “statue” card." in fault(event_changed("moved", cards=["statue"] * 9))


def test_a_tile_taken_from_another_space() -> None:
    assert "“taken_from” is 53, but by the rules it is 2" in fault(
        event_changed("moved", taken_from=53)
    )


def test_another_price() -> None:
    assert "by the rules it is" in fault(event_changed("moved", price=9))


def test_a_card_too_many() -> None:
    assert "“count” is 2, but by the rules it is 1" in fault(event_changed("drew", count=2))


def test_another_card_drawn() -> None:
    drew = next(json.loads(line) for line in GAME if json.loads(line).get("kind") == "drew")
    other = "flag" if drew["event"]["cards"] != ["flag"] else "olive"
    assert "by the rules it is" in fault(event_changed("drew", cards=[other]))


def test_another_score() -> None:
    assert "by the rules it is" in fault(event_changed("ended", scores=[99, 0, 0]))


def test_another_winner() -> None:
    assert "by the rules it is" in fault(event_changed("ended", winners=[0, 1, 2]))


def test_a_pass_of_somebody_who_can_move() -> None:
    first = next(n for n, line in enumerate(GAME) if json.loads(line).get("kind") == "moved")
    seat = json.loads(GAME[first])["seat"]
    passed = {"kind": "passed", "seat": seat, "hand": []}
    assert "cannot pass" in fault(changed(first, kind="passed", event=passed))


def test_a_move_of_somebody_else() -> None:
    moved = next(json.loads(line) for line in GAME if json.loads(line).get("kind") == "moved")
    other = (moved["seat"] + 1) % 3
    number = moved["seq"]
    wrong = changed(number, seat=other, event={**moved["event"], "seat": other})
    assert "not your turn" in fault(wrong)


def test_a_line_that_says_another_kind_than_its_event() -> None:
    assert "is said to be" in fault(changed(2, kind="moved"))


def test_a_line_that_says_another_seat_than_its_event() -> None:
    assert "is said to be" in fault(changed(5, seat=None))


def test_an_event_of_no_kind_of_the_game() -> None:
    assert "no event of this game" in fault(changed(5, event={"kind": "danced"}))


def test_an_event_that_nobody_caused() -> None:
    again = json.loads(GAME[2])
    lines = [*GAME[:3], json.dumps({**again, "seq": 3}).encode()]
    assert "cannot follow here" in fault(lines)


def test_an_event_of_another_kind_than_the_rules_make() -> None:
    moved = next(json.loads(line) for line in GAME if json.loads(line).get("kind") == "moved")
    shuffled = {"kind": "reshuffled", "count": 0, "cards": []}
    number = moved["seq"] + 1
    assert "“reshuffled” stands where by the rules “drew” comes" in fault(
        changed(number, seat=None, kind="reshuffled", event=shuffled)
    )


def test_a_record_that_breaks_off_in_the_middle_of_a_move() -> None:
    first = next(n for n, line in enumerate(GAME) if json.loads(line).get("kind") == "moved")
    assert "breaks off in the middle of a move" in fault(GAME[: first + 1])


def test_a_record_that_begins_with_a_move() -> None:
    moved = next(json.loads(line) for line in GAME if json.loads(line).get("kind") == "moved")
    assert "begins with a move" in fault([GAME[0], json.dumps({**moved, "seq": 1}).encode()])


def test_moves_after_the_end() -> None:
    moved = next(json.loads(line) for line in GAME if json.loads(line).get("kind") == "moved")
    late = json.dumps({**moved, "seq": len(without_seed())}).encode()
    assert "The game is over" in fault([*without_seed(), late])


def test_a_shuffle_that_is_not_the_seeds() -> None:
    # The same cards of the deck in another order, far down where nothing else would notice.
    laid = json.loads(GAME[1])["event"]
    deck = [*laid["deck"][:-2], laid["deck"][-1], laid["deck"][-2]]
    if deck == laid["deck"]:
        deck = [*deck[-3:], *deck[:-3]]
    assert "these random results do not match the seed" in fault(
        event_changed("prepared", deck=deck)
    )


def test_a_shuffle_of_other_cards() -> None:
    laid = json.loads(GAME[1])["event"]
    lines = event_changed("prepared", deck=["flag"] * len(laid["deck"]))[:-1]
    assert "other things than there were to shuffle" in fault(lines)


def test_a_seed_that_is_not_the_one_committed_to() -> None:
    reveal = {"kind": "table.revealed", "seed": "ab" * 32}
    assert "not the one that the header committed to" in fault(changed(-1, event=reveal))


@pytest.mark.parametrize("seed", ["zz", 7, None])
def test_a_seed_that_is_none(seed: object) -> None:
    assert "seed" in fault(changed(-1, event={"kind": "table.revealed", "seed": seed}))


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all numbers, words and nothings in a piece of JSON."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))
    else:
        yield path


@settings(max_examples=by_length(40, 150), deadline=None)
@given(st.data())
def test_whatever_is_changed_in_an_event_is_found(data: st.DataObject) -> None:
    """All but one thing: another card that leads to the same place, and that nobody misses
    afterwards, makes another game, which is as legal as this one."""
    number = data.draw(st.integers(1, len(GAME) - 1), label="line")
    line = json.loads(GAME[number])
    path = data.draw(st.sampled_from(list(leaves(line["event"]))), label="leaf")
    holder: Any = line["event"]
    for step in path[:-1]:
        holder = holder[step]
    old = holder[path[-1]]
    values: list[Any] = [None, 0, 1, 2, 3, 53, "flag", "olive", "ring", True, [], ""]
    new = data.draw(st.sampled_from([v for v in values if v != old]), label="new")
    holder[path[-1]] = new
    lines = [*GAME[:number], json.dumps(line).encode(), *GAME[number + 1 :]]
    if line["kind"] == "moved" and path[0] == "cards" and new in ITEMS and legal(lines):
        return
    assert fault(lines)


# -- without digests -------------------------------------------------------------------------


def test_a_record_without_digests_may_be_right_and_proves_nothing() -> None:
    (checked,) = check(record_damage.without_digests(GAME))
    assert (checked.finished, checked.fair) == (True, True)
    assert (checked.proves, checked.code) == (False, "")


def test_there_is_nothing_to_compare_a_check_code_with_in_a_record_without_digests() -> None:
    (checked,) = check(GAME)
    with pytest.raises(RecordFault, match="no digests, so that there is nothing to compare"):
        list(check(record_damage.without_digests(GAME), [checked.code]))


def test_the_moves_of_a_record_without_digests_are_checked() -> None:
    lines = record_damage.without_digests(event_changed("ended", scores=[99, 0, 0]))
    with pytest.raises(RecordFault, match="by the rules it is"):
        list(check(lines))


# -- the life of the table ---------------------------------------------------------------------


class Writer:
    """A log with table events between the moves, as the service keeps it."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.table(
            "table.created",
            commitment=commitment(SEED),
            game="atlantis",
            options=OPTIONS,
            seat_count=2,
            pace_days=3,
        )
        self.table("table.joined", seat=0)
        self.table("table.joined", seat=1, bot=False)
        self.table("table.started", seats=2)
        self.add(ATLANTIS.setup(OPTIONS, 2, self.recorded_chance()))

    def recorded_chance(self) -> SeededChance:
        return SeededChance(SEED, len(self.lines) + 1)

    def table(self, kind: str, **fields: Any) -> None:
        event = {"kind": kind, **fields}
        self.lines.append(Line(len(self.lines) + 1, fields.get("seat"), kind, event))

    def add(self, events: tuple[Event, ...]) -> None:
        for event in events:
            self.lines.append(line_of(ATLANTIS, len(self.lines) + 1, event))

    def play(self, state: Any, pick: int = 0) -> Any:
        (seat,) = ATLANTIS.rules.to_act(state)
        command = list(ATLANTIS.rules.legal_commands(state, seat))[pick]
        events = ATLANTIS.rules.decide(state, seat, command, self.recorded_chance())
        self.add(events)
        return ATLANTIS.fold(events, state)

    def start(self) -> Any:
        return ATLANTIS.fold(
            ATLANTIS.codec.decode(json.dumps(line.event), ATLANTIS.codec.schema)
            for line in self.lines[4:]
        )

    def record(self) -> list[bytes]:
        header = Header("atlantis", OPTIONS, 2, ATLANTIS.codec.schema, commitment(SEED))
        return list(write(*with_digests(header, self.lines)))


def test_table_events_between_moves_change_nothing() -> None:
    log = Writer()
    state = log.play(log.start())
    log.table("table.paused")
    log.table("table.resumed")
    log.play(state)
    log.table("table.revealed", seed=SEED.hex())
    (checked,) = check(log.record())
    assert (checked.moves, checked.undone, checked.fair) == (2, 0, True)


def test_after_a_rollback_the_game_goes_on_from_there() -> None:
    log = Writer()
    once = log.play(log.start())
    back_to = len(log.lines)
    twice = log.play(once)
    log.play(twice)
    log.table("table.rolled_back", to_seq=back_to)
    log.play(once, pick=1)
    log.table("table.revealed", seed=SEED.hex())
    (checked,) = check(log.record())
    assert (checked.moves, checked.undone) == (2, 2)


def test_what_was_taken_back_does_not_count() -> None:
    log = Writer()
    once = log.play(log.start())
    back_to = len(log.lines)
    twice = log.play(once)
    log.table("table.rolled_back", to_seq=back_to)
    log.play(twice)
    assert "not your turn" in fault(log.record())


def test_a_rollback_into_the_middle_of_a_move() -> None:
    log = Writer()
    log.play(log.start())
    log.table("table.rolled_back", to_seq=len(log.lines) - 1)
    assert "into the middle of a move" in fault(log.record())


def test_a_rollback_to_before_the_game() -> None:
    log = Writer()
    log.table("table.rolled_back", to_seq=1)
    assert "before its beginning" in fault(log.record())


def test_a_table_that_is_created_in_the_middle_of_a_game() -> None:
    moves = [n for n, line in enumerate(GAME) if json.loads(line).get("kind") == "moved"]
    lines, header = GAME[: moves[5]], json.loads(GAME[0])
    facts = {name: header[name] for name in ("commitment", "game", "options")}
    event = {"kind": "table.created", **facts, "seat_count": 3, "pace_days": 3}
    late = {"seq": len(lines), "seat": None, "kind": "table.created", "event": event}
    assert "by its first event" in fault([*lines, json.dumps(late).encode()])


def test_a_table_that_was_made_with_another_commitment() -> None:
    log = Writer()
    log.lines[0].event["commitment"] = "00"
    assert "another commitment" in fault(log.record())


def test_lines_may_say_their_own_schema_and_time() -> None:
    lines = changed(3, schema=ATLANTIS.codec.schema, at="2026-01-01T00:00:00Z")
    (checked,) = check(rechained(lines))
    assert checked.fair


# -- the commands ------------------------------------------------------------------------------


def run(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return run_python("-m", "games.rules", *arguments, env=os.environ, given=given)


def exit_status(*arguments: str) -> object:
    """The exit status of a command in this process."""
    try:
        return main(arguments)
    except SystemExit as left:
        return left.code


def test_selfplay_writes_records_that_replay_accepts() -> None:
    played = run("selfplay", "atlantis", "--players", "3", "--seed", "7", "--games", "2")
    assert played.returncode == 0
    replayed = run("replay", given=played.stdout)
    assert replayed.returncode == 0
    assert replayed.stdout.decode().count("random results match the seed") == 2


def test_the_same_seed_plays_the_same_games_and_another_does_not() -> None:
    arguments = ("selfplay", "atlantis", "--players", "2", "--who", "random", "--seed")
    first, again, other = run(*arguments, "a"), run(*arguments, "a"), run(*arguments, "b")
    assert first.stdout == again.stdout != other.stdout


def test_replay_stops_with_status_1_and_a_sentence_at_the_first_fault() -> None:
    done = run(
        "replay", given=b"\n".join([*GAME, *rechained(event_changed("ended", scores=[99, 0, 0]))])
    )
    assert done.returncode == 1
    assert done.stdout.decode().startswith("atlantis 1: ")
    assert done.stderr.decode().startswith("record 2, line ")
    assert "by the rules it is" in done.stderr.decode()


@pytest.mark.parametrize(
    ("winners", "said"),
    [((0,), "seat 1"), ((0, 2), "seats 1 and 3"), ((0, 1, 2), "seats 1, 2 and 3")],
)
def test_replay_names_all_who_share_the_win(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    winners: tuple[int, ...],
    said: str,
) -> None:
    (checked,) = check(GAME)
    shared = msgspec.structs.replace(checked, outcome=Outcome((5, 5, 5), winners))
    monkeypatch.setattr("games.rules.__main__.check", lambda *_given: [shared])
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=[]))
    assert main(["replay"]) == 0
    assert f"scores 5, 5, 5, won by {said};" in capsys.readouterr().out


def test_replay_checks_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "record.jsonl"
    file.write_bytes(b"\n".join(GAME))
    assert exit_status("replay", str(file)) == 0
    assert capsys.readouterr().out.startswith("atlantis 1: ")


def test_replay_names_a_file_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_status("replay", str(tmp_path / "none.jsonl")) == 2
    assert capsys.readouterr().err.endswith("none.jsonl: No such file or directory\n")


@pytest.mark.parametrize("code", ["", "57", "12345", "57:xyz", "01234567890", "x:0123456789"])
def test_a_check_code_that_is_none_is_an_argument_that_cannot_be_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], code: str
) -> None:
    """Whatever the record is: 1 would say that the record has a fault."""
    record = tmp_path / "record.jsonl"
    record.write_bytes(b"")
    assert exit_status("replay", str(record), "--head", code) == 2
    assert f"{code!r} is no check code" in capsys.readouterr().err


def test_replay_says_that_a_record_without_digests_proves_nothing() -> None:
    lines = [*GAME, *record_damage.without_digests(GAME)]
    for arguments in ((), ("--quiet",)):
        done = run("replay", *arguments, given=b"\n".join(lines))
        assert done.returncode == 3
        said = done.stderr.decode()
        assert said == "record 2: this record has no digests, it proves nothing\n"


def test_replay_reports_bytes_that_are_no_text() -> None:
    lines = [*GAME[:3], GAME[3].replace(b'"seat"', b'"s\xe9at"'), *GAME[4:]]
    done = run("replay", given=b"".join(lines))
    assert done.returncode == 1
    assert done.stderr.decode().startswith("record 1, line 4: this is no line of a record ('utf-8'")


def test_replay_of_nothing_is_a_fault() -> None:
    assert run("replay").returncode == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--players", "9"), "This game is for 2 to 4 players."),
        (("--games", "0"), "'0' is not a number from 1 on"),
        (("--games", "-1"), "'-1' is not a number from 1 on"),
        (("--option", "seated"), "'seated' is not NAME=VALUE, such as order=seated"),
        (("--option", "order=last"), "“last” is not a valid choice for “Order of play”."),
        (("--option", "first=1"), "There is no option called “first”."),
    ],
)
def test_selfplay_says_which_argument_cannot_be_used(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], reason: str
) -> None:
    assert exit_status("selfplay", "atlantis", *arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert reason in said.err


def test_the_help_names_the_options_of_each_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_status("selfplay", "--help") == 0
    said = capsys.readouterr().out
    assert "atlantis: order=random|seated" in said
    assert "escape: answer=24|6|12|48" in said


def test_perft_counts_from_a_position() -> None:
    position = "f1 o2 | *0/M/M f - | 0/0/0 - - | deck s"
    done = run_python(
        "-m",
        "tests.rules.perft",
        "atlantis",
        "--position",
        position,
        "--depth",
        "3",
        env=os.environ,
    )
    assert done.stdout.decode().splitlines() == ["depth 1: 1", "depth 2: 1", "depth 3: 2"]


def test_perft_says_what_is_wrong_with_a_position() -> None:
    done = run_python(
        "-m", "tests.rules.perft", "atlantis", "--position", "x9 | *0/0/0 - -", env=os.environ
    )
    assert done.returncode == 2
    assert "tiles" in done.stderr.decode()


def test_none_of_it_needs_django() -> None:
    code = (
        "import sys, games.rules.__main__, games.rules.records\n"
        "games.rules.__main__.main(['selfplay', 'atlantis', '--players', '2'])\n"
        "sys.exit(any(name.split('.')[0] == 'django' for name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.DEVNULL, check=False
    )
    assert done.returncode == 0


def test_a_record_can_be_made_from_events_and_a_seed() -> None:
    events = ATLANTIS.setup(OPTIONS, 3, SeededChance(SEED, 1))
    (checked,) = check(record_of(ATLANTIS, OPTIONS, 3, SEED, events))
    assert (checked.events, checked.moves) == (3, 0)


def test_random_players_pick_the_same_from_the_same_seed() -> None:
    state = ATLANTIS.fold(ATLANTIS.setup(OPTIONS, 3, SeededChance(SEED, 1)))
    (seat,) = ATLANTIS.rules.to_act(state)
    picks = {str(by_chance(ATLANTIS, SeededChance(SEED, 0))(state, seat, 3)) for _ in range(3)}
    assert len(picks) == 1
