"""What the desk of one table shows, and what can be done there: actions, their forms, the log.

Events are read through `visible` for nobody in particular, so that a moderator who also plays
learns nothing; `reveal` shows them as they are. Acts through services alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import selectors, services
from games.log import event_store, game_log
from games.models import Game, OutboxMail, Seat, User
from games.translate import say

Words = str | Promise
NEWEST_MAILS = 30


@dataclass(frozen=True)
class Action:
    """Something a moderator can do. fields: what the form asks besides the reason."""

    label: Words
    help: Words
    when: frozenset[str]
    fields: tuple[str, ...] = ()


RUNNING, PAUSED, GATHERING = Game.Status.RUNNING, Game.Status.PAUSED, Game.Status.GATHERING

ACTIONS: dict[str, Action] = {
    "pause": Action(
        gettext_lazy("Pause"),
        gettext_lazy("Nobody can move and no deadline runs until the game goes on."),
        frozenset({RUNNING}),
    ),
    "resume": Action(
        gettext_lazy("Go on"),
        gettext_lazy("Deadlines move by the length of the pause."),
        frozenset({PAUSED}),
    ),
    "extend": Action(
        gettext_lazy("Give more time"),
        gettext_lazy(
            "The deadline of the seat, or of everybody who is asked, moves by so many days."
        ),
        frozenset({RUNNING}),
        ("seat_or_all", "days"),
    ),
    "play_bot": Action(
        gettext_lazy("Let the house bot play this turn"),
        gettext_lazy("One turn only; the seat stays with its player."),
        frozenset({RUNNING}),
        ("asked",),
    ),
    "hand_seat": Action(
        gettext_lazy("Hand a seat over"),
        gettext_lazy("To the person with this address; without an address, to the house bot."),
        frozenset({RUNNING, PAUSED}),
        ("seat", "address"),
    ),
    "rollback": Action(
        gettext_lazy("Take the game back"),
        gettext_lazy(
            "The position after this event is played on from; what came later stays readable."
        ),
        frozenset({RUNNING, PAUSED}),
        ("to_seq",),
    ),
    "abort": Action(
        gettext_lazy("Call the game off"),
        gettext_lazy("It ends without a result, for good."),
        frozenset({GATHERING, RUNNING, PAUSED}),
    ),
}


class ActionForm(forms.Form):
    """The question of one action; cleaned_data is what its service wants."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("Everybody at the table reads it."),
        max_length=300,
    )

    def __init__(self, action: str, game: Game, data: Any = None) -> None:
        super().__init__(data, prefix=action, label_suffix="")
        self.action, self.game, self.what = action, game, ACTIONS[action]
        for name in self.what.fields:
            self.fields[name] = _field(name, game)
        self.order_fields([*self.what.fields, "reason"])

    def clean_address(self) -> User | None:
        """The person with this address, or None for the house bot."""
        address = self.cleaned_data["address"]
        if not address:
            return None
        person = User.objects.filter(Q(email__iexact=address), is_active=True).first()
        if person is None:
            raise forms.ValidationError(
                _("Nobody with this address has signed in here yet. Ask them to, then try again.")
            )
        return person


def _field(name: str, game: Game) -> forms.Field:
    seats = [(str(seat.number), f"{seat.number + 1}: {seat.name}") for seat in _seats(game)]
    match name:
        case "seat":
            return forms.TypedChoiceField(label=_("Seat"), choices=seats, coerce=int)
        case "seat_or_all":
            return forms.TypedChoiceField(
                label=_("Seat"),
                choices=[("", _("everybody who is asked")), *seats],
                coerce=int,
                empty_value=None,
                required=False,
            )
        case "asked":
            return forms.TypedChoiceField(
                label=_("Seat"),
                choices=[choice for choice in seats if int(choice[0]) in game.to_act],
                coerce=int,
            )
        case "days":
            return forms.IntegerField(label=_("Days"), min_value=1, max_value=60, initial=3)
        case "address":
            return forms.EmailField(label=_("Address"), required=False)
        case "to_seq":
            return forms.TypedChoiceField(
                label=_("Position after event"), choices=_positions(game), coerce=int
            )
    raise AssertionError(name)


