"""Events as sentences for the log and for emails.

In the past tense, so that the same sentence reads well with a name and with "you". Only what
the event shows; `view` decides who may read what.
"""

from collections.abc import Sequence
from typing import assert_never

from ..text import Seat, Text, _, and_list, literal, ngettext, result, seat_list
from . import model
from .names import (
    A_CREATURE,
    BACKS,
    NO_CREATURE,
    TERRAIN_NAMES,
    THE_CREATURE,
    explorer_name,
    explorer_names,
    isle_name,
)
from .names import place_name as place

Words = dict[str, str | int | Seat | Text]


def sentence(event: model.Event) -> Text | None:
    """The event, as `visible` left it, in one or a few sentences; None if it says nothing."""
    words = _words(event)
    match event:
        case model.Prepared(order=order):
            return _("The island was laid out. Order of play: %(seats)s.", seats=seat_list(order))
        case model.Placed(explorer=explorer, value=value):
            words["explorer"] = explorer_name(explorer)
            if value is None:
                return _("%(seat)s placed %(explorer)s on %(hex)s.", **words)
            words["value"] = value
            return _("%(seat)s placed %(explorer)s, worth %(value)s, on %(hex)s.", **words)
        case model.Launched():
            return _("%(seat)s placed a ship at %(hex)s.", **words)
        case model.Planned(plan=plan):
            if plan is None:
                return None
            if plan.wishes or plan.ships or plan.preset:
                return _("%(seat)s made a setup plan.", **words)
            return _("%(seat)s deleted the setup plan.", **words)
        case model.Ordered(standing=standing):
            return None if standing is None else standing_sentence(standing)
        case model.Began() | model.Turned():
            return None  # the events that follow say what came of it
        case model.Played():
            return _played(event, words)
        case model.Stepped():
            return _stepped(event, words)
        case model.Harmed():
            return _harmed(event, words)
        case model.Sank():
            return _sank(event, words)
        case model.Appeared():
            return _appeared(event, words)
        case model.Whirled():
            return _whirled(event, words)
        case model.Erupted(lost=()):
            return _("The volcano at %(hex)s erupted.", **words)
        case model.Erupted(lost=lost):
            words["explorers"] = explorer_names(lost)
            return _(
                "The volcano at %(hex)s erupted. Everyone not on an isle was lost: %(explorers)s.",
                **words,
            )
        case model.Rolled():
            return _("%(seat)s rolled %(creature)s.", **words)
        case model.Boarded(explorers=explorers):
            words["explorers"] = explorer_names(explorers)
            return _("%(seat)s chose who boarded the new ship: %(explorers)s.", **words)
        case model.Steered(start=None):
            words["creature"] = NO_CREATURE[event.creature]
            return _("%(seat)s moved %(creature)s.", **words)
        case model.Steered(way=way):
            words["hex"] = place(way[-1])
            return _("%(seat)s moved %(creature)s from %(start)s to %(hex)s.", **words)
        case model.Alerted(creature=creature, seats=seats):
            words["seats"] = seat_list(seats)
            if creature is model.Creature.SHARK:
                return _(
                    "The shark attacked swimmers at %(hex)s. Asked to respond: %(seats)s.", **words
                )
            return _(
                "The whale attacked the ship at %(hex)s. Asked to respond: %(seats)s.", **words
            )
        case model.Answered(defend=defend):
            if defend is None:
                return None
            if defend:
                return _("%(seat)s chose to defend.", **words)
            return _("%(seat)s chose not to defend.", **words)
        case model.Defended(creature=creature):
            words["creature"] = THE_CREATURE[creature]
            return _(
                "%(seat)s defended: %(creature)s at %(hex)s left the game and nobody was hurt.",
                **words,
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


def counted(event: model.Event, count: int) -> Text | None:
    """Describe the number of explorers or ships that a player placed; None for all other events."""
    if count == 1:
        return sentence(event) if isinstance(event, model.Placed | model.Launched) else None
    words = _words(event)
    match event:
        case model.Placed():
            return ngettext(
                "%(seat)s placed %(count)s explorer.",
                "%(seat)s placed %(count)s explorers.",
                count,
                **words,
            )
        case model.Launched():
            return ngettext(
                "%(seat)s placed %(count)s ship.",
                "%(seat)s placed %(count)s ships.",
                count,
                **words,
            )
        case _:
            return None


def learnt(events: Sequence[model.Event]) -> tuple[Text, ...]:
    """How often the die was rolled, and the tiles turned over, those kept by player."""
    rolled = sum(isinstance(event, model.Rolled) for event in events)
    sunk = [event for event in events if isinstance(event, model.Sank)]
    shown = sum(not event.kept for event in sunk)
    kept = [event.seat for event in sunk if event.kept]
    found = [
        ngettext(
            "%(seat)s looked at %(count)s tile and kept it.",
            "%(seat)s looked at %(count)s tiles and kept them.",
            kept.count(seat),
            seat=Seat(seat),
        )
        for seat in dict.fromkeys(kept)
    ]
    if shown:
        found.append(
            ngettext("%(count)s tile was turned over.", "%(count)s tiles were turned over.", shown)
        )
    if rolled:
        found.append(ngettext("The die was rolled.", "The die was rolled %(count)s times.", rolled))
    return tuple(found)


def sentences(events: Sequence[model.Event]) -> tuple[Text | None, ...]:
    """The events of a move as sentences that follow one another: a player is named once."""
    named: int | None = None
    found: list[Text | None] = []
    for event in events:
        seat: int | None = getattr(event, "seat", None)
        is_named = seat is not None and seat == named
        text = (_continued(event) if is_named else None) or sentence(event)
        if text is not None and seat is not None:
            named = seat
        found.append(text)
    return tuple(found)


def _continued(event: model.Event) -> Text | None:
    """Describe a further event of a move without the name; None for what only begins a move."""
    words = _words(event)
    match event:
        case model.Stepped():
            return _step(event, words)
        case model.Sank(terrain=terrain, back=back, kept=kept):
            words["terrain"] = TERRAIN_NAMES[terrain]
            if back is None:
                return _("%(hex)s (%(terrain)s) sank; the tile was kept face down.", **words)
            words["back"] = BACKS[back]
            if kept:
                return _("%(hex)s (%(terrain)s) sank; the tile was kept: %(back)s.", **words)
            return _("%(hex)s (%(terrain)s) sank. On its back: %(back)s.", **words)
        case model.Rolled():
            return _("The die showed %(creature)s.", **words)
        case model.Defended(creature=creature):
            words["creature"] = THE_CREATURE[creature]
            return _(
                "The defence worked: %(creature)s at %(hex)s left the game and nobody was hurt.",
                **words,
            )
        case _:
            return None


def _words(event: model.Event) -> Words:
    """The parameters that many sentences take, as far as the event has them."""
    words: Words = {}
    if (seat := getattr(event, "seat", None)) is not None:
        words["seat"] = Seat(seat)
    if (creature := getattr(event, "creature", None)) is not None:
        words["creature"] = A_CREATURE[creature]
    for name in ("hex", "start"):
        if (hex_ := getattr(event, name, None)) is not None:
            words[name] = place(hex_)
    return words


def standing_sentence(standing: model.Standing) -> Text:
    """A standing order, as a note to oneself."""
    words: Words = {"creature": A_CREATURE[standing.creature]}
    if standing.at_least is None:
        return _("Standing order: ask me whether to defend against %(creature)s.", **words)
    if standing.at_least == 0:
        return _("Standing order: never defend against %(creature)s.", **words)
    if standing.at_least == 1:
        return _("Standing order: always defend against %(creature)s.", **words)
    return _(
        "Standing order: defend against %(creature)s if at least %(count)s of my explorers are "
        "in danger.",
        count=standing.at_least,
        **words,
    )


def _played(event: model.Played, words: Words) -> Text:
    words["hex"] = place(event.way[-1])
    if event.tile is model.Back.DOLPHIN:
        words["explorer"] = explorer_name(event.start)
        return _("%(seat)s played a dolphin: it carried %(explorer)s to %(hex)s.", **words)
    if event.tile is model.Back.WIND:
        return _("%(seat)s played wind: the ship at %(start)s sailed to %(hex)s.", **words)
    words["creature"] = THE_CREATURE[model.MOVES[event.tile]]
    return _("%(seat)s played a tile: %(creature)s moved from %(start)s to %(hex)s.", **words)


def _stepped(event: model.Stepped, words: Words) -> Text:
    """A step with the player who took it."""
    step = event.step
    match step.verb:
        case model.Verb.SAIL:
            words["hex"] = place(step.to)
            return _("%(seat)s sailed the ship at %(start)s to %(hex)s.", **words)
        case model.Verb.WALK:
            words |= {"explorer": explorer_name(step.who), "hex": place(step.to)}
            return _("%(seat)s moved %(explorer)s from %(start)s to %(hex)s.", **words)
        case _:
            return literal("%(seat)s: %(step)s", seat=words["seat"], step=_step(event, words))


def _step(event: model.Stepped, words: Words) -> Text:
    """A step without the player."""
    verb, who, to = event.step.verb, event.step.who, event.step.to
    words = {**words, "hex": place(to)}
    if verb is model.Verb.SAIL:
        return _("The ship at %(start)s sailed to %(hex)s.", **words)
    words["explorer"] = explorer_name(who)
    match verb:
        case model.Verb.WALK:
            return _("%(explorer)s moved from %(start)s to %(hex)s.", **words)
        case model.Verb.BOARD:
            return _("%(explorer)s boarded the ship at %(hex)s.", **words)
        case model.Verb.SWIM if to == event.start:
            return _("%(explorer)s jumped into the water at %(hex)s.", **words)
        case model.Verb.SWIM:  # from land, or on from another hex
            return _("%(explorer)s swam from %(start)s to %(hex)s.", **words)
        case model.Verb.ASHORE:
            words["isle"] = isle_name(to)
            return _("%(explorer)s is safe on the isle %(isle)s.", **words)


def _harmed(event: model.Harmed, words: Words) -> Text:
    words["explorers"] = explorer_names(event.overboard or event.lost)
    if not event.ship:
        words["creature"] = THE_CREATURE[event.creature]
        return _("At %(hex)s, %(creature)s attacked. Lost: %(explorers)s.", **words)
    if event.overboard:
        return _(
            "The ship at %(hex)s was destroyed by %(creature)s. In the water: %(explorers)s.",
            **words,
        )
    return _("The ship at %(hex)s was destroyed by %(creature)s. Lost: %(explorers)s.", **words)


def _sank(event: model.Sank, words: Words) -> Text:
    words["terrain"] = TERRAIN_NAMES[event.terrain]
    if event.back is None:
        return _("%(seat)s sank %(hex)s (%(terrain)s) and kept the tile face down.", **words)
    words["back"] = BACKS[event.back]
    if event.kept:
        return _("%(seat)s sank %(hex)s (%(terrain)s) and kept the tile: %(back)s.", **words)
    return _("%(seat)s sank %(hex)s (%(terrain)s). On its back: %(back)s.", **words)


def _appeared(event: model.Appeared, words: Words) -> Text:
    match event.piece:
        case model.Back.SHARK:
            return _("A shark appeared at %(hex)s.", **words)
        case model.Back.WHALE:
            return _("A whale appeared at %(hex)s.", **words)
    if event.crowd:
        return _(
            "A ship appeared at %(hex)s among more than three swimmers: three of them can board.",
            **words,
        )
    if event.aboard:
        words["explorers"] = explorer_names(event.aboard)
        return _("A ship appeared at %(hex)s and took %(explorers)s on board.", **words)
    return _("A ship appeared at %(hex)s.", **words)


def _whirled(event: model.Whirled, words: Words) -> Text:
    parts = [literal(explorer_names(event.explorers))] if event.explorers else []
    if count := len(event.ships):
        parts.append(ngettext("%(count)s ship", "%(count)s ships", count))
    if count := len(event.serpents):
        parts.append(ngettext("%(count)s sea serpent", "%(count)s sea serpents", count))
    if count := len(event.sharks):
        parts.append(ngettext("%(count)s shark", "%(count)s sharks", count))
    if count := len(event.whales):
        parts.append(ngettext("%(count)s whale", "%(count)s whales", count))
    if not parts:
        return _("The whirlpool at %(hex)s found nothing to pull down.", **words)
    return _("The whirlpool at %(hex)s pulled down: %(things)s.", things=and_list(parts), **words)
