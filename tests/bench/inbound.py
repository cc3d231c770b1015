"""Spoilt replies through the whole inbound path: none may break it, none may move by quoted text.

Every email is kept, read and answered in a transaction that is rolled back, so each meets the same
position. The emails hold a move as their first own line and others, legal too, in what they quote.
An accepted move is compared with a second, much simpler reading of the email.

Several processes share the emails, each with a game of its own. An email is made from the seed and
its number alone.
"""

import random
import re
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import Message
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import django
from django.db import transaction
from django.test.utils import override_settings

from atlantis_site.supervisor.stack import BASE_DIR
from games.inbound import intake, mime, processor, reply_parser
from games.log import event_store
from games.mail.reply_addresses import reply_address
from games.models import Game, InboundMail, User
from games.services import quotas
from tests.factories import table_of

from .mutants import mutate
from .report import Table, ms, progress

SAMPLES = BASE_DIR / "tests" / "samples"
TRAP = b"C statue"  # the line of the samples' quoted email that is a move
RESULTS = b"Authentication-Results: mx.example.org; dmarc=pass header.from=example.org\r\n"
ACCEPTED = ("played", "repeated")
# How the programs of the samples sign what is written with them.
SIGNATURE = re.compile(
    r"(?i)--\s*$|sent from|get outlook|von (meinem|yahoo)|gesendet mit|diese nachricht|outlook für"
    r"|envoyé de|télécharger"
)
ARMOUR = re.compile(r"-----BEGIN PGP SIGNED MESSAGE-----$|Hash: \w+$")
# One with whole quotes may have anything in them; any other ends with its first ">".
TAG = re.compile(r'(<[a-z/][^<>"]*(?:"[^"]*"[^<>"]*)+>|<[^>]*>?)', re.IGNORECASE)
WRAPPED = 55  # characters of a quoted line that a program may have broken
SLOW = 2.0  # seconds of processor time for one email that are too many
AT_ONCE = 500  # emails that a process takes at a time
MOST_TROUBLES = 20  # after which nobody needs more of them


@dataclass
class Tally:
    """The outcomes of emails. broke, unsaid: files of those that broke a rule; see `trouble`."""

    verdicts: Counter[str] = field(default_factory=Counter)
    times: list[float] = field(default_factory=list)
    broke: list[str] = field(default_factory=list)
    unsaid: list[str] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        self.verdicts += other.verdicts
        self.times += other.times
        self.broke += other.broke
        self.unsaid += other.unsaid

    @property
    def troubles(self) -> list[str]:
        return [*self.broke, *self.unsaid]


class Stage:
    """A game in which Bob is asked, with a move to write and others to be tempted by."""

    def __init__(self) -> None:
        bob, alice = _person("Bob"), _person("Alice")
        self.game: Game = table_of(bob, alice, options={})
        log = event_store.load(self.game)
        seat = log.projection.to_act[0]
        self.game.seats.filter(number=seat).update(user=None)
        self.game.seats.exclude(number=seat).update(user=alice)
        self.game.seats.filter(number=seat).update(user=bob)
        view = log.engine.rules.view(log.state, seat)
        lines = [
            log.engine.notation.describe(command, view)
            for command in log.engine.rules.legal_commands(log.state, seat)
        ]
        self.own = lines[0]
        self.traps = [line for line in lines if line[0] != self.own[0]] or lines[1:]
        address = reply_address(self.game.public_id, seat, log.moved_at)
        assert address is not None
        self.address = address


def _person(name: str) -> User:
    """The same for all processes: the samples are from them."""
    address = f"{name.lower()}@example.org"
    found = User.objects.filter(email=address).first()
    return found or User.objects.create_user(address, display_name=name)


def seeds(stage: Stage, dice: random.Random, folder: Path = SAMPLES) -> list[bytes]:
    """The samples, addressed to this game, with its moves in the place of theirs where one can
    put them there."""
    found = []
    for file in sorted(folder.glob("*.eml")):
        raw = file.read_bytes()
        own = reply_parser.read(mime.read(raw)).line.encode()
        if own and own in raw:
            raw = raw.replace(own, stage.own.encode())
        raw = raw.replace(TRAP, dice.choice(stage.traps).encode())
        raw = re.sub(rb"move\+[\w.]+@[\w.]+", stage.address.encode(), raw)
        found.append(RESULTS + raw)
    if not found:
        raise SystemExit(f"There are no samples in {folder}: run this in a checkout.")
    return found


