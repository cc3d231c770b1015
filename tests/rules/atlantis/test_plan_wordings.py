"""Plans as people write them, in three languages: read as they were meant, or not at all."""

import contextlib

import pytest

from games.rules.atlantis.model import Item, Move, Plan, PlanLine
from games.rules.errors import MoveError
from tests.rules.atlantis.games import ATLANTIS
from tests.rules.atlantis.tables import table

# Seat 1 plans, with A on space 2, B on 5, C on Atlantis, an olive, a flag and two rings.
BEFORE = "f1 c2 s3 o5 h4 f2 o3 . r6 c1 | *0/0/0 fh s3 | 2/5/0 forr h4f2 b"
A_OLIVE = PlanLine(0, (Item.OLIVE,), 0, 3, lands=4)
B_FLAG = PlanLine(1, (Item.FLAG,), 0, 4, lands=6)
B_RING = PlanLine(1, (Item.RING,), 3, 3, lands=9)


def changed(line: PlanLine, **conditions: object) -> PlanLine:
    return PlanLine(**{name: getattr(line, name) for name in line.__struct_fields__} | conditions)


AT_MOST_2 = changed(A_OLIVE, most=2)
LOOSE = changed(A_OLIVE, most=3, least=2)
ANYWHERE = changed(A_OLIVE, lands=None)
SPARE = changed(A_OLIVE, spare=Item.RING)

WORDINGS: dict[str, tuple[PlanLine, ...]] = {
    # English
    "plan A olive": (A_OLIVE,),
    "plan: A olive": (A_OLIVE,),
    "Plan olive A": (A_OLIVE,),
    "My plan: A olive, please": (A_OLIVE,),
    "plan to move A with olive": (A_OLIVE,),
    "plan olive A, at most 2": (AT_MOST_2,),
    "plan A olive, for at most 2 points": (AT_MOST_2,),
    "plan A olive, pay at most 2": (AT_MOST_2,),
    "plan A olive (max 2)": (AT_MOST_2,),
    "plan A olive, up to 2": (AT_MOST_2,),
    "plan A olive, no more than 2 points": (AT_MOST_2,),
    "plan A olive, at most 3, take at least 2": (LOOSE,),
    "plan A olive at most 3 and take at least 2": (LOOSE,),
    "plan A olive, max 3, min 2": (LOOSE,),
    "plan A olive anywhere": (ANYWHERE,),
    "plan A olive, wherever": (ANYWHERE,),
    "plan A olive, ring if occupied": (SPARE,),
    "plan A olive and ring if it is occupied": (SPARE,),
    "plan A olive, if it is occupied ring": (SPARE,),
    "plan A olive, then a ring if it's occupied": (SPARE,),
    "plan A olive / B flag": (A_OLIVE, B_FLAG),
    "plan A olive / else B flag": (A_OLIVE, B_FLAG),
    "plan A olive, else B flag": (A_OLIVE, B_FLAG),
    "plan A olive, otherwise B flag / B ring": (A_OLIVE, B_FLAG, B_RING),
    "plan A olive, even so": (changed(A_OLIVE, even_so=True),),
    # German
    "Plan: A Olivenzweig": (A_OLIVE,),
    "Mein Plan ist A Olive": (A_OLIVE,),
    "Plan A Olive, höchstens 2": (AT_MOST_2,),
    "plan A Olive für höchstens 2 Punkte": (AT_MOST_2,),
    "plan A Olive, maximal 2": (AT_MOST_2,),
    "plan A Olive, hoechstens 3, nimm mindestens 2": (LOOSE,),
    "plan A Olive, egal wohin": (ANYWHERE,),
    "plan A Olive, Ring falls besetzt": (SPARE,),
    "plan A Olive, dann den Ring, wenn es besetzt ist": (),
    "plan A Olive und den Ring falls es besetzt ist": (SPARE,),
    "plan A Olive, sonst B Fahne": (A_OLIVE, B_FLAG),
    "plan A Olive, trotzdem": (changed(A_OLIVE, even_so=True),),
    # French
    "Plan : A olive": (A_OLIVE,),
    "mon plan : A rameau": (A_OLIVE,),
    "plan A olive, au plus 2": (AT_MOST_2,),
    "plan A olive pour au plus 2 points": (AT_MOST_2,),
    "plan A olive, au plus 3, prends au moins 2": (LOOSE,),
    "plan A olive n’importe où": (ANYWHERE,),
    "plan A olive, anneau si occupée": (SPARE,),
    "plan A olive puis un anneau si c’est occupé": (SPARE,),
    "plan A olive, sinon B drapeau": (A_OLIVE, B_FLAG),
    "plan A olive, quand même": (changed(A_OLIVE, even_so=True),),
}
NO_PLAN = (
    "no plan",
    "No plan, please",
    "delete my plan",
    "cancel the plan",
    "kein Plan",
    "Plan löschen",
    "keinen Plan",
    "pas de plan",
    "annule mon plan",
    "supprimer le plan",
)
# Not plans to the last word: nothing is kept, and somebody who wrote this reads why.
UNCLEAR = (
    "plan A olive or B flag",
    "plan maybe A olive",
    "plan A olive unless Ben moves there",
    "plan A olive if Carla has not moved",
    "plan not A olive",
    "plan A olive but not if it costs more than 2",
    "plan A olive, at most two or three",
    "plan A olive, ring",
    "plan the same as before",
    "plan A olive after that B flag",
    "Plan A Olive oder B Fahne",
    "Plan vielleicht A Olive",
    "Plan A Olive, aber nicht auf Feld 4",
    "plan A olive ou B drapeau",
    "plan A olive si Ben ne bouge pas",
    "plan B is to wait",
    "plan A did not work",
    "Plan B: abwarten",
)


