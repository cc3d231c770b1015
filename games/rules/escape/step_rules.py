"""The rules of steps (A turn, step 2), each stated once.

`RULES` says for each verb and origin which conditions a step must meet, and why it is refused where
it does not meet one. `steps` lists, checks and explains by this table alone.
"""

from collections.abc import Callable, Collection
from enum import Enum, IntFlag, auto
from functools import cache
from itertools import groupby
from typing import NamedTuple

from ..text import Text, _
from .hexes import ISLE_AT, NEAR
from .model import Verb
from .names import explorer_name, isle_name, place_name


class Origin(IntFlag):
    """The origin of a step: the place of its explorer, or who controls the ship that sails."""

    LAND = auto()
    SHIP = auto()
    CLIMBED = auto()  # aboard, but in the water earlier in this turn
    WATER = auto()
    SWUM = auto()  # in the water, where nothing else can be done in this turn
    ISLE = auto()
    LOST = auto()
    HAND = auto()
    OWN_SHIP = auto()  # empty, or under the seat's control
    OTHER_SHIP = auto()  # under the control of others
    NO_SHIP = auto()


ABOARD = Origin.SHIP | Origin.CLIMBED


# -- conditions ----------------------------------------------------------------------------
# A condition is a set of places where the step may lead: one that follows from the hex on which the
# step begins (Reach), or one that follows from what is on the board (Place).


class Place(Enum):
    TERRAIN = auto()
    SEA = auto()
    SHIP = auto()
    ROOM = auto()  # all but hexes with a full ship
    NO_SHIP = auto()


Reach = Callable[[int], Collection[int]]


def _near(here: int) -> Collection[int]:
    return NEAR[here]


def _here(here: int) -> Collection[int]:
    return (here,)


def _isle(here: int) -> Collection[int]:
    return (ISLE_AT[here],) if here in ISLE_AT else ()


def _nowhere(here: int) -> Collection[int]:
    return ()


# -- reasons -------------------------------------------------------------------------------


class Attempt(NamedTuple):
    """A step that is refused. who: its explorer or ship; here: the hex it begins on."""

    who: int
    here: int
    to: int


Reason = Callable[[Attempt], Text]


def _not_near(step: Attempt) -> Text:
    return _("%(to)s is not next to %(hex)s.", to=place_name(step.to), hex=place_name(step.here))


def _is_land(step: Attempt) -> Text:
    return _("%(hex)s is land.", hex=place_name(step.to))


def _is_sea(step: Attempt) -> Text:
    return _("%(hex)s is a sea hex.", hex=place_name(step.to))


def _no_ship(step: Attempt) -> Text:
    return _("There is no ship at %(hex)s.", hex=place_name(step.to))


def _full(step: Attempt) -> Text:
    return _("The ship at %(hex)s is full.", hex=place_name(step.to))


def _no_isle(step: Attempt) -> Text:
    return _("%(hex)s does not touch an isle.", hex=place_name(step.here))


def _other_isle(step: Attempt) -> Text:
    if step.here not in ISLE_AT:
        return _no_isle(step)
    return _(
        "%(explorer)s can only land on the isle %(isle)s.",
        explorer=explorer_name(step.who),
        isle=isle_name(ISLE_AT[step.here]),
    )


def _no_return(step: Attempt) -> Text:
    return _("Explorers cannot return to land.")


def _other_hex(step: Attempt) -> Text:
    return _("A swimmer can only board a ship on the same hex, %(hex)s.", hex=place_name(step.here))


def _jumps_far(step: Attempt) -> Text:
    return _(
        "From a ship, an explorer can only jump into the water of the same hex, %(hex)s.",
        hex=place_name(step.here),
    )


def _climbed(step: Attempt) -> Text:
    return _(
        "%(explorer)s climbed aboard from the water this turn and cannot jump back in.",
        explorer=explorer_name(step.who),
    )


def _swum(step: Attempt) -> Text:
    return _(
        "%(explorer)s is in the water and cannot do anything else this turn.",
        explorer=explorer_name(step.who),
    )


def _safe(step: Attempt) -> Text:
    return _(
        "%(explorer)s is safe on an isle and can no longer move.", explorer=explorer_name(step.who)
    )


def _lost(step: Attempt) -> Text:
    return _("%(explorer)s has been lost.", explorer=explorer_name(step.who))


def _in_hand(step: Attempt) -> Text:
    return _("%(explorer)s is not on the board yet.", explorer=explorer_name(step.who))


def _nothing_to_sail(step: Attempt) -> Text:
    return _("There is no ship at %(hex)s.", hex=place_name(step.here))


def _controlled(step: Attempt) -> Text:
    return _(
        "Another player has more explorers on the ship at %(hex)s and controls it.",
        hex=place_name(step.here),
    )


