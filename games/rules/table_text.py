"""What the events of a table say, for logs and emails."""

from typing import assert_never

from .table_events import (
    Aborted,
    BankChanged,
    BotPlayed,
    Covered,
    Created,
    DeadlineMoved,
    Event,
    Excused,
    Extended,
    Joined,
    Left,
    Paused,
    PlayerModerates,
    Replaced,
    Resigned,
    Resumed,
    Revealed,
    RolledBack,
    Seated,
    SeatHanded,
    Started,
    TakenBack,
    TakenOver,
    TimedOut,
)
from .text import Seat, Text, _


def sentence(event: Event, move: int = 0, reason: str = "") -> Text | None:
    """What happened, for log and email; None if another line says it. move: the number of the move,
    as players count, that a rollback goes back to. reason: the moderator's, where the event has
    none; "" where it was deleted."""
    text = _sentence(event, move)
    reason = getattr(event, "reason", "") or reason
    if text is None or not reason:
        return text
    return _("%(sentence)s Reason: %(reason)s", sentence=text, reason=reason)


def _sentence(event: Event, move: int) -> Text | None:
    match event:
        case Paused():
            return _("The game was paused.")
        case Resumed():
            return _("The game was resumed.")
        case Extended(seat=int() as seat):
            return _("The deadline of %(player)s was extended.", player=Seat(seat))
        case Extended():
            return _("All deadlines were extended.")
        case Excused():
            return _("A missed deadline of %(player)s was excused.", player=Seat(event.seat))
        case RolledBack(seat=int() as seat):
            return _("%(player)s took back their last step.", player=Seat(seat))
        case RolledBack() if move == 0:
            return _("The game was rolled back to its start.")
        case RolledBack():
            return _("The game was rolled back to the position after move %(number)s.", number=move)
        case SeatHanded():
            return _(
                "%(player)s took over seat %(number)s.",
                number=event.seat + 1,
                player=Seat(event.seat),
            )
        case PlayerModerates():
            return _(
                "%(player)s plays here and moderates this game too, because there is no other "
                "moderator.",
                player=Seat(event.seat),
            )
        case BotPlayed() | Covered():
            return _("A bot played this turn for %(player)s.", player=Seat(event.seat))
        case Aborted(is_empty=True):
            return _("The game was cancelled because no players are left.")
        case Aborted():
            return _("The game was cancelled.")
        case DeadlineMoved():
            return _moved(event)
        case Created():
            return _("The table was created.")
        case Joined(bot=True):
            return _("%(player)s, a bot, joined.", player=Seat(event.seat))
        case Joined():
            return _("%(player)s joined.", player=Seat(event.seat))
        case Left():
            return _("Seat %(number)s is free again.", number=event.seat + 1)
        case Started():
            return _("The game started with %(number)s players.", number=event.seats)
        case Resigned(to="end"):
            return _("%(player)s resigned, and the game ended.", player=Seat(event.seat))
        case Resigned():
            return _("%(player)s resigned. A bot takes over.", player=Seat(event.seat))
        case Seated() | BankChanged():
            return None
        case TimedOut():
            return _("%(player)s missed the deadline.", player=Seat(event.seat))
        case TakenOver():
            return _(
                "%(player)s missed too many deadlines in a row. A bot takes over.",
                player=Seat(event.seat),
            )
        case TakenBack():
            return _("%(player)s took the seat back from the bot.", player=Seat(event.seat))
        case Replaced():
            return _(
                "%(player)s took over seat %(number)s, which was open.",
                number=event.seat + 1,
                player=Seat(event.seat),
            )
        case Revealed():
            return _("The seed for all randomness in this game: %(seed)s", seed=event.seed)
        case _:
            assert_never(event)


def _moved(event: DeadlineMoved) -> Text | None:
    """Only what nobody at the table could know before; the page explains each deadline anyway."""
    if event.code == "absence":
        return _("%(player)s is away, so the deadline moved.", player=Seat(event.seat))
    if event.code == "outage":
        return _(
            "The deadline of %(player)s moved because this service was not available.",
            player=Seat(event.seat),
        )
    return None
