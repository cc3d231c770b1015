"""The moderation page of one game: the forms of its actions, its log and its email.

Events are shown as a spectator may see them, so that a moderator who also plays learns nothing,
unless `reveal` is set.
"""

import json
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from django import forms
from django.db.models import Q
from django.utils import timezone
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games import selectors, services
from games.log import event_store
from games.log.entry import Entry
from games.log.game_log import LogItem
from games.models import Action, Decision, Game, OutboxMail, User, database_clock, name_at
from games.moderation import base, consequences
from games.moderation.actions import ModeratorAction, Subject
from games.moderation.mail import why_held
from games.moderation.table import ModeratedTable, decisions_about, mails_about
from games.services.clean_text import MAX_TITLE
from games.templatetags.when import zoned
from games.translate import numbered, say

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
    return numbered(number, Truncator(table.text(move)).chars(90))


def _seat_choices(table: ModeratedTable) -> list[tuple[int, str]]:
    return [(number, numbered(number + 1, name)) for number, name in enumerate(table.names.now)]


def _no_deadline(table: ModeratedTable) -> str:
    if any(seat.due_at is not None for seat in table.seats):
        return ""
    return _("There is no deadline to extend.")


# -- actions -----------------------------------------------------------------------------


OWN_GAME = "own_game"
RUNNING, PAUSED, GATHERING = Game.Status.RUNNING, Game.Status.PAUSED, Game.Status.GATHERING


def _in(*statuses: Game.Status) -> Callable[[ModeratedTable], bool]:
    """Return whether a table has one of these statuses, as a function."""
    return lambda table: table.game.status in statuses


ACTIONS: dict[str, ModeratorAction] = {
    "pause": ModeratorAction(
        gettext_lazy("Pause"),
        gettext_lazy("Nobody can move, and all deadlines are paused until the game is resumed."),
        services.moderate_pause,
        on=_in(RUNNING, PAUSED),
        obstacle=lambda table: (
            _("A moderator has already paused this game.") if table.log.is_held else ""
        ),
    ),
    "resume": ModeratorAction(
        gettext_lazy("Resume"),
        gettext_lazy("Every deadline moves by the length of the pause."),
        services.moderate_resume,
        on=_in(PAUSED),
    ),
    "extend": ModeratorAction(
        gettext_lazy("Extend the deadline"),
        gettext_lazy(
            "Extends the deadline of one seat, or of everyone to move, by this number of days."
        ),
        services.moderate_extend,
        on=_in(RUNNING),
        fields={"seat": _seat_with_deadline_field, "days": _days_field},
        obstacle=_no_deadline,
    ),
    "excuse": ModeratorAction(
        gettext_lazy("Excuse a missed deadline"),
        gettext_lazy(
            "The last missed deadline of this player no longer counts as a miss. "
            "This does not return a lost seat."
        ),
        services.moderate_excuse,
        on=_in(RUNNING, PAUSED),
        fields={"seat": _seat_field},
    ),
    "play_bot": ModeratorAction(
        gettext_lazy("Let a bot play this turn"),
        gettext_lazy("For this turn only. The player keeps the seat."),
        services.moderate_play_bot,
        on=_in(RUNNING),
        fields={"seat": _seat_to_act_field},
        notes=consequences.of_bot_turn,
    ),
    "hand_seat": ModeratorAction(
        gettext_lazy("Reassign a seat"),
        gettext_lazy(
            "Enter the new player’s email address: they get an email with a link to accept the "
            "seat, which stays as it is until then. Leave the field empty to give the seat to a "
            "bot at once."
        ),
        services.moderate_offer_seat,
        on=_in(RUNNING, PAUSED),
        fields={"seat": _seat_field, "to": _person_field},
        notes=consequences.of_new_player,
    ),
    "rollback": ModeratorAction(
        gettext_lazy("Roll back the game"),
        gettext_lazy(
            "Play continues from the position after this event. Later events stay in the log."
        ),
        services.moderate_rollback,
        on=_in(RUNNING, PAUSED),
        fields={"to_seq": _position_field},
        notes=consequences.of_rollback,
    ),
    "abort": ModeratorAction(
        gettext_lazy("Cancel the game"),
        gettext_lazy("Ends the game without a result. This cannot be undone."),
        services.moderate_abort,
        on=_in(GATHERING, RUNNING, PAUSED),
        notes=consequences.of_abort,
    ),
    "rename": ModeratorAction(
        gettext_lazy("Rename the table"),
        gettext_lazy("The host is told the reason by email."),
        services.moderate_rename,
        fields={"title": _title_field},
        notes=consequences.of_title,
    ),
    OWN_GAME: ModeratorAction(
        gettext_lazy("Moderate your own game"),
        gettext_lazy(
            "There is no other moderator. For one hour you can act here and see hidden "
            "information. Everyone in the game is informed at once."
        ),
        services.moderate_own_game,
        on=_in(RUNNING, PAUSED),
    ),
}


class TableSubject(Subject):
    """A table as a moderator acts on it. row: a ModeratedTable."""

    actions = ACTIONS
    argument = "game_id"
    row: ModeratedTable

    @property
    def pk(self) -> int:
        return self.row.game.pk

    @property
    def key(self) -> int:
        return self.pk

    @property
    def name(self) -> str:
        return self.row.game.name

    @property
    def version(self) -> int:
        return self.row.log.version

    @cached_property
    def involvement(self) -> services.Involvement:
        """The involvement of the moderator in the game."""
        now = database_clock.now()
        return services.involvement(self.row.log, self.row.seats, self.by, now)

    def offered(self) -> list[str]:
        found = [name for name in super().offered() if name != OWN_GAME]
        if self.involvement.may_moderate:
            return found
        is_alone = services.is_alone(self.row.game, self.by)
        return [OWN_GAME] if is_alone and ACTIONS[OWN_GAME].on(self.row) else []

    def dry_run(self, act: Callable[[], object]) -> services.DryRun:
        return services.dry_run(act, game_id=self.pk)

    def effects(self, then: services.DryRun, notes: Sequence[str]) -> consequences.Consequences:
        return consequences.about_table(self.row, then, notes)

    @property
    def moved(self) -> str:
        return _(
            "The game has moved on since you looked. Nothing was done. This is what would happen "
            "now:"
        )


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


def _offers(table: ModeratedTable) -> list[str]:
    """The seats that people can still accept."""
    made = Decision.objects.filter(game=table.game, action=Action.OFFER_SEAT)
    return [
        _("%(name)s can take seat %(number)s until %(until)s.")
        % {
            "name": offer.person.name,
            "number": seat.number + 1,
            "until": zoned(offer.at + services.SEAT_OFFER_PERIOD),
        }
        for offer in made.select_related("person", "words")
        if offer.person is not None
        and (seat := services.offered_seat(offer, table.log, table.seats)) is not None
    ]


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
        "offers": _offers(table),
        "lines": lines[:LINES_SHOWN],
        "older_lines": lines[LINES_SHOWN:],
        "leaves_mails_out": base.is_kept_from(by, game),
        "mails": mails,
        "dropped": dropped,
        "history": decisions_about(game, base.decisions_for(by, Decision.objects.all())),
    }
