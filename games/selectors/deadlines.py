"""Deadlines and absences in words: why a deadline is what it is, and when people are away."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.clock import Step
from games.clock.calendar import Absence
from games.log import table_events
from games.log.game_log import Log
from games.models import MISSES, Game, OutboxMail, Seat, User, database_clock, seat_names
from games.rules import GAMES
from games.translate import day, exact_time, join_clauses, say


def deadline_steps(log: Log, seat: Seat) -> tuple[Step, ...]:
    """The changes of the open deadline of this seat, in order; () for none."""
    if seat.clock_seq is None:
        return ()
    return tuple(
        Step(entry.event.code, entry.event.seconds)
        for entry in log.entries
        if entry.seq > seat.clock_seq
        and isinstance(entry.event, table_events.DeadlineMoved)
        and entry.event.seat == seat.number
    )


def deadline_lines(log: Log, seat: Seat) -> tuple[str, ...]:
    """The deadline of this seat explained, in the active language and time zone: the time per move,
    then a line for each step. () where no deadline runs."""
    if seat.due_at is None:
        return ()
    steps = deadline_steps(log, seat)
    moved = timedelta(seconds=sum(step.seconds for step in steps))
    start = next(entry.at for entry in log.entries if entry.seq == seat.clock_seq)
    values = {"time": _span(start, seat.due_at - moved - start), "when": exact_time(start)}
    return (_("%(time)s from %(when)s") % values, *_step_lines(start, steps))


def deadline_sentence(log: Log, seat: Seat) -> str:
    """The explanation as one sentence; "" where nothing moved the deadline."""
    lines = deadline_lines(log, seat)
    if len(lines) < 2:
        return ""
    return _("How this deadline was worked out: %(steps)s.") % {"steps": join_clauses(lines)}


def then_sentence(log: Log, seat: Seat) -> str:
    """Return what happens when the deadline of this seat passes, written to its player; "" in
    practice games, which have no deadlines."""
    if seat.game.practice:
        return ""
    policy = Game.TimeoutPolicy(seat.game.timeout_policy)
    allowed = MISSES.get(policy)
    others = any(not holder.is_bot for n, holder in enumerate(log.seating.now) if n != seat.number)
    if policy == Game.TimeoutPolicy.WAIT:
        return _("After the deadline, the game waits, and the host can let a bot play.")
    if allowed is not None and others and log.misses(seat.number) + 1 >= allowed:
        if policy == Game.TimeoutPolicy.OPEN:
            return _("After the deadline, a bot takes your seat, and others can take it over.")
        return _("After the deadline, a bot takes your seat. You can take it back.")
    return _("After the deadline, a bot plays this turn for you.")


def _step_lines(start: datetime, steps: Sequence[Step]) -> list[str]:
    return [
        _line(step, _span(start, timedelta(seconds=step.seconds)))
        for step in steps
        if step.code != "announced" or step.seconds >= 60  # steps are whole seconds, rounded up
    ]


def _line(step: Step, time: str) -> str:
    words = {
        "weekend": _("Saturday and Sunday do not count: +%(time)s"),
        "absence": _("absence: +%(time)s"),
        "bank": _("time bank: +%(time)s"),
        "quiet": _("no deadline falls into quiet hours: +%(time)s"),
        "pause": _("the game was paused: +%(time)s"),
        "outage": _("this service was not available: +%(time)s"),
        "moderator": _("more time from a moderator: +%(time)s"),
        "given": _("more time from another player: +%(time)s"),
        "announced": _("a later deadline was announced before: +%(time)s"),
    }
    return words[step.code] % {"time": time}


def _span(start: datetime, length: timedelta) -> str:
    return timesince(start, start + length)


def time_control_lines(game: Game) -> list[str]:
    """The host's choices besides the time per move, a sentence each."""
    lines = []
    if game.bank_days:
        start = game.created_at
        values = {"time": _span(start, game.bank)}
        lines.append(
            _("Each player has a time bank of %(time)s for moves that take longer.") % values
        )
    if game.bank_returns:
        lines.append(_("Every move made on time returns a tenth of the time bank."))
    if game.weekends_off:
        lines.append(_("Saturdays and Sundays do not count, in each player’s time zone."))
    if game.min_in_time:
        lines.append(
            _("Players must have made at least %(share)s%% of their turns on time.")
            % {"share": game.min_in_time}
        )
        if game.newcomers:
            lines.append(_("People who have hardly played here can join too."))
    return lines


