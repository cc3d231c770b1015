"""The answers to a reply: what was done or is shown, and why something could not be done."""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice, takewhile
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games import selectors, services
from games.log.game_log import Log
from games.mail import signed_links
from games.mail.kinds import answer
from games.mail.turn_text import choose_one, time_left
from games.models import Game, InboundMail, Message, User
from games.rules import printed_lines
from games.rules.contract import AnyGame
from games.rules.errors import MoveError
from games.rules.guidance import LegalSection, merged
from games.rules.text import Text
from games.services import ServiceError, quotas
from games.translate import exact_time, join_names, say, with_colon

from . import command_words, commands
from .blocks import LONGEST
from .blocks import MOST_LINES as MOST_TEXT_LINES
from .reply_context import ReplyContext, is_over
from .reply_parser import Problem

Outcome = InboundMail.Outcome

UNCLEAR_BEFORE_FORM = 2  # emails not understood before the one that is answered with a form's link

DAY = timedelta(days=1)
UNCLEAR = (Outcome.UNCLEAR, Outcome.REFUSED)
IGNORED = (Outcome.LIMIT, Outcome.QUIET)
MOST = 10  # emails that are looked at

MOST_LINES = 60
WIDTH = 64  # characters of a line, as emails break it
INDENT = "  "


@dataclass(frozen=True)
class Done:
    """What was done for one act of a letter. topic: as the template of the answer names it, "" for
    a move. lines: more about it. sent: words that others can read now. board: whether the answer
    shows the position. final: it has ended the game."""

    topic: str
    outcome: Outcome = Outcome.ORDERED
    lines: Sequence[str] = ()
    sent: Sequence[dict[str, str]] = ()
    played: services.Played | None = None
    board: bool = False
    final: bool = False


def sent(text: str, game: Game, message: Message | None = None) -> dict[str, str]:
    """Return what was sent, and the page on which its author can delete it: that of the message, or
    for a note that of the table."""
    if message is None:
        path, title = reverse("game", args=[game.public_id]), _("Note added")
    else:
        path, title = signed_links.message_path(message), _("Message sent")
    return {"title": title, "text": text, "url": settings.SITE_URL + path}


def report_done(context: ReplyContext, done: Sequence[Done], unread: Sequence[str]) -> Outcome:
    """Answer with what was done, the first act first, and the lines that were not read.

    Of a move, the answer says what it did, and what the bots did if only they were to act; then it
    has the board and the question to the player, or whose turn it is.
    """
    first, *others = done
    more: dict[str, Any] = {
        "sent": [words for each in done for words in each.sent],
        "also": [line for each in others for line in _also(each)],
        "unread": list(unread),
    }
    if (played := first.played) is None:
        lines = list(first.lines)
        context.answer(
            answer.NOTICE,
            topic=first.topic,
            board=first.board,
            final=first.final,
            lines=lines,
            **more,
        )
    elif played.order:
        context.answer(
            answer.PLAYED, seq=played.version, order=played.order, repeated=played.repeated, **more
        )
    else:
        context.answer(
            answer.PLAYED,
            seq=played.version
            if context.log.version == played.version or played.repeated
            else None,
            first=played.first,
            repeated=played.repeated,
            note_refused=played.note_refused,
            final=not played.repeated and is_over(context),
            waits_for_bots=not played.repeated and context.lock().waits_for_bots,
            **more,
        )
    return first.outcome


def _also(done: Done) -> list[str]:
    """The sentences about an act that is not the first; words that were sent are quoted anyway."""
    if done.sent:
        return []
    return [answer.opening_of(done.topic), *done.lines]


def words_of(act: commands.AnyAct) -> str:
    """The words of an act that was refused beside another one."""
    match act:
        case commands.Say(text) | commands.Note(text) | commands.Report(text):
            return f"“{text[:200]}”"
        case commands.Away():
            return _("Your absence")
    return _("A line of your email")


def vote_lines(context: ReplyContext) -> list[str]:
    """What the open vote asks for, what it does, and the moves that it is about."""
    text = selectors.vote_text(context.log, context.seats, context.seat)
    if text is None:
        return []
    return [text.asked, text.effect, *text.moves]


def report(context: ReplyContext, topic: str, *, board: bool, unread: Sequence[str] = ()) -> None:
    """Answer that it was done, or what happened instead; topic: as the template names it."""
    context.answer(answer.NOTICE, topic=topic, board=board, unread=list(unread))


