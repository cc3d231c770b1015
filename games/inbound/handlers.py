"""Carries out what a letter asks for, as decided, and answers it.

A verified sender is obeyed at once. For all others, whatever would change the game waits behind a
link with a button; what only shows something is sent, to the user's own address.
"""

from collections.abc import Sequence
from datetime import date, datetime

import msgspec
from django.utils.translation import gettext as _

from games import selectors, services
from games.mail import queue
from games.mail.kinds import answer
from games.models import Circle, InboundMail, User, database_clock
from games.rules import table_events
from games.rules.errors import IllegalMove, MoveError, TurnBegun
from games.services import GameMoved, QuotaExceeded, ServiceError, quotas
from games.translate import quoted, with_colon

from . import answers, auto_replies, commands, decision, letter, questions, reply_context
from .answers import Done
from .commands import AnyAct, Move, Note, Say, Shown
from .decision import Allowed, Decision, Question
from .letter import Letter
from .reply_context import ReplyContext
from .reply_parser import Problem, Reply

Outcome = InboundMail.Outcome

_LIMITS_OF_ANSWERS = {quotas.UNVERIFIED_REPLIES.name, quotas.UNCLEAR_REPLIES.name}
# What neither changes the game nor needs its log before it is answered.
_READS = Shown | commands.SwitchMail | commands.StopAll | commands.Away
# What an answer is about first, of several acts.
_FIRST = (Move, commands.Resign, commands.AnswerVote, commands.AskVote)


def list_games(row: InboundMail, user: User, reply: Reply) -> Outcome:
    """Answer a reply about several games with where to write about each.

    Of a verified sender, what is about no game is carried out: all emails off or on, an absence.
    """
    said = letter.read(reply, letter.NoTable())
    row.line = said.line
    if row.sender_check == InboundMail.SenderCheck.STRANGER:
        return Outcome.STRANGER
    if auto_replies.is_reaction(row.line):
        return Outcome.REACTION
    known: dict[str, object] = {"message_id": row.message_id}
    limits = quotas.UNVERIFIED_REPLIES
    if row.sender_check == InboundMail.SenderCheck.PASS:
        known |= _done_for_all_games(row, user, said)
        limits = quotas.GAME_LISTS
    try:
        quotas.spend(limits, person=user)
    except QuotaExceeded:
        return Outcome.QUIET
    if reply.problem is Problem.CUT:
        known["topic"] = "large"
    row.answer_id = queue.answer(None, None, user, seq=0, about=str(row.pk), context=known)
    return Outcome.LARGE if reply.problem is Problem.CUT else Outcome.SHOWN


def _done_for_all_games(row: InboundMail, user: User, said: Letter) -> dict[str, object]:
    """Carry out what is about no game; what the answer says of it, {} if there is nothing."""
    if len(said.acts) != 1 or said.doubts or said.is_long:
        return {}
    match said.acts[0]:
        case commands.StopAll(off):
            services.all_mail_switch(user=user, off=off)
            return {"topic": "stop" if off else "start"}
        case commands.Away() as away:
            try:
                lines = _announce_absence(user, away, row.received_at)
            except ServiceError as error:
                lines = [error.text]
            return {"topic": "away", "lines": lines}
    return {}


def handle(context: ReplyContext) -> Outcome:
    """Do what the reply says, as far as its sender is trusted, and answer it."""
    try:
        return _handle(context)
    except QuotaExceeded as exceeded:
        return over_limit(context, exceeded)


def over_limit(context: ReplyContext, exceeded: QuotaExceeded) -> Outcome:
    """Answer the first email over a limit, if its sender is verified. Later ones are ignored
    silently, because only machines send that many."""
    if not exceeded.is_first or not context.is_trusted:
        return Outcome.QUIET
    context.answer(answer.NOTICE, topic="limit", reason=exceeded.text, board=False)
    return Outcome.LIMIT


def apologise(context: ReplyContext) -> Outcome:
    """Answer an email that could not be processed, after the last try. Reads no text of it."""
    if context.is_from_stranger:
        return Outcome.STRANGER
    try:
        if context.is_trusted:
            quotas.spend(quotas.REPLIES, person=context.user, table=context.game)
        answers.report(context, "failed", board=False)
    except QuotaExceeded:
        return Outcome.QUIET
    return Outcome.NONE


