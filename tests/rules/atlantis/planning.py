"""Games of bots that plan their next turns."""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from msgspec.structs import replace

from games.rules import records
from games.rules.atlantis import model, moves, plans
from games.rules.chance import SeededChance, bot_chance, commitment, order_chance
from games.rules.errors import IllegalMove
from tests.rules.atlantis.games import ATLANTIS


class Due(NamedTuple):
    """A turn for which its seat had left a plan: the view at that moment, and the planned move."""

    view: model.View
    move: model.Move | None


def lines_of(view: model.View, most: int, luck: Random) -> Iterator[model.PlanLine]:
    """Lines for moves that are possible on this board, each as it is now."""
    then = plans.next_turn(view)
    found = [move for move in moves.legal_moves(then) if isinstance(move, model.Move)]
    plain = [move for move in found if move.bridge_before is None and move.bridge_after is None]
    for move in luck.sample(plain, min(most, len(plain))):
        try:
            line = plans.exactly(view, move)
            plans.check(view, model.Plan((line,)))
        except IllegalMove:  # it would end the game
            continue
        yield line


def loosened(view: model.View, line: model.PlanLine, luck: Random) -> model.PlanLine:
    """The line with some of its conditions weaker, or none of them."""
    assert view.viewer is not None
    left = Counter(view.players[view.viewer].hand or ()) - Counter(line.cards)
    weaker: list[dict[str, object]] = [
        {"lands": None},
        {"most": line.most + luck.randrange(4)},
        {"least": luck.randrange(line.least + 1)},
        {"even_so": True},
        {"ends": True},
        {"spare": luck.choice(sorted(left.elements(), key=str))} if left else {},
    ]
    for change in luck.sample(weaker, luck.choice((0, 0, 1, 2, 3, 6))):
        line = replace(line, **change)
    return line


def turns_with_plans(
    number: int, seats: int, most: int, lines: list[records.Line] | None = None
) -> Iterator[Due]:
    """Bots play the game with the luck of this number. After each turn its seat plans the next one,
    with at most this number of lines; each turn with a plan is yielded before it is played.

    lines: gets those of the record, without digests.
    """
    seed, luck, rules = bytes([number % 256, seats]) * 16, Random(number), ATLANTIS.rules
    state, seq, orders = ATLANTIS.rules.initial(), 1, 0
    lines = [] if lines is None else lines
    events = ATLANTIS.setup({}, seats, SeededChance(seed, 1))
    while True:
        lines += [records.line_of(ATLANTIS, at, event) for at, event in enumerate(events, seq)]
        state, seq = ATLANTIS.fold(events, state), seq + len(events)
        if state.active is None:
            return
        for seat in range(seats):
            view = rules.view(state, seat)
            if seat == state.active or view.plan is not None:
                continue
            if found := tuple(loosened(view, line, luck) for line in lines_of(view, most, luck)):
                orders += 1
                left = rules.decide(state, seat, model.Plan(found), order_chance(seed, orders))
                line = records.line_of(ATLANTIS, seq - 1, left[0])
                lines.append(replace(line, order=orders))
                state = ATLANTIS.fold(left, state)
        view = rules.view(state, state.active)
        command = rules.due_command(state, state.active)
        if view.plan is not None:
            yield Due(view, command)
        command = command or ATLANTIS.bot.choose(view, bot_chance(seed, state.active, seq))
        events = rules.decide(state, state.active, command, SeededChance(seed, seq))


def record_with_plans(number: int, seats: int) -> list[bytes]:
    """The record of such a game, with the seed revealed and without digests."""
    seed, lines = bytes([number % 256, seats]) * 16, list[records.Line]()
    for _due in turns_with_plans(number, seats, 3, lines):
        pass
    head = records.Header("atlantis", {}, seats, ATLANTIS.codec.schema, commitment(seed))
    seq = lines[-1].seq + 1
    revealed = {"kind": "table.revealed", "seed": seed.hex()}
    lines.append(records.Line(seq, None, "table.revealed", revealed))
    return list(records.write(head, lines))
