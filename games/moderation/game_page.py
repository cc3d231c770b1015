"""The moderation page of one game: the forms of its actions, its log and its email.

Events are shown as a spectator may see them, so that a moderator who also plays learns nothing,
unless `reveal` is set.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.db.models import Q
from django.http import QueryDict
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import selectors, services
from games.log import event_store
from games.log.entry import Entry
from games.log.game_log import LogItem
from games.models import Decision, Game, OutboxMail, User, name_at
from games.moderation import base, consequences
from games.moderation.mail import why_held
from games.moderation.table import ModeratedTable, decisions_about, mails_about
from games.services.clean_text import MAX_TITLE
from games.translate import say

# -- form fields -------------------------------------------------------------------------


class PersonField(forms.EmailField):
    """An email address; its value is the active User with it, or None when left empty."""

    def clean(self, value: Any) -> User | None:
        address = super().clean(value)
        if not address:
            return None
        person = selectors.person_by_address(address)
        if person is None:
            raise forms.ValidationError(
                _(
                    "No account uses this email address. Ask the player to sign in once, then try "
                    "again."
                )
            )
        return person


def _seat_field(table: ModeratedTable) -> forms.Field:
    return forms.TypedChoiceField(label=_("Seat"), choices=_seat_choices(table), coerce=int)


def _seat_to_act_field(table: ModeratedTable) -> forms.Field:
    choices = [choice for choice in _seat_choices(table) if choice[0] in table.game.to_act]
    return forms.TypedChoiceField(label=_("Seat"), choices=choices, coerce=int)


def _seat_with_deadline_field(table: ModeratedTable) -> forms.Field:
    timed = {seat.number for seat in table.seats if seat.due_at is not None}
    choices = [choice for choice in _seat_choices(table) if choice[0] in timed]
    return forms.TypedChoiceField(
        label=_("Seat"),
        choices=[("", _("everyone to move")), *choices],
        coerce=int,
        empty_value=None,
        required=False,
    )


def _days_field(_table: ModeratedTable) -> forms.Field:
    return forms.IntegerField(label=_("Days"), min_value=1, max_value=60, initial=3)


def _person_field(_table: ModeratedTable) -> forms.Field:
    return PersonField(label=_("Email address"), required=False)


def _title_field(table: ModeratedTable) -> forms.Field:
    return forms.CharField(label=_("Name"), max_length=MAX_TITLE, initial=table.game.name)


def _position_field(table: ModeratedTable) -> forms.Field:
    """The end of every move but the last, newest first."""
    choices = [(move[-1].seq, _position(table, move)) for move in reversed(table.log.moves[:-1])]
    return forms.TypedChoiceField(label=_("Position after move"), choices=choices, coerce=int)


def _position(table: ModeratedTable, move: Sequence[Entry]) -> str:
    number = table.log.move_number(move[-1].seq)
    if number == 0:
        return _("0: the start of the game")
    return f"{number}: {Truncator(table.text(move)).chars(90)}"


def _seat_choices(table: ModeratedTable) -> list[tuple[int, str]]:
    return [(number, f"{number + 1}: {name}") for number, name in enumerate(table.names.now)]


def _no_deadline(table: ModeratedTable) -> str:
    if any(seat.due_at is not None for seat in table.seats):
        return ""
    return _("There is no deadline to extend.")


# -- actions -----------------------------------------------------------------------------


@dataclass(frozen=True)
class ModeratorAction:
    """Something a moderator can do to a game.

    service: takes game_id, by, reason, rule, version and one argument per field. statuses: of the
    games it is offered for. fields: the service's argument → form field for a table. notes: what
    the page that confirms it says besides the dry run. obstacle: why a table does not allow it now,
    or "".
    """

    label: str | Promise
    help: str | Promise
    service: Callable[..., Game]
    statuses: tuple[Game.Status, ...]
    fields: Mapping[str, Callable[[ModeratedTable], forms.Field]] = field(default_factory=dict)
    notes: Callable[[ModeratedTable, Mapping[str, Any]], list[str]] = lambda _table, _values: []
    obstacle: Callable[[ModeratedTable], str] = lambda _table: ""


OWN_GAME = "own_game"
RUNNING, PAUSED, GATHERING = Game.Status.RUNNING, Game.Status.PAUSED, Game.Status.GATHERING

ACTIONS: dict[str, ModeratorAction] = {
    "pause": ModeratorAction(
        gettext_lazy("Pause"),
        gettext_lazy("Nobody can move and all deadlines stop until the game is resumed."),
        services.moderate_pause,
        (RUNNING, PAUSED),
        obstacle=lambda table: (
            _("A moderator has already paused this game.") if table.log.is_held else ""
        ),
    ),
    "resume": ModeratorAction(
        gettext_lazy("Resume"),
        gettext_lazy("Every deadline moves by the length of the pause."),
        services.moderate_resume,
        (PAUSED,),
    ),
    "extend": ModeratorAction(
        gettext_lazy("Extend the deadline"),
        gettext_lazy(
            "Extends the deadline of one seat, or of everyone to move, by this number of days."
        ),
        services.moderate_extend,
        (RUNNING,),
        {"seat": _seat_with_deadline_field, "days": _days_field},
        obstacle=_no_deadline,
    ),
    "excuse": ModeratorAction(
        gettext_lazy("Excuse a missed deadline"),
        gettext_lazy(
            "The last missed deadline of this player no longer counts as a miss. "
            "This does not return a lost seat."
        ),
        services.moderate_excuse,
        (RUNNING, PAUSED),
        {"seat": _seat_field},
    ),
    "play_bot": ModeratorAction(
        gettext_lazy("Let a bot play this turn"),
        gettext_lazy("For this turn only. The player keeps the seat."),
        services.moderate_play_bot,
        (RUNNING,),
        {"seat": _seat_to_act_field},
        consequences.of_bot_turn,
    ),
    "hand_seat": ModeratorAction(
        gettext_lazy("Reassign a seat"),
        gettext_lazy(
            "Enter the new player’s email address. Leave it empty to give the seat to a bot."
        ),
        services.moderate_hand_seat,
        (RUNNING, PAUSED),
        {"seat": _seat_field, "to": _person_field},
        consequences.of_new_player,
    ),
    "rollback": ModeratorAction(
        gettext_lazy("Roll back the game"),
        gettext_lazy(
            "Play continues from the position after this event. Later events stay in the log."
        ),
        services.moderate_rollback,
        (RUNNING, PAUSED),
        {"to_seq": _position_field},
        consequences.of_rollback,
    ),
    "abort": ModeratorAction(
        gettext_lazy("Cancel the game"),
        gettext_lazy("Ends the game without a result. This cannot be undone."),
        services.moderate_abort,
        (GATHERING, RUNNING, PAUSED),
        notes=consequences.of_abort,
    ),
    "rename": ModeratorAction(
        gettext_lazy("Rename the table"),
        gettext_lazy("The host is told the reason by email."),
        services.moderate_rename,
        tuple(Game.Status),
        {"title": _title_field},
        consequences.of_title,
    ),
    OWN_GAME: ModeratorAction(
        gettext_lazy("Moderate your own game"),
        gettext_lazy(
            "There is no other moderator. For one hour you can act here and see hidden information. "
            "Everyone in the game is informed at once."
        ),
        services.moderate_own_game,
        (RUNNING, PAUSED),
    ),
}


SHARED = ("reason", "rule")  # fields


class ActionForm(forms.Form):
    """The form of one action; cleaned_data holds the arguments of its service. All actions of a
    page share the fields for the reason and its rule."""

    use_required_attribute = False  # or the browser would ask for the fields of other actions

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("Everyone in the game can read this."),
        max_length=300,
    )
    rule = base.rule_field()

    def __init__(
        self, name: str, table: ModeratedTable, data: Any = None, *, saved: QueryDict | None = None
    ) -> None:
        """saved: a form that was submitted after the session had expired."""
        super().__init__(data, prefix=name, label_suffix="", initial=_typed(name, saved))
        self.name, self.action, self.table = name, ACTIONS[name], table
        self.obstacle = self.action.obstacle(table)
        self.fields = {
            **{argument: make(table) for argument, make in self.action.fields.items()},
            **self.fields,
        }

    def add_prefix(self, field_name: str) -> str:
        return field_name if field_name in SHARED else super().add_prefix(field_name)

    @property
    def own_fields(self) -> list[forms.BoundField]:
        """The fields of this action alone."""
        return [field for field in self if field.name not in SHARED]

    @property
    def shared_fields(self) -> list[forms.BoundField]:
        """The fields of all actions."""
        return [self[name] for name in SHARED]

    def clean(self) -> dict[str, Any]:
        """Refuse a new player who plays already, before the page that says what will happen."""
        values = super().clean() or {}
        to = values.get("to")
        if to is not None and any(seat.user_id == to.pk for seat in self.table.seats):
            self.add_error("to", _("%(name)s already has a seat in this game.") % {"name": to.name})
        return values


def _typed(name: str, saved: QueryDict | None) -> dict[str, Any]:
    """Return the values of a saved form for the fields of this action."""
    before = f"{name}-"
    return {
        key.removeprefix(before): value
        for key, value in (saved or {}).items()
        if key in SHARED or key.startswith(before)
    }


def action_forms(
    table: ModeratedTable,
    involvement: services.Involvement,
    *,
    alone: bool,
    bound: ActionForm | None = None,
    saved: QueryDict | None = None,
) -> list[ActionForm]:
    """A form for everything that this moderator may do to the game now; `bound` replaces its own.

    alone: there is no other moderator (services.is_alone).
    """
    if involvement.may_moderate:
        offered = [name for name in ACTIONS if name != OWN_GAME]
    else:
        offered = [OWN_GAME] if alone else []
    return [
        bound if bound is not None and bound.name == name else ActionForm(name, table, saved=saved)
        for name in offered
        if table.game.status in ACTIONS[name].statuses
    ]


# -- the page ----------------------------------------------------------------------------

LINES_SHOWN = 20  # of the log, without unfolding the older ones


def _payload(table: ModeratedTable, entry: Entry) -> str:
    event = entry.event
    if not entry.is_table and not table.reveal:
        event = table.log.engine.rules.visible(event, None)
    _kind, _schema, payload = event_store.encoded(table.log.engine, event)
    return json.dumps(json.loads(payload), ensure_ascii=False)


def _line(table: ModeratedTable, item: LogItem) -> dict[str, Any]:
    """A move or an event of the table. number: of the move, as players count."""
    moved = not item.first.is_table
    return {
        "number": table.log.move_number(item.last_seq) if moved else None,
        "first": item.first.seq,
        "at": item.first.at,
        "text": table.text(item.entries),
        "undone": item.undone,
        "stored": [
            {"seq": entry.seq, "kind": entry.kind, "payload": _payload(table, entry)}
            for entry in item.entries
        ],
    }


def page_context(table: ModeratedTable, by: User) -> dict[str, Any]:
    """The context of the template. by: the moderator who reads the page."""
    game, log = table.game, table.log
    lines = [_line(table, item) for item in reversed(log.items)]
    found = base.emails_for(by, OutboxMail.objects.select_related("game", "user"))
    now, is_dropped = timezone.now(), Q(state=OutboxMail.State.DROPPED)
    mails, dropped = (
        [(mail, why_held(mail, now) or mail.error) for mail in mails_about(game, rows)]
        for rows in (found.exclude(is_dropped), found.filter(is_dropped))
    )
    return {
        "game": game,
        "game_title": say(log.engine.title),
        "moves": log.move_number(log.version),
        "seats": list(zip(table.seats, table.names.now, strict=True)),
        "host_name": name_at(table.seats, game.host),
        "revealed": table.reveal,
        "standstill": table.standstill(),
        "lines": lines[:LINES_SHOWN],
        "older_lines": lines[LINES_SHOWN:],
        "leaves_mails_out": base.is_kept_from(by, game),
        "mails": mails,
        "dropped": dropped,
        "history": decisions_about(game, base.decisions_for(by, Decision.objects.all())),
    }