def _seats(game: Game) -> list[Seat]:
    return list(game.seats.select_related("user").order_by("number"))


def _names(game: Game) -> list[str]:
    return [seat.name for seat in _seats(game)]


def _positions(game: Game) -> list[tuple[str, str]]:
    """Where a game can be taken back to: the ends of moves, newest first, the present left out."""
    log, names = event_store.load(game), _names(game)
    ends = [(move[-1].seq, _words(log, move[0], names)) for move in log.moves]
    return [(str(seq), f"{seq}: {words}") for seq, words in reversed(ends[:-1])]


def forms_for(game: Game, bound: ActionForm | None = None) -> list[ActionForm]:
    """A form for every action that the table's status allows; `bound` in its place."""
    return [
        bound if bound is not None and bound.action == name else ActionForm(name, game)
        for name, action in ACTIONS.items()
        if game.status in action.when
    ]


def act(action: str, game: Game, *, by: User, reason: str, **given: Any) -> None:
    """Carry the action out; ServiceError with a sentence where it cannot be."""
    doing: dict[str, Callable[[], object]] = {
        "pause": lambda: services.moderate_pause(game_id=game.pk, by=by, reason=reason),
        "resume": lambda: services.moderate_resume(game_id=game.pk, by=by, reason=reason),
        "extend": lambda: services.moderate_extend(
            game_id=game.pk,
            by=by,
            seat=given["seat_or_all"],
            days=given["days"],
            reason=reason,
        ),
        "play_bot": lambda: services.moderate_play_bot(
            game_id=game.pk, by=by, seat=given["asked"], reason=reason
        ),
        "hand_seat": lambda: services.moderate_hand_seat(
            game_id=game.pk, by=by, seat=given["seat"], to=given["address"], reason=reason
        ),
        "rollback": lambda: services.moderate_rollback(
            game_id=game.pk, by=by, to_seq=given["to_seq"], reason=reason
        ),
        "abort": lambda: services.moderate_abort(game_id=game.pk, by=by, reason=reason),
    }
    doing[action]()


# -- what is shown ---------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """One event: number, when, words and JSON. undone: a rollback took it out of the game."""

    entry: game_log.Entry
    words: str
    payload: str
    undone: bool


def _words(log: game_log.Log, entry: game_log.Entry, names: list[str]) -> str:
    then = selectors.names_then(log, entry, names)
    return selectors.sentence_of(log.engine, entry, None, then) or entry.kind


def _payload(log: game_log.Log, entry: game_log.Entry, reveal: bool) -> str:
    event = entry.event
    if not entry.is_table and not reveal:
        event = log.engine.visible(event, None)
    _kind, _schema, payload = event_store.encoded(log.engine, event)
    return json.dumps(json.loads(payload), ensure_ascii=False)


def page(game: Game, *, reveal: bool = False) -> dict[str, Any]:
    """Everything the desk shows of a table; `reveal` shows hands, deck and order of luck too."""
    log, names = event_store.load(game), _names(game)
    reveal = reveal or game.is_over
    effective = {entry.seq for entry in log.effective}
    return {
        "game": game,
        "game_title": say(log.engine.title),
        "seats": _seats(game),
        "revealed": reveal,
        "lines": [
            Line(
                entry,
                _words(log, entry, names),
                _payload(log, entry, reveal),
                not entry.is_table and entry.seq not in effective,
            )
            for entry in reversed(log.entries)
        ],
        "mails": OutboxMail.objects.filter(game=game).order_by("-created_at")[:NEWEST_MAILS],
        "deeds": deeds_at(game)[:NEWEST_MAILS],
    }


def deeds_at(game: Game) -> QuerySet[LogEntry]:
    """What moderators did at this table, looks at its secrets included, newest first."""
    about = {"content_type": ContentType.objects.get_for_model(Game), "object_id": str(game.pk)}
    return LogEntry.objects.filter(**about).select_related("user").order_by("-action_time")
