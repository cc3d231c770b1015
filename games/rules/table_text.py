"""The events of a table in words, for logs and emails."""

from typing import assert_never

from . import table_events
from .text import Day, Seat, Text, _


def sentence(event: table_events.Event, *, move: int, reason: str) -> Text | None:
    """The sentence about an event, for log and email; None if another line says it. move: the
    number of the move, as players count, that a rollback goes back to. reason: the moderator's; ""
    where there is none or it was deleted."""
    text = _sentence(event, move)
    if text is None or not reason:
        return text
    if not reason.endswith((".", "!", "?", "…")):  # more sentences may follow
        reason += "."
    return _("%(sentence)s Reason: %(reason)s", sentence=text, reason=reason)


def _sentence(event: table_events.Event, move: int) -> Text | None:
    match event:
        case table_events.Paused(until=""):
            return _("A moderator paused the game.")
        case table_events.Paused():
            until = Day(event.until)
            return _("The game was paused until %(day)s, as the players agreed.", day=until)
        case table_events.Resumed():
            return _("The game was resumed.")
        case table_events.Extended(seat=int() as seat, giver=int() as giver):
            return _(
                "%(giver)s gave %(player)s one more day.", giver=Seat(giver), player=Seat(seat)
            )
        case table_events.Extended(seat=int() as seat):
            return _("%(player)s’s deadline was extended.", player=Seat(seat))
        case table_events.Extended():
            return _("All deadlines were extended.")
        case table_events.Excused():
            return _("One of %(player)s’s missed deadlines was excused.", player=Seat(event.seat))
        case table_events.RolledBack(seat=int() as seat):
            return _("%(player)s took back their last step.", player=Seat(seat))
        case table_events.RolledBack() if move == 0:
            return _("The game was rolled back to its start.")
        case table_events.RolledBack():
            return _("The game was rolled back to the position after move %(number)s.", number=move)
        case table_events.SeatHanded():
            return _(
                "%(player)s took over seat %(number)s.",
                number=event.seat + 1,
                player=Seat(event.seat),
            )
        case table_events.PlayerModerates():
            return _(
                "%(player)s plays here and moderates this game too, because there is no other "
                "moderator.",
                player=Seat(event.seat),
            )
        case table_events.BotPlayed() | table_events.Covered():
            return _("A bot played this turn for %(player)s.", player=Seat(event.seat))
        case table_events.Aborted(code="empty"):
            return _("The game was cancelled because no players are left.")
        case table_events.Aborted(code="waited"):
            return _("The table was closed because nothing had happened there for a month.")
        case table_events.Aborted(code="vote"):
            return _("The game was cancelled by a vote of the players.")
        case table_events.VoteOpened():
            return _asked(event)
        case table_events.VoteAnswered(agrees=True):
            return _("%(player)s agreed.", player=Seat(event.seat))
        case table_events.VoteAnswered():
            return _("%(player)s said no.", player=Seat(event.seat))
        case table_events.VoteSettled():
            return _settled(event)
        case table_events.VoteMoved():
            return _("The vote was kept open longer because this service was not available.")
        case table_events.Aborted():
            return _("The game was cancelled.")
        case table_events.DeadlineMoved():
            return _moved(event)
        case table_events.Created():
            return _("The table was created.")
        case table_events.Joined(bot=True):
            return _("%(player)s, a bot, joined.", player=Seat(event.seat))
        case table_events.Joined():
            return _("%(player)s joined.", player=Seat(event.seat))
        case table_events.Left():
            return _("Seat %(number)s is free again.", number=event.seat + 1)
        case table_events.Started():
            return _("The game started with %(number)s players.", number=event.seats)
        case table_events.Resigned(to="end"):
            return _("%(player)s resigned, and the game ended.", player=Seat(event.seat))
        case table_events.Resigned():
            return _("%(player)s resigned. A bot takes over.", player=Seat(event.seat))
        case table_events.Seated() | table_events.BankChanged():
            return None
        case table_events.TimedOut():
            return _("%(player)s missed the deadline.", player=Seat(event.seat))
        case table_events.TakenOver():
            return _(
                "%(player)s missed too many deadlines in a row. A bot takes over.",
                player=Seat(event.seat),
            )
        case table_events.TakenBack():
            return _("%(player)s took the seat back from the bot.", player=Seat(event.seat))
        case table_events.Replaced():
            return _(
                "%(player)s took over seat %(number)s, which was open.",
                number=event.seat + 1,
                player=Seat(event.seat),
            )
        case table_events.Revealed():
            return _("The seed for all randomness in this game: %(seed)s", seed=event.seed)
        case _:
            assert_never(event)


def _asked(event: table_events.Vote) -> Text:
    player = Seat(event.seat)
    match event:
        case table_events.PauseVote():
            until = Day(event.until)
            return _("%(player)s asked for a pause until %(day)s.", player=player, day=until)
        case table_events.ResumeVote():
            return _("%(player)s asked to end the pause.", player=player)
        case table_events.CancelVote():
            return _("%(player)s asked to end the game without a result.", player=player)
        case table_events.BotVote():
            late = Seat(event.late)
            return _("%(player)s asked for a bot in place of %(late)s.", player=player, late=late)
        case table_events.TakeBackVote():
            return _("%(player)s asked to take back their last move.", player=player)


def vote_name(about: table_events.Proposal) -> Text:
    """The subject of a vote, in a few words."""
    match about:
        case "pause":
            return _("Pause the game")
        case "resume":
            return _("End the pause")
        case "cancel":
            return _("End the game without a result")
        case "bot":
            return _("Bot for a late player")
        case "take_back":
            return _("Take back a move")


def _settled(event: table_events.VoteSettled) -> Text:
    name = vote_name(event.about)
    match event.outcome:
        case "passed":
            return _("The vote “%(vote)s” passed.", vote=name)
        case "refused":
            return _("The vote “%(vote)s” did not pass: someone said no.", vote=name)
        case "expired":
            return _("The vote “%(vote)s” did not pass: not everyone answered in time.", vote=name)
        case "overtaken":
            return _("The vote “%(vote)s” ended because the game has changed.", vote=name)


def _moved(event: table_events.DeadlineMoved) -> Text | None:
    """Describe only what nobody at the table could know before; the page explains each deadline
    anyway."""
    if event.code == "absence":
        return _("%(player)s is away, so the deadline moved.", player=Seat(event.seat))
    if event.code == "outage":
        return _(
            "%(player)s’s deadline moved because this service was not available.",
            player=Seat(event.seat),
        )
    return None
