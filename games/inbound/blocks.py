"""Splits the writer's own text into blocks: text, closing, and what is left out.

A closing is a closing formula or the writer's name, and the name, post, phone number, address and
confidentiality notice below it, with or without "-- " above. Left out are ruled lines, and lines
that look like the head of an email, with what stands below them. Pure: no database, no settings.

What comes out is bounded: the text is about as long as a message to the table may be.
"""

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from . import quote_stripping

LONGEST = 1000  # characters of a line, and of a message to the table
MOST_TEXT = LONGEST + 100  # characters of all text: a message, and the word before it
MOST_LINES = 40  # of text, empty ones included
MOST_BESIDE, SHORT = 10, 200  # lines of a closing, or left out; characters of each

Kind = Literal["text", "closing", "left_out"]


class Block(msgspec.Struct, frozen=True, array_like=True):
    """Lines of one kind, the empty ones between them included."""

    kind: Kind
    lines: tuple[str, ...]


_GREETINGS = (
    r"gr(?:ü|ue|u)(?:ß|ss)e?n?(?: (?:aus|von|vom|an) [\w ]{2,30})?"  # German
    r"|regards|wishes|greetings(?: from [\w ]{2,30})?"
)
_FORMULA = re.compile(
    rf"(?:(?:with |mit |kind|best|warm(?:est)?|many|friendly|all the|freundliche[nr]?|viele[nr]?|liebe[nr]?"
    r"|beste[nr]?|sch(?:ö|oe)ne[nr]?|herzliche[nr]?|sonnige[nr]?|ganz|und|and|my|meine) ?){0,4}"
    rf"(?:{_GREETINGS})"
    r"|all the best|best|cheers|take care|love|xo+|(?:yours|very)(?: (?:truly|sincerely|faithfully|ever))?"
    r"|sincerely(?: yours)?|lg|vg|mfg|bg|gru(?:ß|ss)|(?:dein|deine|euer|eure|ihr|ihre)"
    r"|bis (?:bald|dann)|tsch(?:ü|ue)ss|see you(?: soon)?|[àa] bient[oô]t|[àa] plus|bonne (?:journ[ée]e|soir[ée]e)"
    r"|(?:bien |tr[eè]s )?(?:cordialement|amicalement|sinc[eè]rement)|(?:mes )?amiti[eé]s|(?:grosses )?bises"
    r"|bisous|(?:bien|cordialement) [aà] (?:vous|toi|tous)"
    r"|(?:(?:mes|avec mes|meilleures|sinc[eè]res) ?){0,3}salutations(?: \w{4,12})?",
    re.IGNORECASE,
)
_AFTER_FORMULA = re.compile(r"[\s,.!–-]+")
_NAME = re.compile(
    r"(?:[^\W\d_a-zà-ÿ][\w.'’-]*)(?: (?:[^\W\d_a-zà-ÿ][\w.'’-]*|von|van|de|du|la|der|zu)){0,3}"
)
_POSTSCRIPT = re.compile(r"(?:p\.? ?s\.?|n\.?b\.?|ps2)(?:\s*[:,.–-]|\s)", re.IGNORECASE)
_CONTACT = re.compile(
    r"(?:\b(?:tel|telefon|phone|mobile?|mobil|cell|fax|handy|portable|t[eé]l[eé]phone|t[eé]l|office|direct)\b"
    r"|\b[tmpf])[.:\s]{1,4}[+(]?\d[\d\s()/.-]{4,}"
    r"|\+\d[\d\s()/.-]{7,}|\bwww\.\w|\bhttps?://\w|[\w.-]{1,60}@[\w-]{1,60}\.\w"
    r"|\b(?i:gmbh|llc|s\.?a\.?r\.?l|e\. ?v\.|b\.v\.)(?!\w)|\b(?:AG|KG|OHG|UG|Ltd|Inc|PLC|SAS|S\.A\.)(?!\w)"
    r"|(?i:stra(?:ß|ss)e|str\.|\bstreet|\bavenue|\broad|\brue|platz|weg) ?\d|^\d+,? (?i:rue|avenue|bd|boulevard)\b"
    r"|^[A-Z]{0,2}-?\d{4,5} [A-ZÀ-Ý]",
    re.MULTILINE,
)
_NOTICE = re.compile(
    r"(?:this|the (?:information|content)|diese|der inhalt|ce (?:message|courriel|mail|courrier)|cet e|le contenu"
    r"|confidential|vertraulich|hinweis|disclaimer|notice|important|wichtig|please (?:consider|think|note)"
    r"|think before|bitte (?:denken|pr(?:ü|ue)fen|beachten)|pensez|avant d|before you print|bevor sie|if you (?:are|have)"
    r"|sollten sie|falls sie|wenn sie|si vous|toute|registered|sitz|amtsgericht|handelsregister|gesch(?:ä|ae)ftsf"
    r"|vorstand|ust|vat|siret)"
    r"[^\n]{0,200}(?:confiden|vertraulich|privileged|intended|recipient|empf(?:ä|ae)nger|destinataire|unbefugt"
    r"|unauthori|print|druck|imprim|environment|umwelt|environnement|virus|registered|handelsregister|amtsgericht"
    r"|gesch(?:ä|ae)ftsf|ust-?id|siret|delete|l(?:ö|oe)schen|supprim)",
    re.IGNORECASE,
)
_RULED = re.compile(r"[\s_=*~.—–-]{4,}")
_SENTENCE_END = re.compile(r"[.!?…:]\s*$")
_ABBREVIATED = re.compile(r"\b\w{1,4}\.\s*$")


