"""Spoilt replies through the whole inbound path: none may break it, none may move by quoted text.

Every mail is kept, read and answered in a transaction that is rolled back, so each meets the same
position. The mails hold a move as their first own line and others, legal too, in what they quote.
An accepted move is compared with a second, much simpler reading of the mail.
"""

from __future__ import annotations

import random
import re
import tempfile
import time
from collections import Counter
from email import message_from_bytes, policy
from email.message import Message
from pathlib import Path

from django.db import transaction
from django.test.utils import override_settings

from atlantis_site.supervisor.house import BASE_DIR
from games import event_log
from games.inbound import limits, mime, reply, store, work
from games.mail import reply_address
from games.models import Game, InboundMail, User

from .moves import Browser, new_game
from .mutants import mutate
from .report import Table, median, ms, progress

SAMPLES = BASE_DIR / "tests" / "samples"
TRAP = b"C statue"  # the line of the samples' quoted mail that is a move
RESULTS = b"Authentication-Results: mx.example.org; dmarc=pass header.from=example.org\r\n"
ACCEPTED = ("played", "repeated")
# How the programs of the samples sign what is written with them.
SIGNATURE = re.compile(
    r"(?i)--\s*$|sent from|get outlook|von (meinem|yahoo)|gesendet mit|diese nachricht|outlook für"
    r"|envoyé de|télécharger"
)
WRAPPED = 55  # characters of a quoted line that a program may have broken
SLOW = 2.0  # seconds for one mail that are too many


class Stage:
    """A game in which Bob is asked, with a move to write and others to be tempted by."""

    def __init__(self) -> None:
        bob = User.objects.create_user("bob@example.org", display_name="Bob")
        alice = User.objects.create_user("alice@example.org", display_name="Alice")
        self.game: Game = new_game([Browser(bob), Browser(alice)])
        log = event_log.load(self.game)
        seat = log.projection.to_act[0]
        self.game.seats.filter(number=seat).update(user=None)
        self.game.seats.exclude(number=seat).update(user=alice)
        self.game.seats.filter(number=seat).update(user=bob)
        view = log.engine.view(log.state, seat)
        lines = [
            log.engine.describe(command, view)
            for command in log.engine.legal_commands(log.state, seat)
        ]
        self.own = lines[0]
        self.traps = [line for line in lines if line[0] != self.own[0]] or lines[1:]
        address = reply_address(self.game.public_id, seat, log.moved_at)
        assert address is not None
        self.address = address


def seeds(stage: Stage, dice: random.Random, folder: Path = SAMPLES) -> list[bytes]:
    """The samples, addressed to this game, with its moves in the place of theirs where one can
    put them there."""
    found = []
    for file in sorted(folder.glob("*.eml")):
        raw = file.read_bytes()
        own = reply.read(mime.read(raw)).line.encode()
        if own and own in raw:
            raw = raw.replace(own, stage.own.encode())
        raw = raw.replace(TRAP, dice.choice(stage.traps).encode())
        raw = re.sub(rb"move\+[\w.]+@[\w.]+", stage.address.encode(), raw)
        found.append(RESULTS + raw)
    if not found:
        raise SystemExit(f"There are no samples in {folder}: run this in a checkout.")
    return found


def bench(mutants: int, seed: int = 1) -> Table:
    """So many spoilt mails; SystemExit with the first mail that did what it must not."""
    dice = random.Random(seed)  # noqa: S311  # nosec B311
    limits.SEAT_HOUR = limits.PERSON_HOUR = limits.UNSURE_DAY = 10**9
    with override_settings(
        MAIL_REPLY_DOMAIN="reply.example.org", MAIL_AUTHSERV_ID="mx.example.org", LOCAL_MODE=False
    ):
        stage = Stage()
        good = seeds(stage, dice)
        verdicts: Counter[str] = Counter()
        times: list[float] = []
        for number in range(mutants):
            raw = good[number] if number < len(good) else mutate(dice.choice(good), good, dice)
            start = time.perf_counter()
            row = through(raw, stage)
            times.append(time.perf_counter() - start)
            complain(row, raw, times[-1])
            verdicts[row.verdict] += 1
            if number % 5000 == 4999:
                progress(f"{number + 1:,} mails")
    return report(mutants, seed, times, verdicts)


def through(raw: bytes, stage: Stage) -> InboundMail:
    """The row of this mail as it is once the mail was read; nothing of it stays."""
    with transaction.atomic():
        (row,) = store.keep(
            raw, door=InboundMail.Door.RELAY, sender="bob@example.org", recipients=[stage.address]
        )
        work.read_one(row.pk)
        row.refresh_from_db()
        transaction.set_rollback(True)
    return row


def complain(row: InboundMail, raw: bytes, took: float) -> None:
    """SystemExit, and the mail in a file, where something is wrong."""
    trouble = ""
    if row.state != InboundMail.State.DONE:
        trouble = f"was not read: {row.error}"
    elif took > SLOW:
        trouble = f"took {took:.1f} s"
    elif row.verdict in ACCEPTED and not is_first_own_line(row.line, raw):
        trouble = f"was read as {row.line!r}, which is not its first own line"
    if trouble:
        file = Path(tempfile.gettempdir()) / "inbound-trouble.eml"
        file.write_bytes(raw)
        raise SystemExit(f"A mail ({file}) {trouble}.")


