"""Finds the writer's own lines in a reply: neither quoted, nor signature, nor attribution.

A doubtful line is not the writer's own. First come our rules about what mail programs write, in
English, German, French and, as far as the words are known, other languages. Then quotequail, which
knows more languages, may remove more lines; it never brings one back.
"""

import re
from collections.abc import Sequence

import quotequail

MARK = "-=-=-"  # stands twice in the line of our emails above which people answer
MOST_LINES = 3000
LONGEST = 2000  # characters of a line that are looked at
MOST_BROKEN = 4  # lines of an attribution
BROKEN_OFF = 4  # how much further in the rest of an example stands
WRAPPED = 55  # a quoted line of this length may have been broken by a mail program

_QUOTED = re.compile(r"\s{0,3}\w{0,3}\s?[>»|]")
# The words before the deadline in the second line of our emails, in all languages.
_UNTIL = re.compile(
    r".{2,40} left, until .+|The time ran out on .+|Noch .{2,40}, bis .+|Die Zeit ist abgelaufen: .+"
    r"|Encore .{2,40}, jusqu’au .+|Le temps s’est écoulé le .+"
)
# Our emails put a bar before each line that could be read as a move, examples of moves among them.
# A mail program may put a mark before the bar.
_BARRED = re.compile(r"(?:[>*\u2022-]\s?)?\|\s*(?:[-*\u2022]\s)?([^\s|>{}[\]][^|>{}[\]]*)")
# The same from the HTML part, where no bar is copied: a dash, and what the example leads to.
_MARKED = re.compile(r">\s?([^\s|>{}[\]][^|>{}[\]]*\s[-\u2013\u2014]\s[^|>{}[\]]*)")
_MARGIN = re.compile(r"(?:> ?)?\|\s*")

_WROTE = (
    r"wrote|writes|(?:ge)?schrieb(?:en)?|a \W?écrit|ecrit|écrivait|escribió|scrive|ha scritto|escreveu"
    r"|schreef|geschreven|skrev|napisał\(?a?\)?|написал\(?а?\)?|kirjoitti|napsal\(?a?\)?"
)
_ATTRIBUTION = re.compile(
    rf"(?:[^\n]{{0,300}}\b(?:{_WROTE})\b[^\n]{{0,200}}|{_WROTE})\s?:", re.IGNORECASE
)
_ATTRIBUTION_START = re.compile(
    r"(?:On|Am|Le|El|Em|Op|Den|Il|W dniu|Dne|Den|Quoting|Zitat von|\d{4}-\d\d-\d\d"
    r"|(?:mon|tue|wed|thu|fri|sat|sun|lun|mar|mer|jeu|ven|sam|dim|mo|di|mi|do|fr|sa|so)\w*\.?,)\s",
    re.IGNORECASE,
)
_NAMES_ADDRESS = re.compile(r"<[^<>\s@]*@[^<>\s]*>|<\s*$")
_QUOTING = re.compile(r"(?:Quoting|Zitat von|Citation de)\s[^\n]{1,200}:", re.IGNORECASE)

_FIELDS = (
    r"from|sent|to|date|subject|cc|reply-to|importance|von|gesendet|an|datum|betreff|kopie|priorität"
    r"|antwort an|de|envoyé(?: le)?|à|a|objet|cc|copie|répondre à|destinataire|expéditeur|sujet"
    r"|da|inviato|oggetto|para|enviado(?: el)?|asunto|van|verzonden|aan|onderwerp|date d'envoi"
)
_FIELD = re.compile(rf"\W{{0,3}}({_FIELDS})\s?:\W{{0,3}}(?:\s|$)", re.IGNORECASE)

# "-----Original Message-----", "---------- Forwarded message ---------", and Outlook's bare line.
_RULED = re.compile(r"[_—–]{8,}|-{12,}|={12,}")
_DIVIDER = re.compile(r"[-_=*—–]{3,}\s?[^\W\d_][^\n]{2,60}?\s?[-_=*—–]{3,}")
_FORWARDED = re.compile(
    r"(?:begin forwarded message|anfang der weitergeleiteten (?:nachricht|e-mail)"
    r"|début du message (?:réexpédié|transféré)|original message|ursprüngliche nachricht"
    r"|message d[’']origine|weitergeleitete nachricht|forwarded message|message transféré)\s?:?",
    re.IGNORECASE,
)

