"""The engines alone: reading a log, finding the legal moves, thinking. No server, no Django.

Logs are read as the service reads them: one JSON array from PostgreSQL for a whole game.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from statistics import median
from time import thread_time

import msgspec

from games.log.entry import Entry, decode_log
from games.rules import GAMES, selfplay
from games.rules.chance import bot_chance
from games.rules.contract import AnyGame, Command, State

from .report import Table, median_of, ms, progress, timed, us

RUNS = 15


def bench(games: int) -> Table:
    """Whole games of bots, `games` for every number of seats."""
    table = Table(
        f"Rules, median of {games} games each, processor time",
        (
            "game",
            "seats",
            "events",
            "decode + fold of a game",
            "per event",
            "against json.loads",
            "legal moves of a position (median, most)",
            "the bot's turn (median, most)",
        ),
    )
    folds = []
    for key, engine in sorted(GAMES.items()):
        for seats in engine.seats:
            progress(f"{key} with {seats} seats")
            fold, *cells = _row(engine, seats, games, {})
            table.add(key, str(seats), *cells)
            folds.append(fold)
    # The most that there is to think about.
    progress("escape with two colours a seat")
    two = {"colours": "two"}
    _fold_two, *cells = _row(GAMES["escape"], 2, games, two)
    table.add("escape, two colours", "2", *cells)
    what = "decoding and folding a log against json.loads of it"
    table.aim(what, max(folds), most=2.5, write="{:.2f}".format)
    return table


def _row(
    engine: AnyGame, seats: int, games: int, options: Mapping[str, str]
) -> tuple[float, *tuple[str, ...]]:
    """(decoding and folding against json.loads of the log, cells of the row behind the seats)."""
    lengths, folds, parsed, legal, thinking = [], [], [], [], []
    for game in range(games):
        seed = hashlib.sha256(f"bench {seats} {game}".encode()).digest()
        payloads, times, thoughts = _play(engine, seats, seed, options)
        lengths.append(len(payloads))
        log = _log(engine, payloads)
        folds.append(median_of(RUNS, partial(_fold, engine, log), thread_time))
        parsed.append(median_of(RUNS, partial(json.loads, log), thread_time))
        legal += times
        thinking += thoughts
    whole = median(folds)
    each = median([fold / length for fold, length in zip(folds, lengths, strict=True)])
    ratio = median([fold / plain for fold, plain in zip(folds, parsed, strict=True)])
    return (
        ratio,
        str(round(median(lengths))),
        ms(whole),
        us(each),
        f"{ratio:.2f}",
        f"{ms(median(legal))}, {ms(max(legal))}",
        f"{ms(median(thinking))}, {ms(max(thinking))}",
    )


def _log(engine: AnyGame, payloads: list[bytes]) -> bytes:
    """Return the array that the event store selects for a game with these events."""
    entries = []
    for seq, payload in enumerate(payloads, 1):
        words = msgspec.json.decode(payload)
        head = (
            seq,
            words["kind"],
            words.get("seat"),
            None,
            datetime.now(UTC),
            msgspec.Raw(payload),
        )
        digest = hashlib.sha256(payload).digest()
        entries.append(Entry(*head, digest=digest, schema=engine.codec.schema))
    return msgspec.json.encode(entries)


def _fold(engine: AnyGame, log: bytes) -> State:
    return engine.fold([entry.event for entry in decode_log(engine.key, log)])


def _play(
    engine: AnyGame, seats: int, seed: bytes, wishes: Mapping[str, str]
) -> tuple[list[bytes], list[float], list[float]]:
    """(payloads of a whole game, seconds per listing of all legal moves, seconds per bot move)."""
    legal, thoughts = [], []

    def choose(state: State, seat: int, seq: int) -> Command:
        legal.append(timed(lambda: list(engine.rules.legal_commands(state, seat)), thread_time))
        view, luck = engine.rules.view(state, seat), bot_chance(seed, seat, seq)
        chosen: list[Command] = []
        thoughts.append(timed(lambda: chosen.append(engine.bot.choose(view, luck)), thread_time))
        return chosen[0]

    options = engine.check_options(dict(wishes), seats)
    played = selfplay.play(engine, options, seats, seed, choose)
    return (
        [engine.codec.encode(event) for _state, events in played for event in events],
        legal,
        thoughts,
    )