def bench(mutants: int, seed: int = 1, first: int = 0) -> Table:
    """This number of spoilt emails; SystemExit where one did what it must not. first: the number of
    the first, so that a long run can be made in parts."""
    for name in ("Bob", "Alice"):
        _person(name)  # before the processes all want to make them
    start = time.monotonic()
    tally = Tally()
    end = first + mutants
    parts = [range(at, min(at + AT_ONCE, end)) for at in range(first, end, AT_ONCE)]
    with ProcessPoolExecutor(None, get_context("spawn"), initializer=django.setup) as pool:
        for done in as_completed([pool.submit(_part, part, seed) for part in parts]):
            tally.add(done.result())
            count, took = sum(tally.verdicts.values()), time.monotonic() - start
            left = took / count * (mutants - count) / 60
            progress(f"{count:,} mails, {len(tally.troubles)} troubles, {left:.0f} minutes to go")
            if len(tally.troubles) >= MOST_TROUBLES:
                pool.shutdown(cancel_futures=True)
                break
    table = report(mutants, seed, tally, first)
    if tally.troubles:
        raise SystemExit("\n".join([str(table), "", *tally.troubles]))
    return table


def _part(numbers: range, seed: int) -> Tally:
    """In one of the processes: the emails of these numbers."""
    with as_served():
        return read_all(_stage(), numbers, seed)


@lru_cache(maxsize=1)
def _stage() -> Stage:
    return Stage()


@contextmanager
def as_served() -> Iterator[None]:
    """Replies are read, as often as anybody likes."""
    many = 10**9
    settings = {
        "MAIL_REPLY_DOMAIN": "reply.example.org",
        "MAIL_AUTHSERV_ID": "mx.example.org",
        "LOCAL_MODE": False,
        "QUOTAS": dict.fromkeys(quotas.REGISTRY, many),
    }
    with override_settings(**settings):
        yield


def read_all(stage: Stage, numbers: Iterable[int], seed: int) -> Tally:
    """Read the emails with these numbers."""
    good = seeds(stage, random.Random(seed))
    tally = Tally()
    for number in numbers:
        dice = random.Random(f"{seed}/{number}")
        raw = good[number] if number < len(good) else mutate(dice.choice(good), good, dice)
        start = time.process_time()
        try:
            row = through(raw, stage)
        except Exception as error:  # noqa: BLE001 (whatever it is, it must not have been)
            tally.verdicts["raised"] += 1
            tally.broke.append(f"{_kept(raw, number)} raised {error!r}.")
            continue
        tally.times.append(time.process_time() - start)
        tally.verdicts[row.outcome] += 1
        if broken := breaks(row, tally.times[-1]):
            tally.broke.append(f"{_kept(raw, number)} {broken}.")
        elif unsaid := says_something_else(row, raw):
            tally.unsaid.append(f"{_kept(raw, number)} {unsaid}.")
    return tally


def through(raw: bytes, stage: Stage) -> InboundMail:
    """The row of this email as it is once the email was read; nothing of it stays."""
    with transaction.atomic():
        (row,) = intake.store(
            raw,
            channel=InboundMail.Channel.RELAY,
            sender="bob@example.org",
            recipients=[stage.address],
        )
        processor.read_one(row.pk)
        row.refresh_from_db(fields=["state", "error", "outcome", "line"])
        transaction.set_rollback(True)
    return row


def breaks(row: InboundMail, took: float) -> str:
    """Return the fault of the reading, or ""."""
    if row.state != InboundMail.State.DONE:
        return f"was not read: {row.error}"
    return f"took {took:.1f} s of the processor" if took > SLOW else ""


def says_something_else(row: InboundMail, raw: bytes) -> str:
    """Return the fault that a move was made which the first own line does not say, or ""."""
    if row.outcome not in ACCEPTED or is_first_own_line(row.line, raw):
        return ""
    return f"was read as {row.line!r}, which is not its first own line"


