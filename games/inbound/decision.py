"""What becomes of a letter: a pure function of the letter, the question that the answered email
asked, and what the writer may do now.

There is a table for each kind of question: the first row whose condition holds decides.
"""

import itertools
import re
from collections.abc import Iterable
from typing import Literal

import msgspec

from games.rules import table_events

from . import blocks, command_words, commands, doubts
from .commands import Answer, AnyAct, AskVote, Away, Move, Note, Report, Resign, Say, Shown
from .letter import Letter, Part, joined

Asks = Literal["", "vote", "move", "say", "resign", "talk"]
Why = Literal[
    "",  # the acts are done
    "nothing",  # there is no line of the writer
    "vote",  # a vote needs a yes or a no
    "resign",  # resigning is confirmed by its own word
    "declined",  # no to what was asked
    "asked",  # a question is no order
    "doubt",  # another line casts doubt on the act, or is another one
    "several",  # acts that do not go together
    "long",  # there is more text than can be read
    "offer",  # a move stands below other text
    "below",  # and so does something else
    "say",  # are these words for the table?
    "away",  # you no longer sit here
    "unclear",  # no act: what a line comes close to may be offered
]


class Question(msgspec.Struct, frozen=True):
    """What the answered email asked. acts: what "yes" does. about: the subject of a vote. An email
    that carries only messages asks for "talk": its answer is one."""

    asks: Asks = ""
    acts: tuple[AnyAct, ...] = ()
    about: table_events.Proposal | None = None
    seq: int = 0  # of the vote


class Allowed(msgspec.Struct, frozen=True):
    """What the writer may do now. readers: how many others read a message at the table."""

    sits: bool = True
    readers: int = 1
    others: frozenset[str] = frozenset()  # the words of the names of the others


class Decision(msgspec.Struct, frozen=True):
    """acts: what is done, in order. why: the reason if nothing is. line: the line that casts doubt.
    unread: lines that were neither done, nor sent, nor courtesy; where nothing is done, the answer
    quotes the whole letter."""

    acts: tuple[AnyAct, ...] = ()
    why: Why = ""
    line: str = ""
    unread: tuple[str, ...] = ()


# What is about no seat: former holders may do it, too.
WITHOUT_SEAT = (
    commands.StopAll
    | Away
    | Report
    | commands.Status
    | commands.Help
    | commands.ShowStandings
    | commands.LeaveCircle
)
ALONE = Resign | commands.Undo | commands.TakeBack | commands.Preview  # goes with nothing else
QUESTION = Question()