def _handle(context: ReplyContext) -> Outcome:
    problem = context.reply.problem
    if context.is_from_stranger:
        return _handle_stranger(context)
    if problem is Problem.CUT:  # what was cut off might change the meaning
        answers.report(context, "large", board=False)
        return Outcome.LARGE
    if problem is not None:
        return answers.not_readable(context, problem)
    if auto_replies.is_reaction(context.reply.line):
        context.row.line = context.reply.line
        return Outcome.REACTION
    said = context.letter
    question, decided = decision.QUESTION, Decision(why="unclear")
    changes = not (said.acts and all(isinstance(act, _READS) for act in said.acts))
    if context.sits and changes and (context.is_trusted or commands.Resign() in said.acts):
        context.lock()  # before the log is read for the first time
    try:
        if context.sits:
            question = questions.find(context, said)
        decided = decision.decide(said, question, _allowed(context, question))
        if context.reply.is_reaction and not _is_answer(question, decided):
            return Outcome.REACTION
        return _carry_out(context, question, decided)
    except GameMoved:
        if decided.why == "unclear" and _is_for_players(said):
            return answers.offer_to_say(context)
        return answers.stale(context, said.lines)
    except MoveError as error:
        # The reply answers an email from before the question.
        is_plan = isinstance(error, TurnBegun)  # neither a move nor lost: it is offered as one
        if context.row.seq and reply_context.is_newly_asked(context) and not is_plan:
            return answers.stale(context, said.lines)
        reason = answers.reason_of(error, context)
        is_malformed = not isinstance(error, IllegalMove)
        is_move = decided.why == "unclear" or any(isinstance(act, Move) for act in decided.acts)
        offer = _suggestion(context, said) if is_move else ""
        if not offer and decided.why == "unclear" and _is_for_players(said):
            return answers.offer_to_say(context, with_notation=is_malformed)
        return answers.not_understood(context, reason, with_notation=is_malformed, offer=offer)
    except ServiceError as error:
        if isinstance(error, QuotaExceeded) and error.quota.action in _LIMITS_OF_ANSWERS:
            raise
        if decided.why == "unclear" and _is_for_players(said):
            return answers.offer_to_say(context, error.text)
        return answers.not_understood(context, error.text, with_notation=False)


def _handle_stranger(context: ReplyContext) -> Outcome:
    """Ask the player to confirm a move that could be made; ignore everything else."""
    said = context.letter
    moves = [act for act in said.acts if isinstance(act, Move)]
    if context.reply.problem or len(said.acts) != 1 or not moves or said.doubts or said.is_long:
        return Outcome.STRANGER
    try:
        reply_context.read_move(context, moves[0].line)
    except (MoveError, ServiceError):
        return Outcome.STRANGER
    return _ask_to_confirm(context, (moves[0],))


def _allowed(context: ReplyContext, question: Question) -> Allowed:
    if question.asks != "talk":
        return Allowed(context.sits)
    others = [seat for seat in context.seats if seat.user_id not in (None, context.user.pk)]
    names = (commands.words_of(context.names[seat.number]) for seat in others)
    words = frozenset(word for found in names for word in found)
    return Allowed(context.sits, len(others), words)


def _is_answer(question: Question, decided: Decision) -> bool:
    """Return whether the click on a reaction answers a question. "No" needs no answer of ours."""
    return question.asks in ("vote", "move", "say") and bool(decided.acts)


def _is_for_players(said: Letter) -> bool:
    return commands.is_to_players(said.line) and not commands.is_about_absence(said.line)


def _suggestion(context: ReplyContext, said: Letter) -> str:
    """The move to offer in answer to a letter that was not understood, in notation; "" for none:
    the first line, or the one below a greeting."""
    lines = [part.text for part in said.own if part.kind not in ("courtesy", "word")]
    lines = lines[: 2 if commands.is_greeting(said.line) else 1]
    table = reply_context.table_of(context, now=True)
    return next(filter(None, (table.near(commands.split_talk(line)[0]) for line in lines)), "")


def _carry_out(context: ReplyContext, question: Question, decided: Decision) -> Outcome:
    """Answer what was decided, and do it."""
    said, line = context.letter, decided.line
    match decided.why:
        case "":
            return _do(context, decided)
        case "nothing":
            return answers.nothing_read(context)
        case "vote":
            return answers.ask_for_vote(context, question.seq)
        case "resign":
            services.require_may_resign(context.lock(), context.user)
            if question.asks != "resign" and not context.is_trusted:
                return _ask_to_confirm(context, (commands.Resign(),))
            return answers.ask_to_resign(context)
        case "declined":
            answers.report(context, "declined", board=True, unread=decided.unread)
            return Outcome.SHOWN
        case "away":
            return answers.no_seat(context)
        case "say":
            return answers.offer_to_say(context)
        case "offer":
            move = next(act for act in said.acts if isinstance(act, Move))
            reply_context.read_move(context, move.line)
            offer = reply_context.table_of(context, now=True).meaning(move.line)
            reason = _("Your move isn’t on the first line.")
            return answers.not_understood(context, reason, with_notation=False, offer=offer)
        case "unclear":
            reply_context.read_move(context, commands.split_talk(_first_text(said))[0])
    reason = answers.why_not(decided.why, line)
    return answers.not_understood(context, reason, with_notation=False, quoted=line[:200])


