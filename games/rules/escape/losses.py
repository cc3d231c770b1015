"""What others took from a player since its last move, for the first lines of an email."""

from collections.abc import Iterable, Iterator, Sequence

from ..text import Text, _, and_list, literal
from . import model
from .board import own, swimmers, swims
from .creatures import ways
from .names import CREATURES, THE_CREATURE, explorer_name, explorer_names, place_name

_EATERS = (model.Creature.SHARK, model.Creature.SERPENT)


def losses(view: model.View, events: Sequence[model.Event]) -> tuple[Text, ...]:
    """The explorers that the viewer lost, its ships and tiles that are gone, and its swimmers in
    danger, the worst first. events: as the viewer may see them."""
    if view.viewer is None:
        return ()
    mine = frozenset(own(view.board, view.viewer))
    return (
        *_lost(view, mine, events),
        *_wrecked(mine, events),
        *_spent(view, events),
        *_sunk(view, mine, events),
        *_in_danger(view, mine),
    )


def _lost(view: model.View, mine: frozenset[int], events: Iterable[model.Event]) -> Iterator[Text]:
    """All explorers in one sentence: "You lost U3, worth 2"."""
    lost: list[int] = []
    for event in events:
        match event:
            case model.Harmed(lost=who) | model.Erupted(lost=who) | model.Drowned(lost=who):
                lost += who
            case model.Whirled(explorers=who):
                lost += who
    named = [_worth(view, who) for who in lost if who in mine]
    if named:
        yield _("You lost %(explorers)s.", explorers=and_list(named))


def _worth(view: model.View, who: int) -> Text:
    value = view.values[who]
    if value is None:
        return literal(explorer_name(who))
    return _("%(explorer)s, worth %(value)s", explorer=explorer_name(who), value=value)


def _wrecked(mine: frozenset[int], events: Iterable[model.Event]) -> Iterator[Text]:
    for event in events:
        if isinstance(event, model.Harmed) and not mine.isdisjoint(event.overboard):
            yield _(
                "You lost your ship at %(hex)s. In the water: %(explorers)s.",
                hex=place_name(event.hex),
                explorers=explorer_names(who for who in event.overboard if who in mine),
            )


def _sunk(view: model.View, mine: frozenset[int], events: Iterable[model.Event]) -> Iterator[Text]:
    """Tiles that went down under explorers of the viewer, whom nobody else moves there."""
    for event in events:
        if isinstance(event, model.Sank) and event.seat != view.viewer:
            fell = [who for who in swimmers(view.board, event.hex) if who in mine]
            if fell:
                yield _(
                    "The tile under you at %(hex)s sank. In the water: %(explorers)s.",
                    hex=place_name(event.hex),
                    explorers=explorer_names(fell),
                )


def _spent(view: model.View, events: Iterable[model.Event]) -> Iterator[Text]:
    for event in events:
        if isinstance(event, model.Defended) and event.seat == view.viewer:
            yield _(
                "You spent your tile against %(creature)s at %(hex)s.",
                creature=THE_CREATURE[event.creature],
                hex=place_name(event.hex),
            )


def _in_danger(view: model.View, mine: frozenset[int]) -> Iterator[Text]:
    board = view.board
    for creature in _EATERS:
        herd = board.sharks if creature is model.Creature.SHARK else board.serpents
        reached = {end for start in set(herd) for end in ways(board, creature, start)}
        near = [who for who in sorted(mine) if swims(board, who) and board.where[who] in reached]
        if near:
            yield _(
                "In danger: %(explorers)s. Within reach: %(creature)s.",
                creature=CREATURES[creature],
                explorers=and_list(
                    [
                        literal(
                            "%(explorer)s (%(hex)s)",
                            explorer=explorer_name(who),
                            hex=place_name(board.where[who]),
                        )
                        for who in near
                    ]
                ),
            )