_OTHER_READER = re.compile(
    r"\b(?:moderator\w*|moderation|mods?|admins?|administrat\w+|moderateur\w*|moderatrice\w*|support|webmaster|betreiber"
    r"|atlantis by mail|dear (?:team|sir|madam)|liebes team|chere equipe|bonjour l equipe|(?:service|help)desk|customer service|kundendienst|service client)\b"
    r"|\b(?:e ?mails?|mails|nachrichten|messages|notifications?|benachrichtigung\w*|courriels?|seite|webseite|page|site|website|link|app|konto|account|compte)\b"
    r".*\b(?:twice|double|doppelt|mehrfach|missing|fehlen|broken|kaputt|bug|error|fehler|erreur|spam|not (?:work|arrive|come|open|load)\w*|funktionier\w*|geht nicht|gehen nicht|kommen nicht|kommt nicht|kommen (?:\w+ ){0,3}an|arrivent|en double|ne (?:marche|fonctionne|arrive)\w*|repar\w*|fix)\b"
)
_IN_PRIVATE = re.compile(
    r"\b(?:only (?:for|to)|for \w+ only|just for \w+|just (?:you|between)|between (?:us|you and me)|privately|in private|confidentially|do not tell|keep (?:this|it) (?:between|to yourself|secret)"
    r"|nur (?:fur|an)|unter uns|im vertrauen|vertraulich|privat|sag\w* (?:\w+ )?(?:nichts|nicht weiter)|nicht weitersagen"
    r"|(?:juste|seulement|uniquement|rien que|que) pour|entre nous|en prive|confidentiel\w*|ne (?:le |les )?(?:dis|dites|repete\w*) (?:pas|rien))\b"
)
_MACHINE = re.compile(
    r"\b(?:out of (?:the )?office|auto(?:matic|mated)? ?(?:reply|response|message)|automatisch\w* (?:antwort|nachricht|mail|erstellt|generiert)|automatiquement|reponse automatique|do not reply|no ?reply|nicht auf diese (?:mail|e mail|nachricht)"
    r"|abwesenheits\w*|nicht im (?:buro|haus)|nicht (?:im|am) (?:dienst|arbeitsplatz)|absence du bureau|absente? du bureau|limited access to|no access to (?:my )?e ?mail|eingeschrankt\w* zugriff|keinen zugriff|acces limite|je (?:serai|suis) (?:actuellement |de retour )?(?:absente?|en conges?)"
    r"|i (?:am|will be) (?:currently |now )?(?:out of|away from|on (?:annual |parental |sick )?(?:leave|vacation|holiday))|i will (?:reply|respond|answer|get back)|return to the office|back in the office|wieder (?:im buro|erreichbar)|ich bin (?:derzeit|zur zeit|momentan|aktuell) (?:\w+ ){0,3}(?:abwesend|urlaub|erreichbar|buro)|in dringenden fallen|en cas d urgence|urgent (?:matters|cases|requests)"
    r"|(?:has|have) (?:been )?(?:received|registered|opened|read|delivered)|we(?: have)? received your|thank you for (?:contacting|your (?:e ?mail|message|request|inquiry))|your (?:message|e ?mail|request) (?:\w+ ){0,3}(?:was|has been)|^(?:read|gelesen|lu|zugestellt|delivered)$|ihre (?:anfrage|nachricht|e ?mail)|(?:eingangs|lese|empfangs)bestatigung|vielen dank fur ihre|wurde (?:\w+ )?(?:gelesen|zugestellt|geoffnet|empfangen|erfasst)|accuse de (?:reception|lecture)|votre (?:message|demande|courriel|e ?mail) (?:a|est)|nous avons bien recu|merci de (?:nous )?(?:avoir )?contacte"
    r"|ticket (?:id|number|no|nr|nummer|\d)|ticket(?:nummer|number)?|case (?:id|number|no|\d)|vorgangsnummer|numero de (?:dossier|ticket)|fallnummer"
    r"|fyi|for your information|zur (?:info|kenntnis|information)|pour (?:info|information)|(?:begin )?forwarded(?: message)?|weitergeleitet\w*|transfere\w*|fwd?|wg|tr)\b"
)


class _Facts:
    """What the rows of the table look at."""

    def __init__(self, letter: Letter, question: Question, allowed: Allowed) -> None:
        acts = letter.acts
        answers = {act.agrees for act in acts if isinstance(act, Answer)}
        self.letter, self.asks, self.allowed = letter, question.asks, allowed
        self.long, self.doubt = letter.is_long, bool(letter.doubts)
        self.yes, self.no = answers == {True}, answers == {False}
        self.denied = False in answers
        self.talk = tuple(act for act in acts if isinstance(act, Say | Note))
        self.shows = tuple(act for act in acts if isinstance(act, Shown))
        self.changes = tuple(
            act for act in acts if not isinstance(act, Say | Note | Answer | Shown)
        )
        self.beside = tuple(act for act in self.changes if not isinstance(act, Move | Resign))
        self.conflict = _conflict(acts)
        self.words = any(part.kind == "word" for part in letter.parts)


def decide(letter: Letter, question: Question, allowed: Allowed) -> Decision:
    """Decide what is done, asked or answered."""
    if not question.asks:
        letter = _with_moves(letter)
    facts = _Facts(letter, question, allowed)
    if not letter.own:
        return Decision(why="nothing")
    if not allowed.sits:
        return _without_seat(letter)
    rows = {"vote": _vote, "talk": _talk, "": _anything}.get(question.asks, _question)
    return next(found for holds, found in rows(facts, question) if holds)


Rows = tuple[tuple[object, Decision], ...]  # a condition, and what becomes of the letter