def _first_text(said: Letter) -> str:
    lines = [part.text for part in said.own if part.kind in ("text", "doubt", "later", "word")]
    return (lines or [said.line])[0]


def _do(context: ReplyContext, decided: Decision) -> Outcome:
    acts = decided.acts
    if isinstance(acts[0], Shown):
        _show(context, acts[0], decided.unread)
        return Outcome.SHOWN
    if not context.sits:
        acts = tuple(
            act for act in acts if isinstance(act, decision.WITHOUT_SEAT | commands.TakeBack)
        )
    elif any(isinstance(act, commands.TakeBack) for act in acts):
        raise ServiceError(_("You already have this seat."))
    if context.is_trusted:
        return execute(context, acts, decided.unread)
    if not context.sits:
        raise ServiceError(_("We couldn’t verify the sender. Use the game page instead."))
    has_move = any(isinstance(act, Move) for act in acts)
    for act in acts:
        if not (has_move and isinstance(act, Say | Note)):  # a move is made without words
            _require_possible(context, act)
    return _ask_to_confirm(context, acts)


def _require_possible(context: ReplyContext, act: AnyAct) -> None:
    """Raise the error with which the table would refuse this now: what is refused needs no
    confirmation."""
    match act:
        case Move(line, seq):
            reply_context.read_move(context, line, seq)
        case Note() | Say():
            services.require_may_talk(context.game, context.user)
        case commands.Resign():
            services.require_may_resign(context.lock(), context.user)
        case (
            commands.AskVote()
            | commands.AnswerVote()
            | commands.Undo()
            | commands.Report()
            | commands.GiveDay()
            | commands.Nudge()
            | commands.LeaveCircle()
        ):
            services.require_possible(lambda: _done(context.copy(), act, ""))


def _ask_to_confirm(context: ReplyContext, acts: tuple[AnyAct, ...]) -> Outcome:
    """Answer with a link that carries out these acts."""
    context.keep(msgspec.structs.replace(context.letter, decided=acts))
    context.answer(answer.CONFIRM, why=context.row.sender_check, inbound=context.row.pk)
    return Outcome.CONFIRM


def _show(context: ReplyContext, act: AnyAct, unread: Sequence[str]) -> None:
    match act:
        case commands.Show():
            answers.show(context, "board", board=True, unread=unread)
        case commands.ShowWords():
            answers.show(context, "words", answers.position(context), unread=unread)
        case commands.ShowOrders():
            lines = answers.order_lines(context)
            topic = "orders" if lines else "no_orders"
            answers.show(context, topic, lines, unread=unread)
        case commands.Help():
            answers.show(context, "help", answers.help_lines(context), unread=unread)
        case commands.Rules():
            answers.show(context, "rules", answers.notation(context), unread=unread)
        case commands.Status():
            answers.show(context, "status", answers.games_of(context.user), unread=unread)
        case commands.ShowStandings():
            circle = _circle(context)
            lines = [with_colon(quoted(circle.name)), *selectors.standings_text(circle).lines]
            answers.show(context, "standings", lines, unread=unread)
        case commands.Legal():
            reply_context.require_turn(context)
            lines = answers.legal_move_lines(context.log, context.seat)
            answers.show(context, "legal", lines, board=True, unread=unread)
        case commands.Preview(line):
            lines = reply_context.preview(context, line)
            answers.show(context, "preview", lines, unread=unread)


# -- acts ----------------------------------------------------------------------------------------


def execute(context: ReplyContext, acts: Sequence[AnyAct], unread: Sequence[str] = ()) -> Outcome:
    """Carry out acts that change something, and answer with what was done. Their sender is trusted.

    Raises MoveError, GameMoved or ServiceError for the first one; then nothing has changed. Why a
    later one was refused is in the answer.
    """
    has_move = any(isinstance(act, Move) for act in acts)
    note = "\n".join(act.text for act in acts if has_move and isinstance(act, Note))
    left = [act for act in acts if not (has_move and isinstance(act, Note))]
    first, *others = sorted(left, key=lambda act: not isinstance(act, _FIRST))
    done = [_done(context, first, note)]
    for act in others:
        try:
            done.append(_done(context, act, ""))
        except (MoveError, ServiceError) as error:
            reason = answers.reason_of(error, context)
            done.append(Done("refused", lines=[f"{answers.words_of(act)} – {reason}"]))
    return answers.report_done(context, done, unread)


