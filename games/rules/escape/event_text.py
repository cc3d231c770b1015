"""What happened, for the log and for emails.

In the past tense, so that the same sentence reads well with a name and with "you". Only what
the event shows; `view` decides who may read what.
"""

from __future__ import annotations

from typing import assert_never

from ..text import Seat, Text, _, and_list, literal, ngettext, result, seat_list
from . import model
from .names import (
    BACKS,
    CREATURES,
    TERRAIN_NAMES,
    explorer_name,
    explorer_names,
    isle_name,
    place_name,
)


def sentence(event: model.Event) -> Text | None:
    """The event, as `visible` left it, in one or a few sentences; None if it says nothing."""
    match event:
        case model.Prepared(order=order):
            return _("The island was laid out. Order of play: %(seats)s.", seats=seat_list(order))
        case model.Placed():
            return _placed(event)
        case model.Launched(seat=seat, hex=hex_):
            return _("%(seat)s placed a ship at %(hex)s.", seat=Seat(seat), hex=place_name(hex_))
        case model.Planned(plan=plan):
            return None if plan is None else _planned(event)
        case model.Ordered(standing=standing):
            return None if standing is None else standing_sentence(standing)
        case model.Began() | model.Turned():
            return None  # the events that follow say what came of it
        case model.Played():
            return _played(event)
        case model.Stepped():
            return _stepped(event)
        case model.Harmed():
            return _harmed(event)
        case model.Sank():
            return _sank(event)
        case model.Appeared():
            return _appeared(event)
        case model.Whirled():
            return _whirled(event)
        case model.Erupted(hex=hex_, lost=lost):
            if not lost:
                return _("The volcano at %(hex)s erupted.", hex=place_name(hex_))
            return _(
                "The volcano at %(hex)s erupted. Everyone not on an isle was lost: %(explorers)s.",
                hex=place_name(hex_),
                explorers=explorer_names(lost),
            )
        case model.Rolled(seat=seat, creature=creature):
            return _("%(seat)s rolled %(creature)s.", seat=Seat(seat), creature=CREATURES[creature])
        case model.Boarded(seat=seat, explorers=explorers):
            return _(
                "%(seat)s chose who boarded the new ship: %(explorers)s.",
                seat=Seat(seat),
                explorers=explorer_names(explorers),
            )
        case model.Steered():
            return _steered(event)
        case model.Alerted():
            return _alerted(event)
        case model.Answered(seat=seat, defend=defend):
            return _answered(seat, defend)
        case model.Defended(seat=seat, creature=creature, hex=hex_):
            return _(
                "%(seat)s defended: the %(creature)s at %(hex)s left the game and nobody was hurt.",
                seat=Seat(seat),
                creature=CREATURES[creature],
                hex=place_name(hex_),
            )
        case model.Drowned(lost=lost):
            return _(
                "Every player had taken twelve turns since the last tile sank. Lost at sea: "
                "%(explorers)s.",
                explorers=explorer_names(lost),
            )
        case model.Ended(scores=scores, winners=winners):
            return result(scores, winners)
        case _:
            assert_never(event)


def _placed(event: model.Placed) -> Text:
    seat, hex_ = Seat(event.seat), place_name(event.hex)
    name = explorer_name(event.explorer)
    if event.value is None:
        return _("%(seat)s placed %(explorer)s on %(hex)s.", seat=seat, explorer=name, hex=hex_)
    return _(
        "%(seat)s placed %(explorer)s, worth %(value)s, on %(hex)s.",
        seat=seat,
        explorer=name,
        value=event.value,
        hex=hex_,
    )


def _planned(event: model.Planned) -> Text:
    plan = event.plan
    if plan is None or not (plan.wishes or plan.ships or plan.preset):
        return _("%(seat)s deleted the setup plan.", seat=Seat(event.seat))
    return _("%(seat)s made a setup plan.", seat=Seat(event.seat))


def standing_sentence(standing: model.Standing) -> Text:
    """What somebody wants done when a creature comes, as a note to oneself."""
    creature = CREATURES[standing.creature]
    if standing.at_least is None:
        return _(
            "Standing order: ask me whether to defend against a %(creature)s.", creature=creature
        )
    if standing.at_least == 0:
        return _("Standing order: never defend against a %(creature)s.", creature=creature)
    if standing.at_least == 1:
        return _("Standing order: always defend against a %(creature)s.", creature=creature)
    return _(
        "Standing order: defend against a %(creature)s if at least %(count)s of my explorers are "
        "in danger.",
        creature=creature,
        count=standing.at_least,
    )


def _played(event: model.Played) -> Text:
    seat, to = Seat(event.seat), place_name(event.way[-1])
    if event.tile is model.Back.DOLPHIN:
        return _(
            "%(seat)s played a dolphin: it carried %(explorer)s to %(hex)s.",
            seat=seat,
            explorer=explorer_name(event.start),
            hex=to,
        )
    if event.tile is model.Back.WIND:
        return _(
            "%(seat)s played wind: the ship at %(start)s sailed to %(hex)s.",
            seat=seat,
            start=place_name(event.start),
            hex=to,
        )
    return _(
        "%(seat)s played a tile: the %(creature)s moved from %(start)s to %(hex)s.",
        seat=seat,
        creature=CREATURES[model.MOVES[event.tile]],
        start=place_name(event.start),
        hex=to,
    )