def _vote(it: _Facts, question: Question) -> Rows:
    """Decide about a reply to the email of a vote."""
    letter = it.letter
    opinion = _opinion(letter, question)
    silent = opinion is None and not (it.yes or it.no)
    orders = silent and it.beside and not it.doubt and not _is_below_text(letter, it.beside)
    asks = silent and it.shows and not it.talk and not _is_below_text(letter, it.shows)
    vote = commands.AnswerVote(opinion is True)
    return (
        (asks, Decision(it.shows[:1])),
        (orders, _done(letter, (*it.beside, *it.talk))),
        (it.conflict or (it.changes and not (it.yes or it.no)), Decision(why="vote")),
        (opinion is None, Decision(why="vote")),
        (it.long, Decision(why="long")),
        (True, _done(letter, (vote, *it.talk), answered=True)),
    )


def _question(it: _Facts, question: Question) -> Rows:
    """Decide about a reply to an answer that asked whether to resign, or for a yes."""
    letter, resigns = it.letter, it.asks == "resign"
    sure = not it.doubt and not it.long
    again = it.changes == (Resign(),) and sure and not it.denied
    agreed = (*question.acts, *it.talk)
    return (
        (resigns and again, Decision((Resign(),))),
        (it.no and not it.changes, _declined(letter, it.talk)),
        (resigns and not it.changes and not it.shows, Decision(why="resign")),
        (not resigns and not it.changes and it.yes and sure, _done(letter, agreed, answered=True)),
        *_anything(it, question),
    )


def _talk(it: _Facts, question: Question) -> Rows:
    """Decide about a reply to an email that carries only messages."""
    letter = it.letter
    ordered = _is_order(it.changes) and not it.doubt
    other = it.changes or it.shows or _is_not_for_table(letter, it.allowed)
    return (
        (ordered, _done(letter, (*it.changes, *it.talk))),
        (it.long, Decision(why="long")),
        (it.talk and not it.changes and not it.shows, _done(letter, it.talk)),
        (other, Decision(why="say")),
        (True, Decision((Say(letter.whole),))),
    )


def _anything(it: _Facts, question: Question) -> Rows:
    """Decide about a reply to any other email, or with anything else."""
    letter, doubtful = it.letter, _doubtful(it.letter)
    certain = not it.doubt and not it.denied
    no_change = not it.changes
    below = _is_below_text(letter, it.beside or (it.shows if no_change else ()))
    return (
        (no_change and not it.shows and not it.talk and it.words and certain, Decision(why="say")),
        (below, Decision(why="below")),
        (no_change and it.shows, _done(letter, it.shows[:1])),
        (no_change and it.talk and it.long, Decision(why="long")),
        (no_change and it.talk, _done(letter, it.talk) if certain else doubtful),
        (no_change, Decision(why="unclear")),
        (it.long, Decision(why="long")),
        (not certain, doubtful),
        (it.conflict, Decision(why="several")),
        (Resign() in it.changes, Decision(why="resign")),
        (_is_below_text(letter, it.changes), Decision(why="offer")),
        (True, _done(letter, (*_once(it.changes), *it.talk))),
    )


def _done(letter: Letter, acts: tuple[AnyAct, ...], *, answered: bool = False) -> Decision:
    return Decision(acts, unread=_unread(letter, acts, answered=answered))


def _declined(letter: Letter, talk: tuple[AnyAct, ...]) -> Decision:
    """Do nothing of what was asked, but send words for the table."""
    return Decision(talk, "" if talk else "declined", unread=_unread(letter, talk, answered=True))


def _unread(letter: Letter, acts: Iterable[AnyAct], *, answered: bool = False) -> tuple[str, ...]:
    """The lines that are neither one of these acts, nor an answer, nor courtesy."""
    done = tuple(acts)
    if any(isinstance(act, commands.AnswerVote) for act in done):  # reasons belong to the answer
        return _lines(
            part
            for part in letter.parts
            if part.kind in ("later", "left_out", "act", "word")
            and not _is_done(part, done, answered=True)
        )
    return _lines(part for part in letter.parts if not _is_done(part, done, answered=answered))


def _is_done(part: Part, acts: tuple[AnyAct, ...], *, answered: bool) -> bool:
    if part.kind in ("courtesy", "closing") or blocks.is_ruled(part.text):
        return True
    is_answer = isinstance(part.act, Answer)
    same = isinstance(part.act, Move) and any(isinstance(act, Move) for act in acts)
    return part.kind == "act" and (part.act in acts or same or is_answer)