def _done(context: ReplyContext, act: AnyAct, note: str) -> Done:
    """Do this, and return what the answer says. note: with a move."""
    row, user, game = context.row, context.user, context.game
    match act:
        case Move(line, seq):
            played = services.game_play_line_locked(
                context.lock(),
                user=user,
                seat=context.seat,
                line=line,
                version=row.seq if seq is None else seq,
                note=note,
            )
            is_sent = note and not played.repeated and not played.note_refused
            sent = [answers.sent(note, game)] if is_sent else []
            outcome = Outcome.REPEATED if played.repeated else Outcome.PLAYED
            return Done("", outcome, played=played, sent=sent)
        case Note(text):
            has_moved = services.note_add_locked(context.lock(), user, text)
            return Done("note" if has_moved else "first_note", sent=[answers.sent(text, game)])
        case Say(text):
            message = services.message_write_locked(context.lock(), user, text)
            return Done("said", sent=[answers.sent(message.text, game, message)])
        case commands.Report(text):
            person, what = _reported(context, text)
            services.conduct_report(
                game=game, user=user, person=person, text=what, is_answered=True
            )
            row.letter = None  # other moderators may read it
            return Done("reported")
        case commands.SwitchMail(on):
            services.game_mail_switch(game_id=game.pk, user=user, off=not on)
            return Done("mails_on" if on else "mails_off")
        case commands.StopAll(off):
            services.all_mail_switch(user=user, off=off)
            return Done("stop" if off else "start")
        case commands.Away():
            return Done("away", lines=_announce_absence(user, act, row.received_at))
        case commands.LeaveCircle(name):
            circle = _circle(context)
            _require_named(circle, name, user)
            services.circle_leave(circle_id=circle.pk, user=user)
            return Done("circle_left")
        case commands.GiveDay(player):
            services.day_give_locked(context.lock(), user, _late(context, player))
            return Done("day_given")
        case commands.Nudge(player):
            services.player_nudge_locked(context.lock(), user, _late(context, player))
            return Done("nudged")
        case commands.AskVote():
            return _call_vote(context, act)
        case commands.AnswerVote(agrees):
            return _cast_vote(context, agrees=agrees)
        case commands.Undo():
            services.step_undo_locked(context.lock(), user)
            return Done("undo", board=True)
        case commands.TakeBack():
            services.seat_take_back_locked(context.lock(), user)
            context.sits = True
            return Done("seat_back", board=True)
        case commands.Resign():
            services.game_resign_locked(context.lock(), user)
            return Done("resigned", final=reply_context.is_over(context))
    raise ValueError(f"{act!r} changes nothing")


def sentences(context: ReplyContext, acts: Sequence[AnyAct]) -> list[str]:
    """The effects of these acts, for the page of a link that carries them out. Raises MoveError or
    ServiceError for what cannot be done."""
    return [line for act in acts for line in _sentences(context, act)]


def _sentences(context: ReplyContext, act: AnyAct) -> list[str]:
    match act:
        case commands.AskVote() as vote:
            known_vote(vote)
            if vote.is_sure:
                return [_("End the game now, without a result. This can’t be undone.")]
            return [_("Put this to a vote: %(line)s") % {"line": context.row.line}]
        case commands.AnswerVote(agrees):
            agreed = _("Agree to the vote.")
            return [agreed if agrees else _("Say no to the vote.")]
        case Move(line, seq):
            return reply_context.preview(context, line, seq)
        case Note(text):
            return [_("Add a note to your last move: %(text)s") % {"text": text}]
        case Say(text):
            return [_("Write to the others at the table: %(text)s") % {"text": text}]
        case commands.Report(text):
            person, what = _reported(context, text)
            known = {"name": person.name, "text": what}
            return [_("Report %(name)s to the moderators: %(text)s") % known]
        case commands.SwitchMail(on):
            off = _("Turn off emails for this game.")
            return [_("Turn emails for this game back on.") if on else off]
        case commands.StopAll(off):
            off_all = _("Turn off all emails of this service.")
            return [off_all if off else _("Turn all emails of this service back on.")]
        case commands.LeaveCircle(name):
            circle = _circle(context)
            _require_named(circle, name, context.user)
            return [_("Leave the circle “%(circle)s”.") % {"circle": circle.name}]
        case commands.GiveDay():
            return [_("Give one more day to the player who is late.")]
        case commands.Nudge():
            return [_("Send a friendly nudge to the player who is late.")]
        case commands.Undo():
            return [_("Take back your last step.")]
        case commands.Away() as away:
            last = last_day_of_absence(context.user, away, context.row.received_at)
            return [_("Enter an absence until %(day)s.") % {"day": selectors.day(last)}]
        case commands.Resign():
            return [_("You’re about to resign. This can’t be undone.")]
    raise ServiceError(_("There’s nothing to confirm."))


