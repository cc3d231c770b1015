"""Ways in which mail programs, and people, put the email that they answer into their reply."""

import re
import textwrap
from collections.abc import Callable
from email.message import EmailMessage
from html import escape, unescape

from games.inbound import commands, decision, game_words, letter, mime, reply_parser
from games.log.game_log import Log
from games.rules import printed_lines
from games.rules.contract import AnyGame, View
from games.rules.errors import MoveError
from games.translate import say

from .emails import Read

Quote = Callable[[Read], tuple[str, str]]  # (plain text, HTML or "") of what stands below one's own
INTRODUCTION = "On Sun, 22 Nov 2026 at 18:23, Atlantis by Mail <games@example.org> wrote:"
HEAD = (
    "From: Atlantis by Mail <games@example.org>\nSent: Sunday, November 22, 2026 6:23 PM\n"
    "To: Alice <alice@example.org>\nSubject: Atlantis: Round the mainland\n\n"
)


def _marked(mark: str) -> Quote:
    def quote(mail: Read) -> tuple[str, str]:
        lines = "\n".join(f"{mark}{line}" for line in mail.text.splitlines())
        return f"{INTRODUCTION}\n\n{lines}", ""

    return quote


def _body(mail: Read) -> str:
    found = re.search(r"<body[^>]*>(.*)</body>", mail.html, re.DOTALL)
    assert found is not None
    return found[1]


def _seen(mail: Read) -> str:
    """The HTML as a program makes text of it: a line for each block, without marks."""
    hidden = re.sub(r"<div style=.display:none.*?</div>", " ", _body(mail), flags=re.DOTALL)
    cut = re.sub(r"</?(?:p|td|tr|table|div|h1|h2|br|li)\b[^>]*>", "\n", hidden)
    text = unescape(re.sub(r"<[^>]+>", "", re.sub(r"(?<!>)\n", " ", cut)))
    return "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())


def _wrapped(mail: Read) -> tuple[str, str]:
    """Broken at 50 columns by a program that marks the first line of each only."""
    lines = (textwrap.wrap(line, 50) or [""] for line in mail.text.splitlines())
    return f"{INTRODUCTION}\n" + "\n".join("> " + "\n".join(some) for some in lines), ""


STYLES: dict[str, Quote] = {
    "angle brackets": _marked("> "),
    "angle brackets without a space": _marked(">"),
    "bars": _marked("| "),
    "initials": _marked("AM> "),
    "angle brackets, broken lines": _wrapped,
    "an introduction alone": lambda mail: (f"{INTRODUCTION}\n\n{mail.text}", ""),
    "a divider": lambda mail: (f"-----Original Message-----\n{HEAD}{mail.text}", ""),
    "header fields alone": lambda mail: (f"{HEAD}{mail.text}", ""),
    "nothing": lambda mail: (mail.text, ""),
    "nothing, indented": lambda mail: (textwrap.indent(mail.text, "    "), ""),
    "nothing, made from the HTML": lambda mail: (_seen(mail), f"<div>{_body(mail)}</div>"),
    "a quote in HTML": lambda mail: (
        "\n".join(f"> {line}" for line in mail.text.splitlines()),
        f'<blockquote type="cite">{_body(mail)}</blockquote>',
    ),
}


def reply(mail: Read, style: str, own: str = "") -> bytes:
    """A reply with `own` lines above the email, quoted in this style."""
    plain, html = STYLES[style](mail)
    above = escape(own).replace("\n", "<br>").replace("  ", "&nbsp;&nbsp;")  # as when pasted
    return in_parts(f"{own}\n\n{plain}" if own else plain, f"<div>{above}</div>{html}" * bool(html))


def in_parts(plain: str, html: str = "") -> bytes:
    """An email with these parts."""
    message = EmailMessage()
    message["From"] = "Alice <alice@example.org>"
    message.set_content(plain)
    if html:
        message.add_alternative(html, subtype="html")
    return message.as_bytes()


def meaning(raw: bytes, log: Log, view: View) -> str:
    """Return the meaning of a reply: a move in notation, a command, an answer, the offer of a move,
    or "". What is offered as a message to the table does nothing and is no meaning."""
    found = reply_parser.read(mime.read(raw))
    if found.problem:
        return ""
    table = LetterTable(log.engine, view)
    said = letter.read(found, table)
    for asks in (decision.Question(), decision.Question("vote", about="cancel")):
        decided = decision.decide(said, asks, decision.Allowed())
        moves = [act.line for act in decided.acts if isinstance(act, commands.Move)]
        if decided.acts:
            return table.legal(moves[0]) if moves else repr((decided, said))
    first = next((part.text for part in said.own), "")
    offered = table.near(first) if first else ""
    return offered and f"offer: {offered}"


class LetterTable:
    """What the reader of a letter asks about a position, without a database."""

    def __init__(self, engine: AnyGame, view: View, *names: str) -> None:
        self.engine, self.view = engine, view
        self.names = frozenset(word for name in names for word in commands.words_of(name))

    def legal(self, line: str) -> str:
        """The move in notation; "" if it cannot be made."""
        try:
            command = printed_lines.parse(self.engine, line, self.view, say)
            return self.engine.notation.describe(command, self.view)
        except MoveError:
            return ""

    def is_legal(self, line: str) -> bool:
        """Return whether a line is a move that can be made."""
        return self.legal(line) != ""

    def meaning(self, line: str) -> str:
        """The move in notation if it can be made; "" if it is none."""
        return self.legal(line) or (line if game_words.are_all(self.engine.key, line) else "")

    def near(self, line: str) -> str:
        """The move that a line comes close to."""
        command = printed_lines.suggest(self.engine, line, self.view, say)
        return self.engine.notation.describe(command, self.view) if command is not None else ""

    def is_for_later(self, line: str) -> bool:
        """Return whether a line answers a later question."""
        return game_words.is_for_later(self.engine.key, line)

    def names_player(self, text: str) -> bool:
        """Return whether a text begins with a name."""
        return not self.names.isdisjoint(commands.words_of(text)[:1])