def _ship_there(step: Attempt) -> Text:
    return _("There is already a ship at %(hex)s.", hex=place_name(step.to))


# -- the table -----------------------------------------------------------------------------


class Rule(NamedTuple):
    """A step with this verb (None: any) from one of these origins must lead to a place that meets
    the condition; where it does not, the reason says why it is refused."""

    verb: Verb | None
    origins: Origin
    condition: Reach | Place
    reason: Reason


# Of several reasons the first is given.
RULES: tuple[Rule, ...] = (
    Rule(None, Origin.ISLE, _nowhere, _safe),
    Rule(None, Origin.LOST, _nowhere, _lost),
    Rule(None, Origin.HAND, _nowhere, _in_hand),
    Rule(None, Origin.SWUM, _nowhere, _swum),
    Rule(Verb.WALK, Origin.WATER | ABOARD, _nowhere, _no_return),
    Rule(Verb.WALK, Origin.LAND, _near, _not_near),
    Rule(Verb.WALK, Origin.LAND, Place.TERRAIN, _is_sea),
    Rule(Verb.SWIM, Origin.LAND | Origin.WATER, _near, _not_near),
    Rule(Verb.SWIM, Origin.LAND | Origin.WATER, Place.SEA, _is_land),
    Rule(Verb.SWIM, ABOARD, _here, _jumps_far),
    Rule(Verb.SWIM, Origin.CLIMBED, _nowhere, _climbed),
    Rule(Verb.BOARD, Origin.LAND | ABOARD, _near, _not_near),
    Rule(Verb.BOARD, Origin.WATER, _here, _other_hex),
    Rule(Verb.BOARD, Origin.LAND | Origin.WATER | ABOARD, Place.SHIP, _no_ship),
    Rule(Verb.BOARD, Origin.LAND | Origin.WATER | ABOARD, Place.ROOM, _full),
    Rule(Verb.ASHORE, Origin.LAND, _nowhere, _no_isle),
    Rule(Verb.ASHORE, Origin.WATER | ABOARD, _isle, _other_isle),
    Rule(Verb.SAIL, Origin.NO_SHIP, _nowhere, _nothing_to_sail),
    Rule(Verb.SAIL, Origin.OTHER_SHIP, _nowhere, _controlled),
    Rule(Verb.SAIL, Origin.OWN_SHIP, _near, _not_near),
    Rule(Verb.SAIL, Origin.OWN_SHIP, Place.SEA, _is_land),
    Rule(Verb.SAIL, Origin.OWN_SHIP, Place.NO_SHIP, _ship_there),
)
RULES_OF: dict[tuple[Verb, Origin], tuple[Rule, ...]] = {
    (verb, origin): tuple(
        rule for rule in RULES if rule.verb in (verb, None) and origin in rule.origins
    )
    for verb in Verb
    for origin in Origin
}


# -- the table, prepared for lists of steps ------------------------------------------------
# Where a step may lead as far as the hex says on which it begins never changes.


def _places(verb: Verb, origin: Origin) -> tuple[Place, ...]:
    conditions = [rule.condition for rule in RULES_OF[verb, origin]]
    return tuple(one for one in conditions if isinstance(one, Place))


def _reach(verb: Verb, origin: Origin, here: int) -> tuple[int, ...]:
    conditions = [rule.condition for rule in RULES_OF[verb, origin]]
    first, *others = [one(here) for one in conditions if not isinstance(one, Place)]
    return tuple(to for to in first if all(to in other for other in others))


# All combinations of conditions that a place must meet.
COMBINATIONS: tuple[tuple[Place, ...], ...] = tuple({_places(*key): None for key in RULES_OF})

_ORDER: dict[Origin, tuple[Verb, ...]] = {
    Origin.LAND: (Verb.WALK, Verb.BOARD, Verb.SWIM, Verb.ASHORE),
    Origin.WATER: (Verb.ASHORE, Verb.BOARD, Verb.SWIM, Verb.WALK),
    Origin.OWN_SHIP: (Verb.SAIL,),
    Origin.OTHER_SHIP: (Verb.SAIL,),
    Origin.NO_SHIP: (Verb.SAIL,),
}
_USUAL_ORDER = (Verb.BOARD, Verb.ASHORE, Verb.SWIM, Verb.WALK)

Way = tuple[Verb, int, int]


@cache
def ways(origin: Origin, here: int) -> tuple[Way, ...]:
    """(verb, where to, the number of the combination that the place must meet) of all steps that
    may begin on this hex, in the order in which they are listed."""
    found: list[Way] = []
    verbs = _ORDER.get(origin, _USUAL_ORDER)
    for ends, together in groupby(verbs, lambda verb: _reach(verb, origin, here)):
        numbers = [(verb, COMBINATIONS.index(_places(verb, origin))) for verb in together]
        found += [(verb, to, number) for to in ends for verb, number in numbers]
    return tuple(found)
