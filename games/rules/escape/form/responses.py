"""The shorter forms: a crew, a creature, a defence, and answers left in advance."""

from ...move_form import Choice, FormBuilder
from ...text import Text, _, literal, ngettext
from ..board import crew as crew_of
from ..board import herd, swimmers
from ..creatures import ways
from ..hexes import NAMES
from ..model import DEFENCES, ROOM, Creature, Crew, Defend, Standing, Steer, View
from ..names import A_CREATURE, CREATURES, explorer_name, explorer_names, hex_id
from .turn import NOBODY, creature_choice, explorer_choice

MOST = 6  # explorers at stake that are worth a choice of their own


def crew(builder: FormBuilder[View], view: View, site: int) -> Crew:
    """Three of the swimmers for the ship that came up."""
    crowd = swimmers(view.board, site)
    picked = builder.many(
        "crew",
        _("Who boards the new ship at %(hex)s? Pick three.", hex=NAMES[site]),
        [explorer_choice(view, who) for who in crowd],
        invalid_message=_("Pick three of the swimmers on that hex."),
    )
    if len(picked) != ROOM:
        builder.refuse(
            ngettext(
                "You picked %(count)s. Pick exactly three.",
                "You picked %(count)s. Pick exactly three.",
                len(picked),
            )
        )
    return Crew(tuple(who for who in crowd if explorer_name(who) in picked))


def creature(builder: FormBuilder[View], view: View, kind: Creature) -> Steer:
    """A creature of the kind rolled, or none."""
    board = view.board
    movable = [start for start in sorted(set(herd(board, kind))) if ways(board, kind, start)]
    who = builder.one(
        "creature",
        _("You rolled %(creature)s. Which one do you want to move?", creature=A_CREATURE[kind]),
        [Choice(NOBODY, _("None of them")), *(creature_choice(kind, start) for start in movable)],
        invalid_message=_("It is no longer there. Choose again."),
    )
    if who == NOBODY:
        return Steer()
    start = NAMES.index(who)
    to = builder.one(
        "to",
        _("Where to?"),
        [
            Choice(NAMES[hex_], literal(NAMES[hex_]), _prey(view, kind, hex_), hex_id(hex_))
            for hex_ in sorted(ways(board, kind, start))
        ],
        invalid_message=_("It cannot move there. Choose another hex."),
    )
    return Steer(start, NAMES.index(to))


def _prey(view: View, kind: Creature, hex_: int) -> Text | None:
    """The explorers in danger there."""
    prey = () if kind is Creature.WHALE else swimmers(view.board, hex_)
    if kind is not Creature.SHARK:
        prey += crew_of(view.board, hex_)
    return _("in danger: %(explorers)s", explorers=explorer_names(prey)) if prey else None


def defence(builder: FormBuilder[View], view: View, kind: Creature) -> Defend:
    """Spend the defence, or let it happen."""
    choices = [Choice("allow", _("Do not defend"))]
    if DEFENCES[kind] in (view.kept[view.seat] or ()):
        choices.append(
            Choice(
                "defend",
                _("Defend"),
                _("Spend the tile: the creature leaves the game and nobody is hurt."),
            )
        )
    chosen = builder.one(
        "answer",
        _("Do you want to defend?"),  # against what, and who is in danger, the question says
        choices,
        invalid_message=_("You have no tile that defends against this attack."),
    )
    return Defend(chosen == "defend")


def standing(builder: FormBuilder[View], view: View) -> Standing:
    """Ask for the standing answer to sharks and whales."""
    kind = Creature(
        builder.one(
            "creature",
            _("Which attacker?"),
            [
                Choice(Creature.SHARK.value, CREATURES[Creature.SHARK], icon="shark"),
                Choice(Creature.WHALE.value, CREATURES[Creature.WHALE], icon="whale"),
            ],
        )
    )
    now = view.standing[kind is Creature.WHALE]
    chosen = builder.one(
        "answer",
        _("What should happen?"),
        [
            Choice("ask", _("Ask me")),
            Choice("0", _("Never defend")),
            Choice("1", _("Always defend")),
            *(
                Choice(
                    str(number),
                    ngettext(
                        "Defend if at least %(count)s of my explorers is in danger",
                        "Defend if at least %(count)s of my explorers are in danger",
                        number,
                    ),
                )
                for number in range(2, MOST + 1)
            ),
        ],
        default=("ask" if now is None else str(min(now, MOST)))
        if builder.given("creature")
        else None,
    )
    return Standing(kind, None if chosen == "ask" else int(chosen))
