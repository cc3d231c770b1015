"""The shorter forms: a crew, a creature, a defence, and answers left in advance."""

from __future__ import annotations

from ...asking import Asker
from ...engine import Option, Text, _, ngettext
from ..board import crew as crew_of
from ..board import herd, swimmers
from ..creatures import ways
from ..hexes import NAMES
from ..marks import hex_mark
from ..model import DEFENCES, ROOM, Creature, Crew, Defend, Standing, Steer, View
from ..words import CREATURES, explorer_name, explorer_names
from .pieces import explorer_option
from .turn import NOBODY, creature_option

MOST = 6  # explorers at stake that are worth a choice of their own


def crew(asker: Asker, view: View) -> Crew:
    """Three of the swimmers for the ship that came up."""
    site = view.board.site
    assert site is not None, "a ship came up among a crowd"
    crowd = swimmers(view.board, site)
    picked = asker.many(
        "crew",
        _("Who climbs into the new ship on %(hex)s? Pick three.", hex=NAMES[site]),
        [explorer_option(view, who) for who in crowd],
        preset=None,
        misfit=_("Pick three of those who swim there."),
    )
    if len(picked) != ROOM:
        asker.refuse(
            ngettext(
                "%(count)s picked: exactly three climb in.",
                "%(count)s picked: exactly three climb in.",
                len(picked),
            )
        )
    return Crew(tuple(who for who in crowd if explorer_name(who) in picked))


def creature(asker: Asker, view: View) -> Steer:
    """A creature of the kind rolled, or none."""
    board = view.board
    kind = board.rolled
    assert kind is not None, "the die was rolled"
    movable = [start for start in sorted(set(herd(board, kind))) if ways(board, kind, start)]
    who = asker.one(
        "creature",
        _("You rolled: %(creature)s. Which one moves?", creature=CREATURES[kind]),
        [Option(NOBODY, _("None of them")), *(creature_option(kind, start) for start in movable)],
        misfit=_("It is not there. Choose again."),
    )
    if who == NOBODY:
        return Steer()
    start = NAMES.index(who)
    to = asker.one(
        "to",
        _("Where to?"),
        [
            Option(
                NAMES[hex_], _("%(hex)s", hex=NAMES[hex_]), _prey(view, kind, hex_), hex_mark(hex_)
            )
            for hex_ in sorted(ways(board, kind, start))
        ],
        misfit=_("It cannot get there. Choose another hex."),
    )
    return Steer(start, NAMES.index(to))


def _prey(view: View, kind: Creature, hex_: int) -> Text | None:
    """Who is in danger there."""
    prey = () if kind is Creature.WHALE else swimmers(view.board, hex_)
    if kind is not Creature.SHARK:
        prey += crew_of(view.board, hex_)
    return _("where %(explorers)s are", explorers=explorer_names(prey)) if prey else None


def defence(asker: Asker, view: View) -> Defend:
    """Spend the defence, or let it happen."""
    board, seat = view.board, view.viewer
    kind = board.rolled
    assert kind is not None and seat is not None, "somebody is attacked"
    options = [Option("allow", _("Let it happen"))]
    if DEFENCES[kind] in (view.kept[seat] or ()):
        options.append(
            Option(
                "defend",
                _("Defend"),
                _("You spend the tile; the creature is gone for good, and nobody is hurt."),
            )
        )
    chosen = asker.one(
        "answer",
        _("Do you defend?"),  # against what, and who is in danger, the question says
        options,
        misfit=_("You have no tile that defends against this."),
    )
    return Defend(chosen == "defend")


def standing(asker: Asker, view: View) -> Standing:
    """How to answer when a shark or whale comes."""
    kind = Creature(
        asker.one(
            "creature",
            _("When who comes?"),
            [
                Option(Creature.SHARK.value, CREATURES[Creature.SHARK], icon="shark"),
                Option(Creature.WHALE.value, CREATURES[Creature.WHALE], icon="whale"),
            ],
        )
    )
    now = view.standing[kind is Creature.WHALE]
    chosen = asker.one(
        "answer",
        _("What shall happen?"),
        [
            Option("ask", _("Ask me")),
            Option("0", _("Never defend")),
            Option("1", _("Always defend")),
            *(
                Option(
                    str(number),
                    ngettext(
                        "Defend when at least %(count)s of my explorers is at stake",
                        "Defend when at least %(count)s of my explorers are at stake",
                        number,
                    ),
                )
                for number in range(2, MOST + 1)
            ),
        ],
        default=("ask" if now is None else str(min(now, MOST)))
        if asker.given("creature")
        else None,
    )
    return Standing(kind, None if chosen == "ask" else int(chosen))