def is_first_own_line(line: str, raw: bytes) -> bool:
    """By a plain reading of the mail: the line stands there at the beginning of a line that bears
    no quote mark, and what stands above it is quoted, empty or introduces what is quoted."""
    wanted = _bare(line)
    return any(_comes_first(wanted, text) for text in _texts(raw))


def _comes_first(wanted: str, text: str) -> bool:
    rows = re.split(r"\r\n|\r|\n", text)
    below = signed = False
    at = 0
    while at < len(rows):
        row = rows[at]
        stripped = row.strip("\ufeff\u200b\u00ad \t\u00a0")
        # A long quoted line may have been broken: what is right below it belongs to it.
        if _is_quoted(row):
            below = len(row.strip()) >= WRAPPED
            signed = False
        elif not stripped:
            below = False
        elif SIGNATURE.match(stripped):
            signed = True
        elif not below and not signed:
            if _bare(row) and wanted.startswith(_bare(row)):
                return _bare(" ".join(rows[at : at + 12])).startswith(wanted)
            introduces = _introduces(rows, at)
            if not introduces:
                return False
            at += introduces - 1
        at += 1
    return False


def _is_quoted(row: str) -> bool:
    return re.match(r"\W{0,3}\w{0,3}\s?[>»|]", row) is not None


def _introduces(rows: list[str], at: int) -> int:
    """How many lines from here end in a colon above a quoted line, 0 for none."""
    for count in range(1, 5):
        if at + count > len(rows) or not rows[at + count - 1].strip():
            return 0
        if rows[at + count - 1].rstrip(" \u00a0\t*").endswith(":"):
            return count if any(map(_is_quoted, rows[at + count : at + count + 4])) else 0
    return 0


def _bare(text: str) -> str:
    """Letters and digits of a text, and nothing that a mail program may change about them."""
    return re.sub(r"[\W_]+", "", text).lower()


def _texts(raw: bytes) -> list[str]:
    """The plain texts of a mail and its HTML without tags, quoted blocks marked; in every charset
    that may have been meant."""
    found = []
    stack: list[Message] = [message_from_bytes(raw, policy=policy.compat32)]
    while stack:
        part = stack.pop()
        inner = part.get_payload()
        if isinstance(inner, list):
            if part.get_content_maintype() == "multipart":
                stack += [one for one in inner if isinstance(one, Message)]
            continue
        if re.match(
            r"\s*attachment|.*name",
            str(part.get("Content-Disposition", "")),
            re.IGNORECASE | re.DOTALL,
        ):
            continue
        data = part.get_payload(decode=True)
        data = data if isinstance(data, bytes) else b""
        for charset in ("utf-8", "cp1252", "utf-16", "utf-32", part.get_param("charset")):
            try:
                text = data.decode(str(charset), "replace")
            except (LookupError, ValueError):
                continue
            is_html = part.get_content_type() == "text/html"
            found += [_without_tags(text)] if is_html else [text, _flowed(text)]
    return found


def _flowed(text: str) -> str:
    return re.sub(r"(?<!--) \r?\n(?!>)", " ", text)


def _without_tags(html: str) -> str:
    """Lines of HTML, those between blockquotes with a mark, those after a known mark too."""
    html = re.sub(r"(?is)<(style|script|head|title)\b.*?</\1>", "", html)
    words: list[str] = []
    stack: list[str] = []  # the open elements that matter
    rest = False
    for piece in re.split(r"(<[^>]*>?)", html):
        tag = piece.lower()
        name = re.match(r"</?(div|blockquote|td|body)\b", tag)
        if name and not tag.startswith("</"):
            stack.append(name[1])
        elif name and name[1] in stack:  # what was left open inside of it ends with it
            del stack[len(stack) - 1 - stack[::-1].index(name[1]) :]
        if re.match(r"<div[^>]*(yahoo_quoted|name=.?quote|appendonsend|divrply|border-top)", tag):
            rest = True
        if re.match(r"</?(br|p|div|li|td|tr|hr|h\d|pre|blockquote)\b", tag):
            words.append("\n> " if rest or "blockquote" in stack else "\n")
        elif not tag.startswith("<"):
            words.append(" ".join(piece.split()) + " ")
    return "".join(words).replace("&nbsp;", " ").replace("&gt;", ">")


def report(mutants: int, seed: int, times: list[float], verdicts: Counter[str]) -> Table:
    """How long they took and what became of them."""
    table = Table(
        f"{mutants:,} spoilt replies (seed {seed}), kept, read and answered, one after the other",
        ("what became of them", "mails"),
    )
    for verdict, count in verdicts.most_common():
        table.add(str(InboundMail.Verdict(verdict).label), f"{count:,}")
    table.add("exceptions, moves that the first own line does not say", "0")
    table.add("time for one: median, most", f"{ms(median(times))}, {ms(max(times))}")
    return table