def split(own: Sequence[str], author: str = "") -> tuple[tuple[Block, ...], bool]:
    """(the blocks of these own lines, whether some text was left out for its length).

    author: the name and the address of the writer, as the email has them.
    """
    names = frozenset(re.findall(r"[^\W\d_]{2,}", author.casefold()))
    start = next((n for n, line in enumerate(own) if line.strip()), 0)
    kinds: list[Kind] = []
    kind: Kind = "text"
    for at, line in enumerate(own):
        if kind == "text" and line.strip() and at > start and _closes(own, at, names):
            kind = "closing"
        elif kind == "closing" and _POSTSCRIPT.match(line):
            kind = "text"
        elif kind != "left_out" and quote_stripping.is_head(own, at):
            kind = "left_out"
        kinds.append("left_out" if is_ruled(line) else kind)
    return _bounded(own, kinds)


def is_ruled(line: str) -> bool:
    """Return whether a line is only ruled."""
    return bool(line.strip()) and _RULED.fullmatch(line) is not None


def _closes(own: Sequence[str], at: int, names: frozenset[str]) -> bool:
    """Return whether a closing begins with this line."""
    line = own[at].strip()
    if is_formula(line) or _is_writer(line, names):
        return True
    if _NOTICE.match(line):
        return True
    return _is_beside_contact(own, at)


def is_formula(line: str) -> bool:
    """Return whether a line is a closing formula, alone or with a name behind it."""
    line = line.strip()[:80]
    found = _FORMULA.match(line)
    while found is not None:
        rest = line[found.end() :]
        name = _AFTER_FORMULA.sub(" ", rest).strip()
        if not name:
            return True
        apart = _AFTER_FORMULA.match(rest) is not None
        return apart and found.end() >= 2 and _NAME.fullmatch(name) is not None
    return False


def _is_writer(line: str, names: frozenset[str]) -> bool:
    words = re.findall(r"[^\W\d_]+", line.casefold())
    return 0 < len(words) <= 4 and all(
        word in names or (len(word) == 1 and n > 0) for n, word in enumerate(words)
    )


def _is_beside_contact(own: Sequence[str], at: int) -> bool:
    """Return whether this line and those below it, to one with a phone number, an address or a
    company, look like a signature."""
    for line in own[at : at + 6]:
        if not line.strip():
            continue
        if not _looks_signed(line):
            return False
        if _CONTACT.search(line):
            return True
    return False


def _looks_signed(line: str) -> bool:
    """Return whether a line could be a name, a post or an address, and is no sentence or move."""
    words = re.findall(r"[^\W_]+", line)
    if not words or len(line) > 90 or (len(words[0]) == 1 and line.strip()[1:2] not in (".", ":")):
        return False
    if _CONTACT.search(line):
        return len(re.findall(r"(?<![\w@./-])[a-zà-ÿ]{2,}(?![\w@./-])", line)) <= 4
    if len(words) > 6 or (_SENTENCE_END.search(line) and not _ABBREVIATED.search(line)):
        return False
    small = [word for word in words if word[0].islower() and len(word) > 3]
    return not small


def _bounded(own: Sequence[str], kinds: Sequence[Kind]) -> tuple[tuple[Block, ...], bool]:
    blocks: list[tuple[Kind, list[str]]] = []
    room, count = MOST_TEXT, {"text": 0, "closing": 0, "left_out": 0}
    is_long = False
    for line, kind in zip(own, kinds, strict=True):
        count[kind] += 1
        if kind == "text":
            is_cut = count[kind] > MOST_LINES or len(line) > min(room, LONGEST)
            is_long |= is_cut and bool(line.strip())
            line = line[: max(min(room, LONGEST), 0)] if count[kind] <= MOST_LINES else ""
            room -= len(line) + 1
        else:
            line = line[:SHORT] if count[kind] <= MOST_BESIDE else ""
        if not blocks or blocks[-1][0] != kind:
            blocks.append((kind, []))
        blocks[-1][1].append(line)
    trimmed = ((kind, quote_stripping.trimmed(lines)) for kind, lines in blocks)
    return tuple(Block(kind, tuple(lines)) for kind, lines in trimmed if lines), is_long