def _kept(raw: bytes, number: int) -> str:
    """Keep this email, and return the path of its file."""
    file = Path(tempfile.gettempdir()) / f"inbound-trouble-{number}.eml"
    file.write_bytes(raw)
    return f"Mail {number} ({file})"


def is_first_own_line(line: str, raw: bytes) -> bool:
    """By a plain reading of the email: the line stands there at the beginning of a line that bears
    no quote mark, and what stands above it is quoted, empty or introduces what is quoted."""
    wanted = _bare(line)
    return any(_comes_first(wanted, text) for text in _texts(raw))


def _comes_first(wanted: str, text: str) -> bool:
    rows = re.split(r"\r\n|\r|\n", text)
    below = signed = False
    at = 0
    while at < len(rows):
        # What nobody sees does not make a line of one's own.
        row = "".join(" " if unicodedata.category(c) == "Cc" else c for c in rows[at])
        stripped = row.strip("\ufeff\u200b\u00ad \t\u00a0")
        # A long quoted line may have been broken: what is right below it belongs to it.
        if _is_quoted(row):
            below = len(row.strip()) >= WRAPPED
            signed = False
        elif not stripped:
            below = False
        elif not stripped.strip('"') or ARMOUR.match(stripped):
            pass  # marks around nothing, or around what is signed
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
    """Return the number of lines from here that end in a colon above a quoted line."""
    for count in range(1, 5):
        if at + count > len(rows) or not rows[at + count - 1].strip():
            return 0
        if rows[at + count - 1].rstrip(" \u00a0\t*").endswith(":"):
            # A broken email may have the introduction twice and more.
            last = _bare(rows[at + count - 1])
            below = [row for row in rows[at + count :] if row.strip() and _bare(row) != last]
            return count if any(map(_is_quoted, below[:2])) else 0
    return 0


def _bare(text: str) -> str:
    """Letters and digits of a text, and nothing that a mail program may change about them."""
    return re.sub(r"[\W_]+", "", text).lower()


def _texts(raw: bytes) -> list[str]:
    """The plain texts of an email and its HTML without tags, quoted blocks marked; in every charset
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
        if re.match(r"(?is)\s*attachment|.*name", str(part.get("Content-Disposition", ""))):
            continue
        data = part.get_payload(decode=True)
        data = data if isinstance(data, bytes) else b""
        for charset in ("utf-8", "cp1252", "utf-16", "utf-32", part.get_param("charset")):
            try:
                text = data.decode(str(charset), "replace")
            except (LookupError, ValueError):
                continue
            is_html = part.get_content_type() == "text/html"
            flowed = re.sub(r"(?<!--) \r?\n(?!>)", " ", text)
            found += [_without_tags(text)] if is_html else [text, flowed]
    return found


def _without_tags(html: str) -> str:
    """Lines of HTML, those between blockquotes with a mark, those after a known mark too."""
    html = re.sub(r"(?is)<(style|script|head|title)\b.*?</\1>", "", html)
    words: list[str] = []
    stack: list[str] = []  # the open elements that matter
    rest = False
    for piece in TAG.split(html):
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


def report(mutants: int, seed: int, tally: Tally, first: int = 0) -> Table:
    """Return the table of times and outcomes."""
    table = Table(
        f"{mutants:,} spoilt replies from number {first:,} (seed {seed}), each kept, read and answered",
        ("what became of them", "mails"),
    )
    labels = dict(InboundMail.Outcome.choices)
    for verdict, count in tally.verdicts.most_common():
        table.add(str(labels.get(verdict, verdict)), f"{count:,}")
    table.add("all", f"{sum(tally.verdicts.values()):,}")
    table.add("exceptions, mails left unread or too slow to read", f"{len(tally.broke)}")
    table.add("moves that the first own line does not say", f"{len(tally.unsaid)}")
    if tally.times:
        most = f"{ms(median(tally.times))}, {ms(max(tally.times))}"
        table.add("processor time for one, without the reader of its text: median, most", most)
    return table
