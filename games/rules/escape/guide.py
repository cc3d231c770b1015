"""The question to a player and its possible answers, for emails."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from msgspec.structs import replace

from ..guidance import Guide, LegalLine, LegalSection, legal_line, sections
from ..text import Text, _, literal, ngettext
from . import model
from .action_tiles import ends, legal_plays, starts
from .board import acting, own, sinkable, swimmers, swims, to_place
from .creatures import harm_on, legal_steers, ways
from .hexes import NAMES
from .names import TERRAIN_NAMES, explorer_name, explorer_names, place_name
from .notation.writing import describe, describe_step
from .placing import free_tiles, harbours, placing_colour, values_left
from .simulation import simulate
from .steps import legal_steps

_STEER = {
    model.Creature.SERPENT: _("Move a sea serpent, or leave them all"),
    model.Creature.SHARK: _("Move a shark, or leave them all"),
    model.Creature.WHALE: _("Move a whale, or leave them all"),
}
MOST_COMBINATIONS = 20  # crews that are listed one by one
_PLAN = _(
    "or have all the rest placed for you: “plan coast” (high values on the coast), “plan inland” "
    "(high values inland) or “plan spread”"
)


def guide(view: model.View) -> Guide | None:
    """The question to the viewer; None where there is none."""
    board, seat = view.board, view.viewer
    if seat is None or seat not in acting(board):
        return None
    match board.stage:
        case model.SetupStage() if to_place(board) is not None:
            return _place(view)
        case model.SetupStage():
            free = harbours(board)
            return Guide(
                _("Place a ship on a sea hex next to land"),
                (_("“ship” and the hex"), _PLAN),
                _two(legal_line("ship", place_name(hex_)) for hex_ in (free[0], free[-1])),
                is_listed=False,
            )
        case model.TurnStage():
            return Guide(_task(view), tuple(_forms(view)), _turns(view, seat), is_listed=False)
        case model.CrewStage(site=site):
            mine = set(own(board, seat))
            crews = sorted(
                combinations(swimmers(board, site), model.ROOM),
                key=lambda crew: -len(mine.intersection(crew)),
            )
            return Guide(
                _("Pick three swimmers for the new ship at %(hex)s", hex=NAMES[site]),
                (_("“crew” and the three explorers"),),
                _two(legal_line(describe(model.Crew(crew), view)) for crew in crews),
            )
        case model.CreatureStage(creature=creature):
            mine = set(own(board, seat))
            moved = [
                legal_line(describe(steer, view), detail=_harm(board, creature, steer.to))
                for steer in legal_steers(board)
                if steer.to is not None and mine.isdisjoint(_hurt(board, creature, steer.to))
            ]
            return Guide(
                _STEER[creature],
                (
                    _("its kind, the hex that it leaves and the hex that it moves to"),
                    _("“stay” to leave all of them where they are"),
                ),
                (*moved[:1], legal_line("stay", detail=_("none of them moves"))),
            )
        case model.DefenceStage() as attack:
            return _defence(view, seat, attack)
        case model.OverStage():
            return None


def _two(lines: Iterable[LegalLine]) -> tuple[LegalLine, ...]:
    return tuple(dict.fromkeys(lines))[:2]


def _hurt(board: model.Board, creature: model.Creature, hex_: int) -> tuple[int, ...]:
    """The explorers that the creature harms on this hex, unless somebody defends."""
    harm = harm_on(board, creature, hex_)
    return () if harm is None else harm.lost + harm.overboard


def _harm(board: model.Board, creature: model.Creature, hex_: int) -> Text:
    """What the creature does on this hex, unless somebody defends."""
    harm = harm_on(board, creature, hex_)
    if harm is None:
        return _("nobody is hurt")
    if harm.overboard:
        return _("in the water: %(explorers)s", explorers=explorer_names(harm.overboard))
    return _("lost: %(explorers)s", explorers=explorer_names(harm.lost))


def _place(view: model.View) -> Guide:
    board = view.board
    colour = placing_colour(board)
    left, tiles = values_left(view.values, colour), free_tiles(board)
    middle = tiles[len(tiles) // 2]
    form = _(
        "“place”, the value of the explorer, and the tile (values left: %(values)s)",
        values=", ".join(map(str, left)),
    )
    return Guide(
        _("Place one of your explorers on a free land tile"),
        (form, _PLAN),
        _two(
            legal_line("place", str(value), place_name(tile), detail=TERRAIN_NAMES[board.map[tile]])
            for value, tile in ((left[0], tiles[0]), (left[-1], middle))
        ),
        is_listed=False,
    )


def _defence(view: model.View, seat: int, attack: model.DefenceStage) -> Guide:
    creature, site = attack.creature, attack.site
    answers = _answers(view, seat, attack)
    shark = creature is model.Creature.SHARK
    if not _can_defend(view, seat, creature):
        return Guide(
            _(
                "A shark attacks you at %(hex)s and you cannot defend: reply “allow”",
                hex=NAMES[site],
            )
            if shark
            else _(
                "A whale attacks your ship at %(hex)s and you cannot defend: reply “allow”",
                hex=NAMES[site],
            ),
            (_("“allow” to let the attack happen"),),
            answers,
        )
    # To allow the attack is listed below, but not an example to copy.
    return Guide(
        _("Decide whether to defend your explorers against the shark at %(hex)s", hex=NAMES[site])
        if shark
        else _("Decide whether to defend your ship against the whale at %(hex)s", hex=NAMES[site]),
        (
            _("“defend” to spend your tile: the creature leaves the game, and nobody is hurt"),
            _("“allow” to let the attack happen"),
        ),
        answers[:1],
    )


def _can_defend(view: model.View, seat: int, creature: model.Creature) -> bool:
    """Whether the seat holds the tile against this creature, which it alone knows."""
    return model.DEFENCES[creature] in (view.kept[seat] or ())


def _answers(view: model.View, seat: int, attack: model.DefenceStage) -> tuple[LegalLine, ...]:
    """“defend” and “allow”; without the tile, “allow” and the order for all such attacks."""
    creature = attack.creature
    allow = legal_line("allow", detail=_harm(view.board, creature, attack.site))
    if _can_defend(view, seat, creature):
        saved = _("your tile is spent, and nobody is hurt")
        return legal_line("defend", detail=saved), allow
    never = _("allows this and all later ones without asking you")
    return allow, legal_line("standing", str(creature), "never", detail=never)


# -- a turn --------------------------------------------------------------------------------


def _task(view: model.View) -> Text:
    board = view.board
    left = model.STEPS - board.steps if _steps(view) else 0
    sinks = bool(sinkable(board))
    if not left:
        return _("Sink a tile") if sinks else _("Roll the die")
    if sinks:
        return ngettext(
            "Take up to %(count)s step, then sink a tile",
            "Take up to %(count)s steps, then sink a tile",
            left,
        )
    return ngettext(
        "Take up to %(count)s step, then roll the die",
        "Take up to %(count)s steps, then roll the die",
        left,
    )


def _forms(view: model.View) -> Iterator[Text]:
    board, seat = view.board, view.seat
    if next(legal_plays(board, seat, view.kept[seat] or ()), None) is not None:
        yield _(
            "first, if you like, one of your kept tiles: “dolphin”, a swimmer and a hex; “wind”, a "
            "ship’s hex and a hex; or “move”, a creature, its hex and a hex"
        )
    if _steps(view):
        yield _(
            "steps with commas between them: an explorer and the tile it goes to; “ship” or “swim” "
            "in front of a sea hex; “isle” to land; or “sail”, a ship’s hex and the next hex"
        )
    if sinkable(board):
        yield _("at the end “sink” and the tile; all on one line, or one after another")
    else:
        yield _("at the end “roll”; all on one line, or one after another")


def _steps(view: model.View) -> list[model.Step]:
    return list(legal_steps(view.board, view.seat))


def _turns(view: model.View, seat: int) -> tuple[LegalLine, ...]:
    """A turn with a step, and one without steps but perhaps with a kept tile. Neither costs the
    player an explorer if another such turn does not."""
    board, steps = view.board, _steps(view)
    middle = len(steps) // 2
    plays = legal_plays(board, seat, view.kept[seat] or ())
    still = model.Turn()
    stepped = [model.Turn(steps=(step,)) for step in (*steps[middle:], *steps[:middle])]
    played = [model.Turn(play) for play in plays]
    tiles = sinkable(board)
    turns = (
        _cheapest(view, seat, stepped or [still], tiles),
        _cheapest(view, seat, [*played, still], tiles[::-1]),
    )
    least = min(price for price, _turn in turns)
    return _two(
        legal_line(describe(turn, view), detail=_end(view, turn))
        for price, turn in turns
        if price == least
    )


def _cheapest(
    view: model.View, seat: int, begun: Iterable[model.Turn], tiles: Sequence[int]
) -> tuple[int, model.Turn]:
    """The first of these turns, ended with one of these tiles, that costs the player the fewest
    explorers, and how many: lost, or fallen into the water."""
    best: tuple[int, model.Turn] | None = None
    for price, turn in _priced(view, own(view.board, seat), begun, tiles):
        if best is None or price < best[0]:
            best = price, turn
        if price == 0:
            break
    assert best is not None, "the turn can be ended"
    return best


def _priced(
    view: model.View, mine: Sequence[int], begun: Iterable[model.Turn], tiles: Sequence[int]
) -> Iterator[tuple[int, model.Turn]]:
    before = view.board
    for turn in begun:
        after = before if turn == model.Turn() else simulate(view, turn).board
        fallen = sum(_safety(after, who) < _safety(before, who) for who in mine)
        if not tiles:
            yield fallen, replace(turn, roll=True)
        for tile in tiles:
            spilled = sum(after.where[who] == tile for who in mine)
            yield fallen + spilled, replace(turn, sink=tile)


def _safety(board: model.Board, who: int) -> int:
    """0 for an explorer who is lost, 1 in the water, 2 elsewhere."""
    return 0 if board.where[who] == model.LOST else 1 if swims(board, who) else 2


def _end(view: model.View, turn: model.Turn) -> Text:
    """What the turn does to explorers, and what comes next."""
    simulation = simulate(view, turn)
    lost = [
        who for event in simulation.events if isinstance(event, model.Harmed) for who in event.lost
    ]
    if lost:
        return _("lost: %(explorers)s", explorers=explorer_names(lost))
    if simulation.spilled:
        return _("in the water: %(explorers)s", explorers=explorer_names(simulation.spilled))
    return _("nobody is hurt")


# -- what is legal ---------------------------------------------------------------------------


def legal(view: model.View) -> tuple[LegalSection, ...]:
    """All answers, one thing at a time, explorers and tiles that may do the same together."""
    board, seat = view.board, view.viewer
    if seat is None or seat not in acting(board):
        return ()
    match board.stage:
        case model.SetupStage():
            return sections(*_setup(view))
        case model.TurnStage():
            tiles = sinkable(board)
            last = legal_line("sink", map(place_name, tiles)) if tiles else legal_line("roll")
            return sections(
                (_("A kept tile, before your steps"), _plays(view, seat)),
                (_("Steps"), _grouped(_steps(view))),
                (_("At the end of your turn"), [last]),
            )
        case model.CrewStage(site=site):
            crews = _crews(swimmers(board, site))
            return sections((_("The crew: three different swimmers"), [crews]))
        case model.CreatureStage(creature=kind):
            begins = dict.fromkeys(steer.start for steer in legal_steers(board))
            moved = [
                legal_line(
                    kind, place_name(start), map(place_name, sorted(ways(board, kind, start)))
                )
                for start in begins
                if start is not None
            ]
            return sections(
                (
                    _("One creature, or none"),
                    [*moved, legal_line("stay", detail=_("none of them moves"))],
                )
            )
        case model.DefenceStage() as attack:
            return sections((_("Your answer"), _answers(view, seat, attack)))
        case model.OverStage():
            return ()


def _setup(view: model.View) -> Iterator[tuple[Text, list[LegalLine]]]:
    board = view.board
    colour = to_place(board)
    if colour is None:
        yield _("A ship"), [legal_line("ship", map(place_name, harbours(board)))]
    else:
        values = dict.fromkeys(map(str, values_left(view.values, colour)))
        tiles = map(place_name, free_tiles(board))
        yield _("One explorer (value and tile)"), [legal_line("place", values, tiles)]
    yield _("Have the rest placed for you"), [legal_line("plan", map(str, model.Preset))]


def _plays(view: model.View, seat: int) -> Iterator[LegalLine]:
    board = view.board
    if board.tiled:
        return
    for tile in dict.fromkeys(view.kept[seat] or ()):
        if tile not in model.PLAYABLE:
            continue
        if tile in model.MOVES:
            hexes = [place_name(hex_) for hex_ in ends(board, tile, 0)]
            begins = [place_name(start) for start in starts(board, seat, tile)]
            if begins and hexes:
                yield legal_line(*str(tile).split(), begins, hexes)
            continue
        for start in starts(board, seat, tile):
            name = explorer_name(start) if tile is model.Back.DOLPHIN else place_name(start)
            hexes = [place_name(hex_) for hex_ in sorted(ends(board, tile, start))]
            if hexes:
                yield legal_line(str(tile), name, hexes)


def _grouped(steps: Iterable[model.Step]) -> Iterator[LegalLine]:
    """A line for all explorers, or ships, that can take the same steps."""
    of: dict[str, dict[str, None]] = {}
    for step in steps:
        words = describe_step(step).split(" ")
        begins = 2 if step.verb is model.Verb.SAIL else 1
        start, end = " ".join(words[:begins]), " ".join(words[begins:])
        of.setdefault(start, {})[end] = None
    same: dict[tuple[str, ...], list[str]] = {}
    for start, ends_of in of.items():
        same.setdefault(tuple(ends_of), []).append(start)
    for choices, who in same.items():
        yield legal_line(who, choices)


def _crews(swimming: Sequence[int]) -> LegalLine:
    crowd = [explorer_name(who) for who in swimming]
    crews = [" ".join(crew) for crew in combinations(crowd, model.ROOM)]
    if len(crews) <= MOST_COMBINATIONS:
        return legal_line("crew", crews)
    return legal_line("crew", crowd, crowd, crowd)


def _aim(options: model.Options) -> Text:
    if options.ending is model.Ending.VOLCANO:
        return _(
            "Bring your explorers from the sinking island to the isles in the corners of the board "
            "before the volcano erupts."
        )
    return _(
        "Bring your explorers from the sinking island to the isles in the corners of the board "
        "before it is too late."
    )


def _winner(options: model.Options) -> Text:
    if options.equal:
        return _("The player with the most explorers on isles wins.")
    return _("Only explorers on an isle count their value, and the highest sum wins.")


def introduction(view: model.View) -> tuple[Text, ...]:
    """The game in short, for the first email."""
    board, seat = view.board, view.viewer
    if seat is None:
        return ()
    values = ", ".join(map(str, sorted(model.VALUES)))
    found = [
        literal("%(aim)s %(winner)s", aim=_aim(board.options), winner=_winner(board.options)),
        _(
            "You have %(count)s explorers. In each colour, the values are %(values)s, and only "
            "you know which of your explorers has which.",
            count=len(own(board, seat)),
            values=values,
        ),
        _(
            "On your turn you take up to three steps with your explorers and ships, sink a tile "
            "of the island, and roll the die, which lets you move a sea serpent, a shark or a "
            "whale. Beaches sink first, then forests, then mountains. What lies under a tile "
            "happens at once or is yours to keep for later."
        ),
        _(
            "In the picture, rows have letters and columns have numbers: E5 is the fifth hex of "
            "row E. Explorers carry the letter of their colour and a number, such as V3. "
            "Serpents destroy ships, sharks eat swimmers, and whales overturn ships."
        ),
    ]
    if board.is_setup:
        found.append(
            _(
                "First all explorers and then the ships are placed, one at a time in turn. You can "
                "plan that ahead, or have it done for you: reply “plan coast”, “plan inland” or "
                "“plan spread”."
            )
        )
    return tuple(found)