def show(
    context: ReplyContext,
    topic: str,
    lines: Sequence[str] = (),
    *,
    board: bool = False,
    unread: Sequence[str] = (),
) -> None:
    """Answer with what the reply asks for; topic: as the template names it."""
    context.answer(answer.SHOWN, topic=topic, lines=list(lines), board=board, unread=list(unread))


def stale(context: ReplyContext, unread: Sequence[str]) -> Outcome:
    """Answer that the game has moved on, with the present board and what was not read."""
    report(context, "stale", board=True, unread=unread)
    return Outcome.STALE


def no_seat(context: ReplyContext) -> Outcome:
    """Answer somebody who no longer has the seat that they write about."""
    reason = _(
        "You no longer have a seat at this table, so your reply wasn’t carried out. You can "
        "still write “away until” and a day, “report” and a name, “status”, “standings”, “help” "
        "or “stop”."
    )
    if context.log.lost_by(context.seat) == context.user.pk:
        back = _(
            "A bot has taken your seat, because you missed deadlines. If you want the seat back, "
            "reply “take my seat back”."
        )
        reason = f"{reason} {back}"
    context.answer(answer.NOTICE, topic="no_seat", reason=reason, board=False)
    return Outcome.REFUSED


def ask_for_vote(context: ReplyContext, vote: int) -> Outcome:
    """Answer a reply to the email of a vote that is neither a yes nor a no: how it is answered, or
    how the vote ended."""
    found = context.log.vote
    if found is None or found.seq != vote:
        reason = selectors.ended_vote_sentence(context.log, context.seats, vote)
        return not_understood(context, reason, with_notation=False)
    # A mail program breaks no line within these words, so “no” never stands alone in a quotation.
    reason = _("This email asks for your vote. Answer “yes”\xa0or\xa0“no”.")
    return not_understood(context, reason, with_notation=False, vote=vote)


def why_not(why: str, line: str) -> str:
    """Return the reason why nothing of a letter was carried out. line: the one that is doubtful."""
    match why:
        case "asked":
            return _(
                "This line is a question: “%(line)s”. If you want us to do it, send the line again "
                "without the question mark."
            ) % {"line": line[:200]}
        case "doubt":
            return _(
                "Because of this line, we aren’t sure what you want: “%(line)s”. Send only what "
                "we should do, without other lines."
            ) % {"line": line[:200]}
        case "below":
            return _("On the first line, above all other text, write what we should do.")
        case "several":
            return _("Your email asks for several things at once. Send each in a reply of its own.")
    return _(
        "Your email is too long. A message can have at most %(most)s characters and %(lines)s "
        "lines. For a move or a command, send only its line."
    ) % {"most": LONGEST, "lines": MOST_TEXT_LINES}


def ask_to_resign(context: ReplyContext) -> Outcome:
    """Answer with the question whether the player wants to resign."""
    context.answer(answer.RESIGN)
    return Outcome.ASKED


def nothing_read(context: ReplyContext) -> Outcome:
    """Answer a reply in which there is no line of its writer."""
    reason = _(
        "We found only quoted text, a signature or an attachment. Write your move above the quoted "
        "email."
    )
    return not_understood(context, reason, with_notation=True)


def not_readable(context: ReplyContext, problem: Problem) -> Outcome:
    """Answer a reply of which nobody can say what its writer wrote."""
    match problem:
        case Problem.ENCRYPTED:
            reason = _(
                "Your email is encrypted, or signed in a way that hides its text from us. Please "
                "send it again without encryption and signature."
            )
        case Problem.DIFFERS:
            reason = _(
                "Your email contains two versions of your text, and they differ: one as plain "
                "text, one with formatting. Please send your move again as plain text."
            )
        case Problem.STYLED:
            reason = _(
                "The formatting of your email may hide or strike out words, so we can’t be sure "
                "what you wrote. Please send your move again as plain text, or make it on the game "
                "page."
            )
        case Problem.UNREADABLE:
            reason = _(
                "Your email couldn’t be read, because it’s too complicated. Please send your move "
                "again as plain text, or make it on the game page."
            )
    return not_understood(context, reason, with_notation=False, with_page=True)