def _stepped(event: model.Stepped) -> Text:
    step, seat, start = event.step, Seat(event.seat), place_name(event.start)
    to = place_name(step.to)
    match step.verb:
        case model.Verb.SAIL:
            return _(
                "%(seat)s sailed the ship at %(start)s to %(hex)s.", seat=seat, start=start, hex=to
            )
        case model.Verb.WALK:
            return _(
                "%(seat)s moved %(explorer)s from %(start)s to %(hex)s.",
                seat=seat,
                explorer=explorer_name(step.who),
                start=start,
                hex=to,
            )
        case model.Verb.BOARD:
            return _(
                "%(seat)s: %(explorer)s boarded the ship at %(hex)s.",
                seat=seat,
                explorer=explorer_name(step.who),
                hex=to,
            )
        case model.Verb.SWIM if step.to == event.start:
            return _(
                "%(seat)s: %(explorer)s jumped into the water at %(hex)s.",
                seat=seat,
                explorer=explorer_name(step.who),
                hex=to,
            )
        case model.Verb.SWIM:
            return _(
                "%(seat)s: %(explorer)s entered the water, from %(start)s to %(hex)s.",
                seat=seat,
                explorer=explorer_name(step.who),
                start=start,
                hex=to,
            )
        case model.Verb.ASHORE:
            return _(
                "%(seat)s: %(explorer)s is safe on the isle %(isle)s.",
                seat=seat,
                explorer=explorer_name(step.who),
                isle=isle_name(step.to),
            )


def _harmed(event: model.Harmed) -> Text:
    creature, hex_ = CREATURES[event.creature], place_name(event.hex)
    if not event.ship:
        return _(
            "The %(creature)s at %(hex)s attacked. Lost: %(explorers)s.",
            creature=creature,
            hex=hex_,
            explorers=explorer_names(event.lost),
        )
    if event.overboard:
        return _(
            "A %(creature)s destroyed the ship at %(hex)s. In the water: %(explorers)s.",
            creature=creature,
            hex=hex_,
            explorers=explorer_names(event.overboard),
        )
    return _(
        "A %(creature)s destroyed the ship at %(hex)s. Lost: %(explorers)s.",
        creature=creature,
        hex=hex_,
        explorers=explorer_names(event.lost),
    )


def _sank(event: model.Sank) -> Text:
    seat, hex_ = Seat(event.seat), place_name(event.hex)
    terrain = TERRAIN_NAMES[event.terrain]
    if event.back is None:
        return _(
            "%(seat)s sank %(hex)s (%(terrain)s) and kept the tile face down.",
            seat=seat,
            hex=hex_,
            terrain=terrain,
        )
    if event.kept:
        return _(
            "%(seat)s sank %(hex)s (%(terrain)s) and kept the tile: %(back)s.",
            seat=seat,
            hex=hex_,
            terrain=terrain,
            back=BACKS[event.back],
        )
    return _(
        "%(seat)s sank %(hex)s (%(terrain)s). On its back: %(back)s.",
        seat=seat,
        hex=hex_,
        terrain=terrain,
        back=BACKS[event.back],
    )


def _appeared(event: model.Appeared) -> Text:
    hex_ = place_name(event.hex)
    if event.piece is model.Back.SHIP:
        if event.crowd:
            return _(
                "A ship appeared at %(hex)s among more than three swimmers: three of them can "
                "board.",
                hex=hex_,
            )
        if event.aboard:
            return _(
                "A ship appeared at %(hex)s and took %(explorers)s on board.",
                hex=hex_,
                explorers=explorer_names(event.aboard),
            )
        return _("A ship appeared at %(hex)s.", hex=hex_)
    if event.piece is model.Back.SHARK:
        return _("A shark appeared at %(hex)s.", hex=hex_)
    return _("A whale appeared at %(hex)s.", hex=hex_)


def _whirled(event: model.Whirled) -> Text:
    hex_ = place_name(event.hex)
    parts: list[Text] = []
    if event.explorers:
        parts.append(literal("%(explorers)s", explorers=explorer_names(event.explorers)))
    if event.ships:
        parts.append(ngettext("%(count)s ship", "%(count)s ships", len(event.ships)))
    if event.serpents:
        parts.append(
            ngettext("%(count)s sea serpent", "%(count)s sea serpents", len(event.serpents))
        )
    if event.sharks:
        parts.append(ngettext("%(count)s shark", "%(count)s sharks", len(event.sharks)))
    if event.whales:
        parts.append(ngettext("%(count)s whale", "%(count)s whales", len(event.whales)))
    if not parts:
        return _("The whirlpool at %(hex)s pulled nothing down.", hex=hex_)
    return _("The whirlpool at %(hex)s pulled down: %(things)s.", hex=hex_, things=and_list(parts))


def _steered(event: model.Steered) -> Text:
    seat, creature = Seat(event.seat), CREATURES[event.creature]
    if event.start is None:
        return _("%(seat)s did not move a %(creature)s.", seat=seat, creature=creature)
    return _(
        "%(seat)s moved a %(creature)s from %(start)s to %(hex)s.",
        seat=seat,
        creature=creature,
        start=place_name(event.start),
        hex=place_name(event.way[-1]),
    )


def _alerted(event: model.Alerted) -> Text:
    seats = seat_list(event.seats)
    if event.creature is model.Creature.SHARK:
        return _(
            "The shark attacked swimmers at %(hex)s. Asked to respond: %(seats)s.",
            hex=place_name(event.hex),
            seats=seats,
        )
    return _(
        "The whale attacked the ship at %(hex)s. Asked to respond: %(seats)s.",
        hex=place_name(event.hex),
        seats=seats,
    )


def _answered(seat: int, defend: bool | None) -> Text | None:
    if defend is None:
        return None
    if defend:
        return _("%(seat)s chose to defend.", seat=Seat(seat))
    return _("%(seat)s chose not to defend.", seat=Seat(seat))
