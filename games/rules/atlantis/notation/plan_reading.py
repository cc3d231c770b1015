"""Plans as people write them: moves for the next turn with what must hold by then.

    plan B olive, at most 3, take at least 4 / else A ring, anywhere

Each line is a move without payment and bridge, and conditions in any order, in English, German or
French. Conditions are whole phrases. They are taken out, and what is left must be a move to the
last word, so that nothing is read which was not meant.
"""

import re

from msgspec.structs import replace

from ...errors import IllegalMove, MalformedMove
from ...line_reader import Token, composed, without_courtesies
from ...text import Translate, _
from .. import model, plans
from ..names import letter
from .reading import Draft, MoveReader
from .vocabulary import VOCABULARY
from .word_reader import Role, WordReader

_FLAGS = re.IGNORECASE
_IS_PLAN = re.compile(
    r"[\W_]*(?:(?:my|the|mein|der|mon|le)\s+)?(?:new\s+|next\s+|neuer\s+|nouveau\s+)?"
    r"(?:plan|planifie|planifier)\b[\s:]*(?:(?:ist?|est)\b)?[\s:]*",
    _FLAGS,
)
_NO_PLAN = re.compile(
    r"[\W_]*(?:(?:no|kein|keinen|pas de|aucun|sans|ohne|without)\s+plan|plan[\s:]+(?:none|keiner|aucun)"
    r"|(?:delete|withdraw|drop|cancel|forget)\s+(?:my|the)\s+plan"
    r"|(?:plan\s+(?:löschen|loeschen|zurücknehmen|zuruecknehmen)|lösche\s+(?:den|meinen)\s+plan)"
    r"|(?:supprime|supprimer|annule|annuler|retire|retirer)\s+(?:le|mon)\s+plan)[\W_]*",
    _FLAGS,
)
_PLEASE = re.compile(
    r"(?<![\s,;])[\s,;]*\b(?:please|pls|plz|bitte|s['’]il (?:vous|te) pla[iî]t|svp|stp)\b[\s.!]*$",
    _FLAGS,
)
_ELSE = re.compile(  # in a text without two spaces in a row
    r" ?(?:[/;] ?(?:(?:or )?else|otherwise|sonst|ansonsten|sinon)?"
    r"|\W ?(?:(?:or )?else|otherwise|sonst|ansonsten|sinon))(?!\w)[ :,]*",
    _FLAGS,
)
_ARTICLE = r"(?:(?:the|an?|den|die|das|einen|eine|le|la|un|une)\s+|l['’])?"
_ITEM = rf"{_ARTICLE}(?P<item>[^\W\d_]{{3,}})"
_OCCUPIED = (
    r"(?:if\s+(?:(?:it\s+is|it['’]s|that\s+is|the\s+space\s+is)\s+)?occupied"
    r"|(?:falls|wenn)\s+(?:(?:es|das|das\s+feld)\s+)?(?:besetzt(?:\s+ist)?|belegt(?:\s+ist)?)"
    r"|si\s+(?:(?:c['’]est|elle\s+est|la\s+case\s+est)\s+)?occup[ée]e?)"
)
_NEXT = r"(?=\s*(?:[,.;:)]|$|and\b|und\b|et\b))"
_JOIN = r"(?:[,(]\s*(?:(?:and|und|et|then|dann|puis|with|mit|avec)\s+)*)"
_PHRASES = {
    "spare": re.compile(
        rf"(?:{_JOIN}|\b(?:and|und|et|then|dann|puis)\s+){_ITEM}\s+{_OCCUPIED}\b{_NEXT}"
        rf"|{_JOIN}?\b{_OCCUPIED}[,:]?\s+(?:(?:then|dann|alors|play|with|mit|avec)\s+)*"
        rf"{_ARTICLE}(?P<behind>[^\W\d_]{{3,}}){_NEXT}",
        _FLAGS,
    ),
    "least": re.compile(
        r"\b(?:(?:and\s+|und\s+|et\s+)?(?:take|takes|taking|nimm|nehme|nehmen|prends|prendre|prenant|tile|plättchen|"
        r"plaettchen|tuile)[,:]?\s+(?:worth\s+)?(?:at\s+least|min\.?|minimum|mindestens|wenigstens|au\s+moins"
        r"|au\s+minimum)|min\.?|minimum|mindestens|au\s+moins|at\s+least)\s*(?P<number>\d)\b",
        _FLAGS,
    ),
    "most": re.compile(
        r"\b(?:(?:and\s+|und\s+|et\s+)?(?:pay|paying|zahle|zahl|bezahle|für|fuer|paie|paye|payer|for|pour)\s+)?"
        r"(?:at\s+most|no\s+more\s+than|up\s+to|max\.?|maximum|maximal|höchstens|hoechstens|hochstens|au\s+plus"
        r"|au\s+maximum)\s*(?P<number>\d{1,3})\b(?:\s*(?:points?|punkte?|punkten)\b)?",
        _FLAGS,
    ),
    "anywhere": re.compile(
        r"\b(?:anywhere|wherever|egal\s+wo(?:hin)?|irgendwo(?:hin)?|n['’]importe\s+o[uù]|peu\s+importe\s+o[uù])\b",
        _FLAGS,
    ),
    "lands": re.compile(
        r"\b(?:to|on|auf|nach|sur|à)\s+(?:la\s+)?(?:space|feld|case)\s*(?P<number>\d{1,2})\b"
        r"|\b(?:to|on|auf|nach|sur|à)\s+(?:(?:the|das|dem|le|la)\s+)?(?P<mainland>mainland|festland|continent|terre\s+ferme)\b"
        r"|\b(?:aufs|ans)\s+(?P<shore>festland)\b",
        _FLAGS,
    ),
    "ends": re.compile(
        r"\b(?:and\s+|und\s+|et\s+)?(?:may\s+|darf\s+)?(?:(?:end|ends|ending|finish)\s+the\s+game"
        r"|beende[nt]?\s+(?:das\s+spiel|die\s+partie)|(?:das\s+spiel|die\s+partie)\s+beenden|"
        r"(?:termine[rz]?|finis|finir)\s+(?:la\s+)?partie)\b",
        _FLAGS,
    ),
    "even_so": re.compile(
        r"\b(?:even\s+so|regardless|trotzdem|auch\s+dann|quand\s+m[êe]me|malgr[ée]\s+tout)\b",
        _FLAGS,
    ),
}
_NOT_PLANNED = frozenset(("pay", "cheapest", "bridge", "buy", "pass"))