def not_understood(
    context: ReplyContext,
    reason: str,
    *,
    with_notation: bool,
    offer: str = "",
    with_page: bool = False,
    quoted: str = "",
    **content: Any,
) -> Outcome:
    """Answer with the line, the reason, and how a move is written if the line is no move; from the
    third time in a row on with a link to the form. with_page: with a link to the page in any case.
    quoted: the line that the reason quotes. content: more of the context of the answer.
    """
    if context.is_trusted or context.row.confirmed_at:  # the others have a share of their own
        quotas.spend(quotas.UNCLEAR_REPLIES, person=context.user, table=context.game)
    before = count_in_a_row(context)
    said, line = context.letter, context.row.line
    if not offer and not context.letter.acts and (hint := _hint(line)):
        reason = hint
    context.row.offer = offer
    context.answer(
        answer.UNCLEAR,
        topic="" if with_notation else "refused",
        line=line[:200],
        reason=reason,
        lines=notation(context) if with_notation and not offer else [],
        why="form" if before >= UNCLEAR_BEFORE_FORM else "page" if with_page else "",
        offer=offer,
        unread=[]
        if context.reply.problem
        else [each for each in said.lines if each not in (line, quoted)],
        **content,
    )
    return Outcome.UNCLEAR if with_notation else Outcome.REFUSED


def offer_to_say(
    context: ReplyContext, reason: str = "", *, with_notation: bool = False
) -> Outcome:
    """Ask whether to write to the others at the table what the reply says. reason: why it was not
    carried out, besides."""
    if any(command_words.REPORT.match(line) for line in context.letter.lines):
        return not_understood(context, f"{reason} {context.how_to_report}", with_notation=False)
    reason = f"{reason} {_('The other players don’t see your email.')}".strip()
    return not_understood(context, reason, with_notation=with_notation, offer=answer.SAY)


def _hint(line: str) -> str:
    """A hint about a line that is no move at all; "" where there is none."""
    if commands.is_about_absence(line):
        return _(
            "If you’re away, write “away until” and a day, such as 3 January, on a line of its "
            "own. Your deadlines are paused until then."
        )
    if word := commands.incomplete(line):
        return _(
            "Something is missing after “%(word)s”. Write your move or your text on the same line."
        ) % {"word": word}
    if (near := commands.nearest(line)) is not None:
        return _("We do not know “%(word)s”. Did you mean “%(near)s”?") % {
            "word": line[:60],
            "near": near,
        }
    return ""


def notation(context: ReplyContext) -> list[str]:
    """Return lines that explain how to write a move."""
    return [say(text) for text in context.log.engine.notation.help_lines()]


def reason_of(error: MoveError | ServiceError, context: ReplyContext) -> str:
    """Return the reason of the refusal, without the line itself, which the answer shows, too."""
    if isinstance(error, ServiceError):
        return error.text
    reason = dict(error.text.params).get("reason")
    return say(reason if isinstance(reason, Text) else error.text, context.names)


def order_lines(context: ReplyContext) -> list[str]:
    """What the player has entered in advance, in notation."""
    engine, state = context.log.engine, context.log.state
    orders = engine.rules.standing_orders(state, context.seat) if context.log.effective else ()
    written = (engine.notation.describe(order, context.view) for order, _withdrawn in orders)
    return [engine.notation.localised(line, say) for line in written]


def help_lines(context: ReplyContext) -> list[str]:
    """All that a player can write: commands, and how a move is written."""
    heading = with_colon(_("How to write a move"))
    return [*commands_help(), *more_commands_help(), heading, *notation(context)]


def commands_help() -> list[str]:
    """The commands besides moves."""
    return [
        _("a move, as described below; add a line “note: …” for a note on the move"),
        _("show: see the board and your hand again"),
        _("legal: list your legal moves; send a line of it back as your move"),
        _("preview …: see what that move would do"),
        _("say: … writes to everyone at the table; several lines are fine"),
        _("note: … adds a note to your last move"),
        _("pause emails, resume emails: turn emails for this game off or on"),
        _("resign: resign from the game; we ask you to confirm"),
        _("help: show this list"),
    ]


def more_commands_help() -> list[str]:
    """The commands besides moves that a player needs less often."""
    return [
        _("plan: see what you have entered in advance"),
        _("show words: see the board and your hand in words, without a picture"),
        _(
            "undo: take back your last placement or step, as long as nothing was revealed and "
            "nobody else has acted"
        ),
        _("take my seat back: after a bot has taken your seat because you missed deadlines"),
        _(
            "vote pause until …, vote resume, vote take back, vote bot …, vote "
            "cancel: call a vote; the other players answer yes or no"
        ),
        _("give a day, nudge: give one more day to a player who is late, or remind them"),
        _("report and a name: report that player to the moderators; say what happened"),
        _("status: list all your games and the time left"),
        _("standings: the standings of the circle for which the table was made"),
        _("leave circle and its name: leave that circle"),
        _("away until …: your deadlines are paused until that day, such as 3 January"),
        _("stop, start: turn all emails of this service off or on; deadlines still apply"),
        _("rules: how a move is written, and where to read the rules"),
    ]