_DASHES = re.compile(r"--\s*|—\s*|__\s*")
_SENT_FROM = re.compile(
    r"(?:sent (?:from|with|via|using)|get outlook for|gesendet (?:mit|von|via|aus)|von meinem"
    r"|diese nachricht wurde|holen sie sich outlook|outlook für (?:ios|android) beziehen"
    r"|envoyé (?:de|depuis|avec|à partir)|télécharge[rz]? outlook|obtenez outlook|obtenir outlook"
    r"|yahoo mail|inviato da|enviado (?:desde|do)|verzonden (?:met|van)|-----begin pgp signature"
    r"|please excuse|virus-free|virenfrei|sans virus|this e-?mail has been checked)\b",
    re.IGNORECASE,
)


def own_lines(lines: Sequence[str]) -> list[str]:
    """The writer's own lines in order, with the empty lines between them."""
    shown = [line[:LONGEST].rstrip() for line in lines[:MOST_LINES]]
    own: list[str] = []
    last_quoted = _last_quoted(shown)
    in_signature = False
    may_be_wrapped = False  # directly below a quoted line that may go on here
    at = 0
    while at < len(shown):
        line, step = shown[at].strip(), 1
        if _QUOTED.match(shown[at]):
            in_signature, may_be_wrapped = False, len(line) >= WRAPPED
        elif not line:
            may_be_wrapped = False
            own.append("")
        elif MARK in line:
            own = _without_lead(own)
            break
        elif may_be_wrapped:
            pass
        elif _is_rest(shown, at) and not _is_own(shown, at, last_quoted):
            break
        elif skip := _attribution(shown, at):
            if not _is_followed_by_quote(shown, at + skip):
                break  # nothing shows where the quoted text ends
            in_signature, step = False, skip
        elif in_signature or _DASHES.fullmatch(line) or _SENT_FROM.match(line):
            in_signature = True
        else:
            own.append(line)
        at += step
    if not any(own) or _is_above_attribution(shown):
        return _copied(shown)
    return _without_known_quotes(trimmed(own))


def _without_lead(own: list[str]) -> list[str]:
    """Remove the two lines that our emails have above the mark: the task and the deadline."""
    kept = trimmed(own)
    return kept[:-2] if kept and _UNTIL.fullmatch(kept[-1]) else own


def _copied(lines: Sequence[str]) -> list[str]:
    """Return the first line without its bar if the writer copied it from our email as the answer,
    and wrote nothing else; else [].

    Two barred lines in a row are a quotation, unless the second one stands further in: our emails
    break a line so. Lines with braces or brackets are lists of moves.
    """
    filled = [at for at, line in enumerate(lines) if line.strip()][:3]
    first = lines[filled[0]].strip() if filled else ""
    found = _BARRED.fullmatch(first) or _MARKED.fullmatch(first)
    if found is None:
        return []
    copied = found[1].strip()
    if len(filled) > 1 and (rest := _broken_off(lines[filled[0]], lines[filled[1]])):
        copied = f"{copied} {rest}"
        del filled[0]
    rests = _directly_below(lines, filled[0])
    if len(rests) > 1:
        return []
    if rests:  # of a line that a mail program has broken
        copied = f"{copied} {rests[0]}"
    elif len(filled) > 1:
        below = lines[filled[1]]
        is_quoted = below.startswith("|") or (first[0] == ">" and _QUOTED.match(below))
        if is_quoted or (below.rstrip().endswith(":") and not _wrote(lines, filled[1])):
            return []
    return [copied]


def _broken_off(line: str, below: str) -> str:
    """The rest of a barred line that our email has broken in two; "" if the line below is none."""
    first, second = _MARGIN.match(line), _MARGIN.match(below)
    is_rest = first and second and len(second[0]) - len(first[0]) == BROKEN_OFF
    return below[len(second[0]) :].strip() if second and is_rest else ""


def _directly_below(lines: Sequence[str], at: int) -> list[str]:
    """Return the lines between this one and the next that is empty, quoted or of a mail program."""
    found: list[str] = []
    for number, line in enumerate(lines[at + 1 :], at + 1):
        text = line.strip()
        ends = not text or MARK in text or _QUOTED.match(line) or _SENT_FROM.match(text)
        if ends or _is_rest(lines, number) or _attribution(lines, number):
            break
        found.append(text)
    return found