def pitch(game: Game) -> str:
    """What is played at a table and how long it takes, for people who do not know the game."""
    if game.pace < timedelta(days=1):
        length = _("a week or two")
    else:
        length = _("several weeks") if game.pace < timedelta(days=5) else _("several months")
    values = {"n": game.pace_days or game.pace_hours, "length": length}
    if game.pace_days:
        time = ngettext(
            "A move takes a few minutes; you have %(n)d day for it, and a game takes %(length)s.",
            "A move takes a few minutes; you have %(n)d days for it, and a game takes %(length)s.",
            game.pace_days,
        )
    else:
        time = ngettext(
            "A move takes a few minutes; you have %(n)d hour for it, and a game takes %(length)s.",
            "A move takes a few minutes; you have %(n)d hours for it, and a game takes %(length)s.",
            game.pace_hours,
        )
    return f"{say(GAMES[game.kind].summary)} {time % values}".strip()


DAY = timedelta(days=1)


def late_players(
    game: Game, seats: Sequence[Seat], viewer: int | None, now: datetime
) -> list[Seat]:
    """The seats of those for whom the player on seat `viewer` waits, and whose time is up or nearly
    up: less than a day is left, and less than half of the time per move. Nobody waits in a pause,
    nor does who is asked."""
    if viewer is None or game.status != Game.Status.RUNNING or seats[viewer].asked_seq is not None:
        return []
    until = now + min(DAY, game.pace / 2)
    return [
        seat
        for seat in seats
        if seat.user_id is not None
        and seat.due_at is not None
        and (seat.overdue or seat.due_at < until)
    ]


def was_given_day(log: Log, seat: Seat) -> bool:
    """Return whether a player has given this seat a day more since it was asked."""
    return any(
        isinstance(entry.event, table_events.Extended)
        and entry.event.seat == seat.number
        and entry.event.giver is not None
        for entry in log.entries[seat.asked_seq or 0 :]
    )


def was_nudged(seat: Seat, now: datetime) -> bool:
    """Return whether somebody has nudged the player of this seat within a day."""
    return OutboxMail.objects.filter(
        game=seat.game_id, user=seat.user_id, context__which="nudge", created_at__gt=now - DAY
    ).exists()


@dataclass(frozen=True)
class LatePlayer:
    """What the reader, who waits, can do for a player: give a day more, nudge."""

    seat: int
    name: str
    day: bool
    nudge: bool


def possible_help(
    game: Game, log: Log, seats: Sequence[Seat], viewer: int | None
) -> tuple[LatePlayer, ...]:
    """The players for whom the player on seat `viewer` can do something now."""
    now, names = database_clock.now(), seat_names(seats)
    found = []
    for seat in late_players(game, seats, viewer, now):
        reader = seats[viewer].user if viewer is not None else None
        hears = reader is not None and seat.user_id not in reader.unheard
        day, nudge = not was_given_day(log, seat), hears and not was_nudged(seat, now)
        if day or nudge:
            found.append(LatePlayer(seat.number, names[seat.number], day, nudge))
    return tuple(found)


class DeadlineChange(Protocol):
    """An open deadline after an absence was entered or ended, and before."""

    @property
    def game(self) -> Game:
        """The game of the deadline."""

    @property
    def due_at(self) -> datetime:
        """The deadline."""

    @property
    def before(self) -> datetime:
        """The deadline before."""

    @property
    def is_late(self) -> bool:
        """Whether it had passed, so that the absence does not count."""


def effect_lines(effects: Iterable[DeadlineChange]) -> list[str]:
    """The effect on each open deadline, a sentence each."""
    return [_effect(effect) for effect in effects]


def _effect(effect: DeadlineChange) -> str:
    values = {"game": effect.game.name, "when": exact_time(effect.due_at)}
    if effect.is_late:
        return (
            _(
                "%(game)s: your time ran out on %(when)s, so your absence does not count there. "
                "Please make your move."
            )
            % values
        )
    if effect.due_at > effect.before:
        return _("%(game)s: your deadline has moved to %(when)s.") % values
    return _("%(game)s: your deadline is still %(when)s.") % values


def open_absences(user: User, now: datetime) -> list[Absence]:
    """The present absence and those to come, in order; days in the person's zone."""
    today = now.astimezone(user.zone).date()
    return [one for one in user.absence_list if one.last >= today and one.last >= one.first]


def absence_text(user: User | None, now: datetime, name: str) -> str:
    """The present absence of a person or the next one, as a sentence; "" for none. name: what to
    call the person."""
    found = open_absences(user, now) if user is not None and user.absences else []
    if user is None or not found:
        return ""
    values = {"name": name, "first": day(found[0].first), "last": day(found[0].last)}
    if found[0].first <= now.astimezone(user.zone).date():
        return _("%(name)s is away until %(last)s.") % values
    return _("%(name)s will be away from %(first)s to %(last)s.") % values