def is_plan(text: str) -> bool:
    """Return whether a line says that it is a plan, or that there is to be none."""
    text = _plain(text)
    return _NO_PLAN.fullmatch(text) is not None or _IS_PLAN.match(text) is not None


def _plain(text: str) -> str:
    """The text without thanks and the like, in one line."""
    return _PLEASE.sub("", " ".join(without_courtesies(text).split()))


def parse(text: str, view: model.View) -> model.Plan:
    """The plan that a line describes on this board. Raises MoveError with what is wrong."""
    text = _plain(text)
    if len(text) > VOCABULARY.longest:
        raise MalformedMove(_("This line is too long to be a move."))
    if _NO_PLAN.fullmatch(text):
        return model.Plan()
    plans.check_time(view)
    found = _IS_PLAN.match(text)
    assert found is not None, "is_plan was asked"
    parts = [part.strip(" ,.") for part in _ELSE.split(text[found.end() :])]
    parts = [part for part in parts if part]
    if not parts:
        raise MalformedMove(
            _(
                "Add what to play on your next turn, for example: %(example)s",
                example=_("plan B olive, at most 3, take at least 4 / else A ring"),
            )
        )
    plan = model.Plan(tuple(_line(part, plans.next_turn(view)) for part in parts))
    plans.check(view, plan)
    return plan


def first_move(text: str, view: model.View) -> model.Move | None:
    """The move of the first line of a plan, on the viewer's turn: to be asked back, since a turn
    that has begun is not planned. None where no line can be played, and for no plan."""
    text = _plain(text)
    found = _IS_PLAN.match(text)
    if found is None or _NO_PLAN.fullmatch(text) or len(text) > VOCABULARY.longest:
        return None
    for part in _ELSE.split(text[found.end() :]):
        try:
            line = _line(part.strip(" ,."), view)
        except (IllegalMove, MalformedMove):
            continue
        if plans.misfit(view, line, _ANY) is None:
            return plans.trial(view, line)[0]
    return None


_ANY = len(model.FIGURES) * 4  # figures that may have reached the mainland


