"""Emails to the address of a decision: the appeal of its person, and never a move."""

import re
from typing import Any

from django.utils.translation import gettext as _

from games import services
from games.mail import queue
from games.mail.compose import MailComposer
from games.models import Decision, InboundMail, OutboxMail, User
from games.rules import GAMES
from games.services import QuotaExceeded, ServiceError, quotas

from . import auto_replies, commands, doubts, game_words, letter, reply_parser
from .reply_parser import Reply

Outcome = InboundMail.Outcome

# A sentence that accepts a decision, apologises or thanks for it.
_ACCEPTS = re.compile(
    r"\b(?:accept\w*|understood|understand|agree\w*|fair|justified|deserved|you(?: are| re) right|my fault|my mistake|apolog\w+|sorry|regret|wo(?: not|n t) happen|will not happen|never again"
    r"|better next time|thank\w*|thanks|noted|got it|will (?:change|behave|stop|wait|pay attention|be (?:careful|nicer))"
    r"|akzeptier\w*|verstanden|verstehe|einsehe|sehe (?:ich |es |das )?ein|in ordnung|gerecht\w*|habt recht|haben recht|hast recht|mein fehler|entschuldig\w*|tut mir leid|bedaure|kommt nicht wieder|nicht wieder vor|danke|zur kenntnis|bessere mich|nehme (?:ich |das |es )?(?:hin|an)"
    r"|compris|comprends|accepte|d accord|juste|merite\w*|raison|ma faute|m excuse|excuses|desolee?|regrette|ne se reproduira|plus jamais|merci|note|ferai attention|faire attention)\b"
)
_NEGATED = re.compile(
    r"\b(?:not|never|unfair|unjustified|no|but|however|nicht|kein\w*|ungerecht\w*|unfair|aber|trotzdem|pas|injuste|mais|pourtant|aucun\w*)\b(?! (?:happen|again|wieder))"
)
# What accepts by its "no": a promise, or that there is nothing to object to.
_PROMISES = re.compile(
    r"\b(?:(?:wo|will|shall) (?:not|never)(?: \w+){0,6} (?:again|any ?more)"
    r"|no (?:problems?|objections?|complaints?|worries|issues?|hard feelings)"
    r"|ich (?:mache|mach|tue|tu|sage|schreibe|werde)(?: \w+){0,5} (?:nicht|nie|niemals)(?: \w+){0,2} (?:wieder|mehr)"
    r"|(?:wird|kommt|passiert)(?: \w+){0,3} (?:nicht|nie|niemals)(?: \w+)? (?:wieder|mehr)"
    r"|keine?n? (?:probleme?|einwande?|beschwerden?)"
    r"|ne? (?:le |la |les |l |y )?(?:recommence|refe|fe|di|redi|ecri|reecri|arrive|reprodui|produi)ra(?:i|s)? (?:pas|plus|jamais)"
    r"|(?:pas|aucune?) (?:de |d )?(?:soucis?|problemes?|objections?|plaintes?))\b"
)


def handle(row: InboundMail, user: User, decision_id: int, reply: Reply) -> Outcome:
    """Keep the appeal of a verified sender, and answer to the user's own address.

    Its text is stored as the appeal alone, not with the email.
    """
    text = _own_text(decision_id, reply.text)
    if row.sender_check == InboundMail.SenderCheck.STRANGER:
        return Outcome.STRANGER
    if reply.is_reaction or auto_replies.is_reaction(text):
        return Outcome.REACTION
    is_trusted = row.sender_check == InboundMail.SenderCheck.PASS
    try:
        quotas.spend(quotas.GAME_LISTS if is_trusted else quotas.UNVERIFIED_REPLIES, person=user)
    except QuotaExceeded:
        return Outcome.QUIET
    if not is_trusted:
        problem = _("We couldn’t verify that the email came from you.")
        return _answer(row, user, decision_id, Outcome.CONFIRM, problem=problem)
    if reply.problem is not None or not text:
        problem = _("We found no text of your own in the email.")
        return _answer(row, user, decision_id, Outcome.UNCLEAR, problem=problem)
    if reply.is_long or not has_reasons(text):
        problem = _("We can’t tell whether this is meant as an appeal: we found no reasons in it.")
        return _answer(row, user, decision_id, Outcome.UNCLEAR, problem=problem)
    try:
        services.appeal_make(decision_id=decision_id, text=text, message_id=row.message_id)
    except ServiceError as error:
        refused = f"{error.text} {_('Nobody will read the email that you sent.')}"
        return _answer(row, user, decision_id, Outcome.REFUSED, refused=refused)
    return _answer(row, user, decision_id, Outcome.ORDERED)


def has_reasons(text: str) -> bool:
    """Return whether a text says what is wrong with a decision: it does more than thank, accept,
    ask or give an order."""
    said = letter.read(reply_parser.written(text), letter.NoTable())
    if any(part.doubt in ("struck", "postpones") for part in said.parts):
        return False
    texts = (part.text for part in said.own if part.kind in ("text", "doubt", "word"))
    sentences = re.findall(r"[^.!?…\n]+[.!?…]*", "\n".join(texts))
    return any(_is_reason(sentence) for sentence in sentences)


def _is_reason(sentence: str) -> bool:
    words = " ".join(doubts.clauses(sentence))
    if sentence.rstrip().endswith("?") or commands.is_courtesy(sentence, frozenset()):
        return False
    if any(game_words.are_all(kind, sentence.strip(" .!")) for kind in GAMES):
        return False
    count = words.count(" ")
    words = _PROMISES.sub("accepted", words)
    accepts = _ACCEPTS.search(words)
    return count >= 2 and (accepts is None or _NEGATED.search(words) is not None)


def _own_text(decision_id: int, lines: list[str]) -> str:
    """The lines without those at the end that quote our email: some mail programs break its lines
    and mark only the first part of each."""
    found = OutboxMail.objects.filter(dedupe_key=f"decision:{decision_id}")
    statement = found.select_related("game", "user").first()
    ours = str(MailComposer().compose(statement).body) if statement is not None else ""
    squeezed = "".join(ours.split())
    while lines and "".join(lines[-1].split()) in squeezed:
        lines = lines[:-1]
    return "\n".join(lines).strip()


def _answer(
    row: InboundMail, user: User, decision_id: int, outcome: Outcome, **content: Any
) -> Outcome:
    decision = Decision.objects.select_related("game").get(pk=decision_id)
    known = {"message_id": row.message_id, **content}
    row.answer_id = queue.appeal_read(decision, user, about=str(row.pk), context=known)
    return outcome