def _reported(context: ReplyContext, text: str) -> tuple[User, str]:
    """The player who is reported, and what happened; ServiceError for no name."""
    found = reply_context.named_player(context, text)
    if found is None:
        raise ServiceError(context.how_to_report)
    return found


def _circle(context: ReplyContext) -> Circle:
    """The circle of the table, for its members; ServiceError for everybody else."""
    circle = context.game.circle
    if circle is None or not selectors.in_circle_of(context.game, context.user):
        raise ServiceError(_("This table wasn’t made for a circle of yours."))
    return circle


def _require_named(circle: Circle, name: str, user: User) -> None:
    if commands.words_of(name) != commands.words_of(circle.name):
        words = _("To leave the circle “%(circle)s”, reply “leave circle %(circle)s”.")
        after = selectors.after_leaving(circle, user)
        raise ServiceError(f"{words % {'circle': circle.name}} {after}".strip())


# -- absences and votes --------------------------------------------------------------------------


def _announce_absence(user: User, act: commands.Away, written: datetime) -> list[str]:
    """Enter the absence; return lines about the deadlines. ServiceError for no such day."""
    now = database_clock.now()
    last = last_day_of_absence(user, act, written)
    today = now.astimezone(user.zone).date()
    effects = services.absence_enter_in_transaction(user, today, last, now)
    until = _("You’re away until %(day)s.") % {"day": selectors.day(last)}
    return [until, *selectors.effect_lines(effects)]


def last_day_of_absence(user: User, act: commands.Away, written: datetime) -> date:
    """Return the last day of the absence. ServiceError if there is no such day.

    written: when the reply arrived. A day without a year, or a weekday, is the next one after that,
    also if the reply is confirmed later.
    """
    try:
        return act.until.seen_from(written.astimezone(user.zone).date())
    except ValueError as error:
        raise ServiceError(_("This date doesn’t exist. Check the day and the month.")) from error


def known_vote(act: commands.AskVote) -> table_events.Proposal:
    """The subject of the vote. ServiceError, with what can be written, if we do not know it."""
    if act.about is None or (act.about == "pause" and act.until is None):
        raise ServiceError(
            _(
                "Write “vote pause until 3 January”, “vote resume”, “vote take back”, “vote bot” "
                "and a name, or “vote cancel”."
            )
        )
    return act.about


def _call_vote(context: ReplyContext, act: commands.AskVote) -> Done:
    """Call a vote. ServiceError if that cannot be."""
    about, day = known_vote(act), None
    if act.until is not None:
        day = last_day_of_absence(context.user, commands.Away(act.until), context.row.received_at)
    locked = context.lock()
    late = _late(context, act.player) if act.about == "bot" else None
    passed = services.vote_open_locked(
        locked, context.user, about, until=day, late=late, is_sure=act.is_sure
    )
    lines = answers.vote_lines(context)
    topic = "vote_passed" if passed else "vote_asked"
    return Done(topic, lines=lines, final=reply_context.is_over(context))


def _cast_vote(context: ReplyContext, *, agrees: bool) -> Done:
    """Answer the vote. ServiceError, with how it ended, if it is not open."""
    locked, seq = context.lock(), context.row.seq
    lines = answers.vote_lines(context)
    ended = services.vote_answer_locked(locked, context.user, seq, agrees=agrees)
    topic = "vote_yes" if agrees else "vote_no"
    if ended:
        lines = [ended]
    return Done(topic, lines=lines, final=reply_context.is_over(context))


def _late(context: ReplyContext, player: str) -> int | None:
    """The seat of the player who is named, or of the only one who is late; None if nobody is."""
    wanted = commands.plain_name(player)
    named = [n for n, name in enumerate(context.names) if commands.plain_name(name) == wanted]
    if not player:
        named = [seat.number for seat in context.lock().seats if seat.overdue]
    if len(named) > 1 or (player and not named):
        raise ServiceError(
            _("Write the name of the player who is late, as the table shows it, after the command.")
        )
    return named[0] if named else None