def _is_above_attribution(lines: Sequence[str]) -> bool:
    """Return whether the first line has our bar and the next one is an attribution: then it was
    copied, and what follows is quoted, marks or not."""
    filled = [at for at, line in enumerate(lines) if line.strip()][:3]
    if not filled or _BARRED.fullmatch(lines[filled[0]].strip()) is None:
        return False
    if len(filled) > 1 and _broken_off(lines[filled[0]], lines[filled[1]]):
        del filled[1]
    return len(filled) > 1 and bool(_wrote(lines, filled[1]))


def trimmed(lines: Sequence[str]) -> list[str]:
    """Remove the empty lines at both ends."""
    filled = [at for at, line in enumerate(lines) if line.strip()]
    return list(lines[filled[0] : filled[-1] + 1]) if filled else []


def _is_rest(lines: Sequence[str], at: int) -> bool:
    """Return whether the answered email begins here, without marks on its lines."""
    line = lines[at].strip()
    if _RULED.fullmatch(line) or _DIVIDER.fullmatch(line) or _FORWARDED.fullmatch(line):
        return True
    if not _FIELD.match(line):
        return False
    # Two header fields, one below the other; long ones are broken in two.
    following = [text for text in lines[at + 1 : at + 6] if text.strip()][:3]
    return any(_FIELD.match(text.strip()) for text in following)


def is_head(lines: Sequence[str], at: int) -> bool:
    """Return whether own lines from here on look like the head of an email."""
    return _FIELD.match(lines[at].strip()) is not None and _is_rest(lines, at)


def _last_quoted(lines: Sequence[str]) -> int:
    """Return the last line that has what a quoted email has, -1 for none."""
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at].strip()
        if (
            MARK in line
            or _QUOTED.match(line)
            or _NAMES_ADDRESS.search(line)
            or _BARRED.match(line)
        ):
            return at
    return -1


def _is_own(lines: Sequence[str], at: int, last_quoted: int) -> bool:
    """Return whether no email is quoted below a ruled line, or below what looks like a head: no
    address, no mark and no quoted line follows."""
    is_ruled = _RULED.fullmatch(lines[at].strip()) is not None
    if not is_ruled and _FIELD.match(lines[at].strip()) is None:
        return False
    rest = (lines[number].strip() for number in range(at + 1, len(lines)))
    below = next(filter(None, rest), "")
    if is_ruled and _FIELD.match(below):
        return False
    return bool(below) and last_quoted < at


def _attribution(lines: Sequence[str], at: int) -> int:
    """Return the number of lines from here that are an attribution ("On … wrote:")."""
    if count := _wrote(lines, at):
        return count
    # In whatever language: a line with a colon at its end right above quoted ones. One that names
    # an address may be broken in several.
    most = MOST_BROKEN if _NAMES_ADDRESS.search(lines[at]) else 1
    for count, line in enumerate(lines[at : at + most], 1):
        if line.rstrip().endswith((":", "：")) and _is_followed_by_quote(lines, at + count):
            return count
        if not line.strip():
            break
    return 0


def _wrote(lines: Sequence[str], at: int) -> int:
    """Return the number of lines from here that are an attribution in known words."""
    if _QUOTING.fullmatch(lines[at].strip()):
        return 1
    joined = ""
    for count in range(1, MOST_BROKEN + 1):
        if at + count > len(lines) or not lines[at + count - 1].strip():
            break
        joined = f"{joined} {lines[at + count - 1].strip()}".strip()
        if len(joined) > 600:
            break
        if count > 1 and not _ATTRIBUTION_START.match(joined):
            break
        if _ATTRIBUTION.fullmatch(joined):
            return count
    return 0


def _is_followed_by_quote(lines: Sequence[str], at: int) -> bool:
    following = next((line for line in lines[at : at + 4] if line.strip()), "")
    return bool(_QUOTED.match(following))


def _without_known_quotes(own: list[str]) -> list[str]:
    """The lines that quotequail leaves. It gets short lines only, because its patterns are slow."""
    if not own:
        return own
    short = "\n".join(line[:200] for line in own[:200])
    parts = quotequail.quote(short, limit=1000, quote_intro_line=True)
    if len(parts) < 2:
        return own
    kept = parts[0][1] if parts[0][0] else ""
    return trimmed(own[: len(kept.split("\n"))] if kept.strip() else [])
