"""Whether a command may be given, from nothing but what the seat that gives it may know.

`decide`, the notation and the form all ask here first. As it works on a view, no refusal can
reveal a secret.
"""

from ..errors import IllegalMove
from ..text import Seat, Text, _
from . import model
from .board import swimmers
from .creatures import check_steer
from .defence import check_standing
from .placing import check_launch, check_place, check_plan, check_planning
from .simulation import simulate

STAGES: dict[type, type[model.Stage]] = {
    model.Place: model.SetupStage,
    model.Launch: model.SetupStage,
    model.Turn: model.TurnStage,
    model.Crew: model.CrewStage,
    model.Steer: model.CreatureStage,
    model.Defend: model.DefenceStage,
}


def _waits_for(board: model.Board) -> Text:
    """Return what the game waits for, as the answer to another command."""
    match board.stage:
        case model.SetupStage():
            return _("The island is being set up: place an explorer or a ship.")
        case model.TurnStage():
            return _("Play your turn: take steps and sink a tile.")
        case model.CrewStage():
            return _("First pick the three swimmers who board the new ship.")
        case model.CreatureStage():
            return _("The die has been rolled: move a creature or leave them all where they are.")
        case model.DefenceStage():
            return _("Respond to the attack first.")
        case model.OverStage():
            return _("The game is over.")


def check_stage(view: model.View, kind: type[model.Command]) -> int:
    """The seat of the viewer; IllegalMove with the reason where the game does not wait for a
    command of this kind from it."""
    board, seat = view.board, view.viewer
    if isinstance(board.stage, model.OverStage):
        raise IllegalMove(_waits_for(board))
    if seat is None or not 0 <= seat < board.seats:
        raise IllegalMove(_("Only players in this game can play."))
    if kind is model.Plan:
        check_planning(board)
    elif kind is not model.Standing:
        _check_asked(view, seat, kind)
    return seat


def check_command(view: model.View, command: model.Command) -> None:
    """IllegalMove with the reason where the viewer may not give this command now."""
    board, seat = view.board, check_stage(view, type(command))
    match command:
        case model.Plan():
            check_plan(board, command)
        case model.Standing():
            check_standing(command)
        case model.Place():
            check_place(board, view.values, command)
        case model.Launch():
            check_launch(board, command)
        case model.Turn():
            simulate(view, command)
        case model.Crew():
            _check_crew(board, command)
        case model.Steer():
            if command != model.Steer():
                check_steer(board, command)
        case model.Defend():
            _check_defend(view, seat, command)


def _check_asked(view: model.View, seat: int, kind: type[model.Command]) -> None:
    if seat not in view.to_act:
        if len(view.to_act) == 1:
            raise IllegalMove(
                _("It’s not your turn. Waiting for %(seat)s.", seat=Seat(view.to_act[0]))
            )
        raise IllegalMove(_("It’s not your turn."))
    if not isinstance(view.board.stage, STAGES[kind]):
        raise IllegalMove(_waits_for(view.board))


def _check_crew(board: model.Board, command: model.Crew) -> None:
    picked = set(command.explorers)
    if (
        len(picked) != model.ROOM
        or len(command.explorers) != model.ROOM
        or board.site is None
        or not picked <= set(swimmers(board, board.site))
    ):
        raise IllegalMove(_("Pick exactly three of the swimmers where the ship appeared."))


def _check_defend(view: model.View, seat: int, command: model.Defend) -> None:
    creature = view.board.rolled
    if command.defend and (
        creature is None or model.DEFENCES.get(creature) not in (view.kept[seat] or ())
    ):
        raise IllegalMove(_("You have no tile that defends against this attack."))
