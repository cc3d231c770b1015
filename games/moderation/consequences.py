"""The effects of a moderator's action, shown before it is confirmed: those of a dry run, and what
the rows do not say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.log import table_events
from games.log.entry import Entry
from games.mail import kinds
from games.mail.kinds.moderation import DECISION, MODERATED, decision_lines
from games.models import Action, Decision, Game, bot_name
from games.moderation.table import ModeratedTable
from games.rules.contract import State
from games.services.dry_run import DryRun, TableRun
from games.templatetags.when import zoned
from games.translate import join_names, numbered, say, with_colon

Values = Mapping[str, Any]  # the cleaned values of the action's form


@dataclass(frozen=True)
class AtTable:
    """events: that will be written, in words. deadlines: that change. name: "" on the page about
    this table alone."""

    events: Sequence[str]
    deadlines: Sequence[str] = ()
    name: str = ""


@dataclass(frozen=True)
class Consequences:
    """sentences: what will happen. tables: those that change. mails: who will be told. statements:
    for each person who gets a statement of reasons, (name, sentences). undone: the moves that will
    not count any more. learnt: what somebody has seen of them and cannot forget. boards: (title,
    drawing as spectators see it)."""

    sentences: Sequence[str]
    tables: Sequence[AtTable]
    mails: Sequence[str]
    statements: Sequence[tuple[str, Sequence[str]]] = ()
    undone: Sequence[str] = ()
    learnt: Sequence[str] = ()
    boards: Sequence[tuple[str, SafeString]] = ()


def about_table(table: ModeratedTable, run: DryRun, notes: Sequence[str]) -> Consequences:
    """Return what this dry run at the table did. notes: what the action adds in words.

    Of a turn that a bot plays, only that it does: nobody is to decide by what it would do.
    """
    (then,) = run.tables
    if any(isinstance(entry.event, table_events.BotPlayed) for entry in then.events):
        return _of_bot_turn(table, then, notes)
    after = ModeratedTable(then.game, then.log, then.seats, table.reveal)
    kept = {move[-1].seq for move in after.log.moves}
    undone = [move for move in table.log.moves if move[-1].seq not in kept]
    sentences = list(notes)
    boards = []
    if table.log.effective:
        sentences = [
            _("Now: %(position)s") % {"position": _position(table)},
            *notes,
            _("Afterwards: %(position)s") % {"position": _position(after)},
        ]
        boards.append((_("Now"), _board(table, table.log.state, "now")))
        if after.log.effective != table.log.effective:
            boards.append((_("Afterwards"), _board(after, after.log.state, "then")))
    if undone:
        count = ngettext("%(count)s move is undone.", "%(count)s moves are undone.", len(undone))
        sentences.append(count % {"count": len(undone)})
    return Consequences(
        sentences,
        [AtTable(_events(after, then), list(_deadlines(table, after)))],
        [_mail(mail) for mail in (*then.mails, *run.mails)],
        _statements(run),
        [
            numbered(table.log.move_number(move[-1].seq), table.text(move))
            for move in reversed(undone)
        ],
        [sentence for move in undone for entry in move for sentence in _learnt(table, entry)],
        boards,
    )


def _of_bot_turn(table: ModeratedTable, then: TableRun, notes: Sequence[str]) -> Consequences:
    after = ModeratedTable(then.game, then.log, then.seats)
    first = [entry for entry in then.events if isinstance(entry.event, table_events.BotPlayed)]
    return Consequences(
        [
            _("Now: %(position)s") % {"position": _position(table)},
            *notes,
            _(
                "What the bot does, and the deadlines and emails that follow, can be seen only "
                "afterwards."
            ),
        ],
        [AtTable(after.sentences(first))],
        [_mail(mail) for mail in then.mails if mail.kind == MODERATED.name],
        boards=[(_("Now"), _board(table, table.log.state, "now"))],
    )


def about_person(run: DryRun, notes: Sequence[str]) -> Consequences:
    """Return what this dry run of a decision about a person, or about what they wrote, did."""
    mails = run.all_mails
    return Consequences(
        [*filter(None, map(_about, run.decisions)), *notes],
        [AtTable(_at_table(table), name=table.game.name) for table in run.tables],
        [_mail(mail) for mail in mails],
        _statements(run),
    )


def _about(decision: Decision) -> str:
    """What the decision does to the person; "" for one whose action has notes of its own."""
    name = {"name": decision.person.name if decision.person is not None else "–"}
    match decision.action, decision.until:
        case Action.SUSPEND, datetime() as until:
            sentence = _("%(name)s cannot sign in, join or move until %(until)s.")
            return sentence % {**name, "until": zoned(until)}
        case Action.SUSPEND, _none:
            return _("%(name)s cannot sign in, join or move any more, for good.") % name
        case Action.CLOSE_TALK, datetime() as until:
            sentence = _("%(name)s cannot write messages or notes until %(until)s.")
            return sentence % {**name, "until": zoned(until)}
        case Action.OPEN_TALK, _none:
            return _("%(name)s can write messages again.") % name
        case Action.LIFT, _none:
            return _("%(name)s can sign in again.") % name
        case Action.WARN, _none:
            return _("%(name)s is warned by email.") % name
    return ""


def _statements(run: DryRun) -> list[tuple[str, Sequence[str]]]:
    """What the people read about whom a decision is: the facts of the email."""
    sent = {
        mail.context["decision"]: mail.context
        for mail in run.all_mails
        if mail.kind == DECISION.name
    }
    return [
        (decision.person.name, decision_lines(decision, sent[decision.pk]))
        for decision in run.decisions
        if decision.pk in sent and decision.person is not None
    ]


def _at_table(then: TableRun) -> list[str]:
    """The new events in the words that spectators read, and the host."""
    table = ModeratedTable(then.game, then.log, then.seats)
    host = f"{with_colon(_('Host'))} {then.game.host.name}" if then.game.host is not None else ""
    return [*_events(table, then), *filter(None, [host])]


# -- what the actions add -------------------------------------------------------------------


def of_rollback(table: ModeratedTable, values: Values) -> list[str]:
    """Return notes about the clocks after a rollback."""
    return [_("Players whose turn it then is get their full time again.")]


def of_abort(table: ModeratedTable, values: Values) -> list[str]:
    """Return notes for cancelling a game."""
    players = _("Players: %(names)s.") % {"names": join_names(table.names.now)}
    if table.game.status == Game.Status.GATHERING:
        return [players, _("The table is closed, and nobody can join it.")]
    return [
        players,
        _("The game ends without a result for anyone. This cannot be undone."),
        _("All hands, the deck and the seed become public."),
    ]


def of_title(table: ModeratedTable, values: Values) -> list[str]:
    """Return notes about the name of the table."""
    names = {"old": table.game.name, "new": values["title"]}
    return [_("“%(old)s” is called “%(new)s” from now on.") % names]


def of_bot_turn(table: ModeratedTable, values: Values) -> list[str]:
    """Return notes about the turn that a bot will play."""
    name = table.names.now[values["seat"]]
    return [
        _("A bot plays this turn for %(name)s, who keeps the seat.") % {"name": name},
        _("Only a rollback can undo its move."),
    ]


def of_new_player(table: ModeratedTable, values: Values) -> list[str]:
    """Return notes about the seat that changes hands: to a bot at once, to a person once they
    accept."""
    number, to = values["seat"], values["to"]
    names = {
        "old": table.names.now[number],
        "new": bot_name(table.seats[number].place) if to is None else to.name,
        "number": number + 1,
    }
    if to is not None:
        return [
            _(
                "%(new)s has two weeks to accept seat %(number)s, which %(old)s has now. Nothing "
                "changes until they accept."
            )
            % names,
            _(
                "The person who accepts sees the hand and everything else that this seat may see. "
                "The table is told then, with your reason."
            ),
        ]
    sentences = [_("%(new)s takes over seat %(number)s from %(old)s.") % names]
    if table.seats[number].user_id is not None:
        sentences.append(_("%(old)s can only watch from now on.") % names)
    if number in table.game.to_act:
        sentences.append(_("It is the turn of this seat. The bot moves at once."))
    return sentences


# -- what the rows say ----------------------------------------------------------------------


def _events(after: ModeratedTable, then: TableRun) -> list[str]:
    """Return the new events in the words that spectators read, without the seed: it is
    secret as long as the action is not confirmed."""
    is_seed = table_events.Revealed
    return after.sentences([entry for entry in then.events if not isinstance(entry.event, is_seed)])


def _position(table: ModeratedTable) -> str:
    """ "after move 7, Alice to move." """
    asked = [table.names.now[seat] for seat in table.game.to_act]
    number = table.log.move_number(table.log.moves[-1][-1].seq)
    values = {"number": number, "names": join_names(asked)}
    if not asked:
        return _("after move %(number)s, nobody to move.") % values
    if not number:
        return _("the start of the game, %(names)s to move.") % values
    return _("after move %(number)s, %(names)s to move.") % values


def _deadlines(table: ModeratedTable, after: ModeratedTable) -> Sequence[str]:
    """The deadlines that change, by seat."""
    found = []
    for old, new, name in zip(table.seats, after.seats, after.names.now, strict=True):
        if old.due_at == new.due_at:
            continue
        if new.due_at is None:
            found.append(f"{with_colon(name)} {_('no deadline')}")
        else:
            found.append(f"{with_colon(name)} {zoned(new.due_at)}")
    return found


def _mail(mail: Any) -> str:
    """ "Alice (German): moderator action"; mail: a row of the outbox."""
    language = _(dict(settings.LANGUAGES).get(mail.user.language, mail.user.language))
    return f"{with_colon(f'{mail.user.name} ({language})')} {kinds.label(mail.kind)}"


def _learnt(table: ModeratedTable, entry: Entry) -> Sequence[str]:
    """Return what a seat learnt from this event of a move, in the words that spectators read: what
    it alone saw, or what chance brought it."""
    rules, seat = table.log.engine.rules, entry.seat
    shown = rules.visible(entry.event, None)
    saw = [
        number for number in range(len(table.seats)) if rules.visible(entry.event, number) != shown
    ]
    if not saw and seat is not None and rules.command_of(entry.event) is None:
        saw = [seat]
    what = " ".join(table.sentences([entry]))
    if not saw or not what:
        return []
    return [f"{with_colon(join_names([table.names.now[number] for number in saw]))} {what}"]


def _board(table: ModeratedTable, state: State, prefix: str) -> SafeString:
    engine, names = table.log.engine, table.names.now
    svg = engine.board_svg(
        engine.rules.view(state, None),
        translate=lambda text: say(text, names),
        prefix=prefix,
    )
    return mark_safe(svg)  # noqa: S308  # our own drawing; it escapes labels with names in them