def _line(text: str, view: model.View) -> model.PlanLine:
    """One line of a plan. view: as on the turn that it is for."""
    rest, said = composed(text), dict[str, re.Match[str]]()
    for name, phrase in _PHRASES.items():
        hits = list(phrase.finditer(rest))
        if len(hits) > 1:
            raise MalformedMove(
                _("In “%(line)s”: %(reason)s", line=text, reason=_("Say each condition once."))
            )
        if hits:
            said[name] = hits[0]
            rest = f"{rest[: hits[0].start()]}, {rest[hits[0].end() :]}"
    words = re.finditer(r"\w+|[^\w\s,()]", rest)
    ends = [word.end() for word in words if word[0] not in {"and", "und", "et"}]
    rest = rest[: ends[-1]] if ends else ""
    reader = _LineReader(rest, view, said.get("spare"))
    move = reader.planned()
    line = plans.exactly(view, move, reader.spare)
    return replace(
        line,
        most=_number(said, "most", line.most),
        least=_number(said, "least", line.least),
        lands=_lands(said, line.lands),
        ends="ends" in said,
        even_so="even_so" in said,
    )


def _number(said: dict[str, re.Match[str]], name: str, default: int) -> int:
    return int(said[name]["number"]) if name in said else default


def _lands(said: dict[str, re.Match[str]], default: int | None) -> int | None:
    if "lands" not in said:
        return None if "anywhere" in said else default
    if "anywhere" in said:
        raise MalformedMove(_("Say where the move must lead to, or “anywhere”, not both."))
    number = said["lands"]["number"]
    return int(number) if number else model.MAINLAND


class _LineReader(MoveReader):
    """The move of one line of a plan; how it is paid is not said."""

    def __init__(self, text: str, view: model.View, spare: re.Match[str] | None) -> None:
        super().__init__(text, view)
        self.spare: model.Item | None = None
        if spare is not None:
            self.spare = WordReader.item(self, _plain_item(spare["item"] or spare["behind"]))
        self.shown: dict[model.Move, model.Move] = {}

    def no_order(self) -> MalformedMove:
        return self.malformed(
            _(
                "It is not clear what to plan. A line of a plan has a figure, its cards and, if "
                "you like, conditions from our list, and nothing else."
            )
        )

    def roles(self, at: int, token: Token) -> tuple[Role, ...]:
        # "olive A": behind its cards, a capital can only be the figure.
        is_last = at == len(self.tokens) - 1 > 0
        return (Role.FIGURE,) if is_last and token.raw in ("A", "C") else super().roles(at, token)

    def planned(self) -> model.Move:
        """The move without its payment and the spare card."""
        if not _NOT_PLANNED.isdisjoint(VOCABULARY.keywords(self.words)):
            raise self.malformed(
                _(
                    "A plan is a figure and its cards. The move is paid for in the cheapest way, "
                    "and a plan does not sell, pass or build a bridge."
                )
            )
        return self.shown[self.agreed()]

    def completed(self, draft: Draft, figure: int) -> model.Move:
        cards = tuple(draft.cards)
        line = model.PlanLine(figure, cards, 0, 0, spare=self.spare)
        try:
            move, _event = plans.trial(self.view, line)
        except IllegalMove as error:
            raise self.illegal(error.text) from None
        self.shown[move] = model.Move(figure, cards)
        return move


def _plain_item(word: str) -> str:
    return next(iter(VOCABULARY.words(word)), word)


# -- writing -----------------------------------------------------------------------------------

# The phrases that `describe` writes, and that are read in each language.
_WRITTEN = (
    _("no plan"),
    _("at most"),
    _("take at least"),
    _("to the mainland"),
    _("to space"),
    _("anywhere"),
    _("if occupied"),
    _("and end the game"),
    _("even so"),
    _("else"),
)


def describe(plan: model.Plan) -> str:
    """The plan in notation, all conditions written out."""
    if not plan.lines:
        return "no plan"
    return "plan " + " / else ".join(map(_described, plan.lines))


def _described(line: model.PlanLine) -> str:
    parts = [" ".join([letter(line.figure), *line.cards])]
    match line.lands:
        case None:
            parts.append("anywhere")
        case model.MAINLAND:
            parts.append("to the mainland")
        case space:
            parts.append(f"to space {space}")
    parts += [f"at most {line.most}", f"take at least {line.least}"]
    if line.spare is not None:
        parts.append(f"{line.spare} if occupied")
    if line.ends:
        parts.append("and end the game")
    if line.even_so:
        parts.append("even so")
    return ", ".join(parts)


def localised(line: str, translate: Translate) -> str:
    """A plan that `describe` wrote, with the phrases of the reader's language."""
    known = {phrase.message: translate(phrase) for phrase in _WRITTEN}
    longest_first = sorted(known, key=len, reverse=True)
    pattern = rf"\b(?:{'|'.join(longest_first)})\b"
    return re.sub(pattern, lambda found: known[found[0]], line)