def count_in_a_row(context: ReplyContext) -> int:
    """Return the number of the user's last emails in a row on this seat, within a day, that were
    not understood."""
    earlier = InboundMail.objects.filter(
        game=context.game,
        seat=context.seat,
        user=context.user,
        received_at__gt=timezone.now() - DAY,
        state=InboundMail.State.DONE,
    )
    outcomes = earlier.order_by("-read_at", "-pk").values_list("outcome", flat=True)[:MOST]
    streak = takewhile(lambda outcome: outcome in (*UNCLEAR, *IGNORED), outcomes)
    return sum(outcome in UNCLEAR for outcome in streak)


def position(context: ReplyContext) -> list[str]:
    """The player's hand and the position in words, as on the page."""
    presentation, view = context.log.engine.presentation, context.view
    found: list[str] = []
    if hand := presentation.hand(view):
        items = ", ".join(f"{item.count} × {say(item.label)}" for item in hand)
        found.append(_("Your hand: %(items)s") % {"items": items})
    for section in presentation.position_text(view):
        found.append(with_colon(say(section.title)))
        found += [f"  {say(text, context.names)}" for text in section.lines]
    return found


def games_of(user: User) -> list[str]:
    """Return a line for each game that is not over: whose turn it is, and the time left."""
    return [_line(row) for row in selectors.games_in_progress(user)] or [
        _("You’re not playing in any game now.")
    ]


def _line(row: selectors.GameRow) -> str:
    name = f"{row.game.name} ({row.title})"
    match row.game.status:
        case Game.Status.GATHERING:
            return _("%(game)s: waiting for players") % {"game": name}
        case Game.Status.PAUSED:
            return _("%(game)s: paused") % {"game": name}
    if row.seat not in row.game.to_act:
        names = join_names(list(row.turn))
        return _("%(game)s: waiting for %(names)s") % {"game": name, "names": names}
    if row.due_at is None:
        return _("%(game)s: your turn") % {"game": name}
    now = timezone.now()
    until = {"game": name, "when": exact_time(row.due_at)}
    if row.due_at <= now:
        return _("%(game)s: your turn, time ran out on %(when)s") % until
    until["time"] = time_left(row.due_at, now)
    return _("%(game)s: your turn, %(time)s left, until %(when)s") % until


def legal_move_lines(log: Log, seat: int) -> list[str]:
    """All legal answers of a seat: how to read them, then at most 60 lines with headings.

    A person can read them, and so can a program that knows nothing of the game: "{A, B}" stands
    for one of A and B, and what follows " – " explains the line.
    """
    engine = log.engine
    notation = engine.notation
    view = engine.rules.view(log.state, seat)
    found = engine.presentation.legal(view)
    if not found:
        commands = islice(engine.rules.legal_commands(log.state, seat), MOST_LINES)
        listed = [notation.localised(notation.describe(c, view), say) for c in commands]
        return _cut([f"{INDENT}{line}" for line in listed])
    written = _written(found, engine)
    if _height(written) > MOST_LINES:
        found = tuple(LegalSection(s.title, merged(s.lines)) for s in found)
        written = _written(found, engine)
    return _cut(written)


def _written(found: Iterable[LegalSection], engine: AnyGame) -> list[str]:
    text: list[str] = []
    for section in found:
        text.append(with_colon(say(section.title)))
        text += [f"{INDENT}{printed_lines.written(line, engine, say)}" for line in section.lines]
    if any("{" in line for line in text):
        text.insert(0, choose_one())
    return text


def _height(text: Iterable[str]) -> int:
    return sum(len(textwrap.wrap(line, WIDTH)) for line in text)


def _cut(text: list[str]) -> list[str]:
    """The lines that fit, and how many do not."""
    kept = list(text)
    while _height(kept) >= MOST_LINES:
        kept.pop()
    if left_out := len(text) - len(kept):
        kept.append(
            ngettext(
                "There is %(count)s more line on the game page.",
                "There are %(count)s more lines on the game page.",
                left_out,
            )
            % {"count": left_out}
        )
    return kept