def _lines(parts: Iterable[Part]) -> tuple[str, ...]:
    return tuple(Letter(tuple(parts)).lines)


def _with_moves(letter: Letter) -> Letter:
    """The letter where "yes" and "no" answer no question: they may be moves."""
    parts = (
        msgspec.structs.replace(part, act=Move(part.act.move))
        if isinstance(part.act, Answer) and part.act.move
        else part
        for part in letter.parts
    )
    return msgspec.structs.replace(letter, parts=tuple(parts))


def _opinion(letter: Letter, question: Question) -> bool | None:
    """The answer to a vote in all lines that are neither words for the table nor commands."""
    said = [
        part
        for part in letter.parts
        if part.kind in ("text", "doubt", "word", "later", "courtesy", "left_out")
        or isinstance(part.act, Answer)
    ]
    if any(part.doubt in ("struck", "move") for part in letter.parts):
        return None
    return doubts.opinion(joined(said), question.about)


def _without_seat(letter: Letter) -> Decision:
    done = tuple(act for act in letter.acts if isinstance(act, WITHOUT_SEAT | commands.TakeBack))
    if done and not letter.doubts:
        return _done(letter, done)
    return Decision(why="away")


def _is_order(changes: tuple[AnyAct, ...]) -> bool:
    """Return whether these are orders that nobody writes to others: absence, vote, report, help."""
    return bool(changes) and all(
        isinstance(act, Away | Report | commands.GiveDay | commands.Nudge)
        or (isinstance(act, AskVote) and act.about is not None)
        for act in changes
    )


def _is_not_for_table(letter: Letter, allowed: Allowed) -> bool:
    """Return whether a text has other readers, or was not written by hand, or is a move."""
    clauses = doubts.clauses(letter.whole)
    if any(_OTHER_READER.search(c) or _IN_PRIVATE.search(c) or _MACHINE.search(c) for c in clauses):
        return True
    if commands.is_about_absence(letter.line) or any(
        part.kind == "word" for part in letter.own[:1]
    ):
        return True
    if any(part.doubt == "move" for part in letter.parts):
        return True
    around = command_words.AROUND_COURTESY | allowed.others
    opening = itertools.takewhile(around.__contains__, commands.words_of(letter.opening))
    named = {word for word in opening if word in allowed.others}
    return allowed.readers > 1 and len(named) == 1


def _doubtful(letter: Letter) -> Decision:
    """Do nothing, because of the line that casts doubt."""
    found = [*letter.doubts, *(part for part in letter.parts if isinstance(part.act, Answer))]
    line = found[0].text.partition("\n")[0] if found else letter.line
    is_asked = bool(found) and found[0].kind == "act" and found[0].doubt == "asks"
    return Decision(why="asked" if is_asked else "doubt", line=line)


def _once(acts: tuple[AnyAct, ...]) -> tuple[AnyAct, ...]:
    """Return these acts, the move first and only once: it was checked that it is the same."""
    moves = [act for act in acts if isinstance(act, Move)]
    return (*moves[:1], *dict.fromkeys(act for act in acts if not isinstance(act, Move)))


def _conflict(acts: tuple[AnyAct, ...]) -> bool:
    """Return whether these acts do not go together."""
    others = [act for act in acts if not isinstance(act, Say | Note | Answer)]
    alone = any(isinstance(act, ALONE) for act in others)
    if alone and any(isinstance(act, Answer) for act in acts):
        return True
    takes_back = any(isinstance(act, AskVote) and act.about == "take_back" for act in others)
    kinds = [type(act) for act in others if not isinstance(act, Move | Shown)]
    return (
        (alone and len(set(others)) > 1)
        or (takes_back and any(isinstance(act, Move) for act in others))
        or len(kinds) > len(set(kinds))
    )


def _is_below_text(letter: Letter, acts: tuple[AnyAct, ...]) -> bool:
    """Return whether one of these stands below text: it may be a line that somebody quoted."""
    above = itertools.takewhile(
        lambda part: part.kind != "act" or part.act not in acts, letter.parts
    )
    kinds = [part.kind for part in above if not blocks.is_ruled(part.text)]
    return bool(acts) and ("text" in kinds or "left_out" in kinds)