def parsed(line: str) -> Plan | None:
    try:
        plan = ATLANTIS.notation.parse(line, ATLANTIS.rules.view(table(BEFORE), 1))
    except MoveError:
        return None
    assert isinstance(plan, Plan), "a plan is never read as a move"
    return plan


def test_most_wordings_are_read_and_none_is_read_wrong() -> None:
    found = {line: parsed(line) for line in WORDINGS}
    wrong = [line for line, plan in found.items() if plan and plan.lines != WORDINGS[line]]
    assert wrong == []
    read = [line for line, plan in found.items() if plan]
    assert len(read) >= 0.9 * len(WORDINGS), sorted(set(WORDINGS) - set(read))


@pytest.mark.parametrize("line", NO_PLAN)
def test_a_plan_is_taken_back_in_words(line: str) -> None:
    assert parsed(line) == Plan()


def test_what_says_anything_else_is_no_plan() -> None:
    assert {line: plan for line in UNCLEAR if (plan := parsed(line)) is not None} == {}


@pytest.mark.parametrize("line", [*WORDINGS, *NO_PLAN, *UNCLEAR])
def test_a_plan_is_never_read_as_a_move(line: str) -> None:
    """Also not on the writer's turn."""
    view = ATLANTIS.rules.view(table(BEFORE.replace("*", "").replace("2/5/0", "*2/5/0")), 1)
    try:
        command = ATLANTIS.notation.parse(line, view)
    except MoveError:
        return
    assert command == Plan(), "only taking it back means something then"


@pytest.mark.parametrize("line", ["A olive", "olive A please", "B flag, at most 3", "ring"])
def test_a_move_is_never_read_as_a_plan(line: str) -> None:
    with pytest.raises(MoveError):
        ATLANTIS.notation.parse(line, ATLANTIS.rules.view(table(BEFORE), 1))
    view = ATLANTIS.rules.view(table(BEFORE.replace("*", "").replace("2/5/0", "*2/5/0")), 1)
    with contextlib.suppress(MoveError):
        assert isinstance(ATLANTIS.notation.parse(line, view), Move)
