"""Mails made to break or to slow down the reading; a hundred thousand more are in the bench."""

import random
import tempfile
import time
from pathlib import Path

import pytest

from games.inbound import (
    authenticity,
    auto_replies,
    blocks,
    handlers,
    intake,
    letter,
    limited_reader,
    mime,
    reply_parser,
)
from games.models import InboundMail
from tests.bench import inbound as bench
from tests.bench.inbound import is_first_own_line
from tests.bench.mutants import mutate
from tests.support.samples import TRAP, emails

GOOD = emails()
K = 250_000 // 100


@pytest.mark.parametrize("seed", range(4))
def test_a_spoilt_email_breaks_nothing(seed: int) -> None:
    dice = random.Random(seed)
    raws = [sample.raw for sample in GOOD]
    for _mail in range(150):
        try:
            mail = mime.read(mutate(dice.choice(raws), raws, dice))
        except mime.Unreadable:
            continue
        said = reply_parser.read(mail)
        letter.read(said, letter.NoTable())
        auto_replies.check(mail, None, "games@example.org", "games.example.org")
        authenticity.check_results(mail, InboundMail.Channel.RELAY, "mx.example.org")
        assert "\x00" not in said.line and len(said.line) <= blocks.LONGEST
        said.line.encode()


HTML = "From: bob@example.org\nContent-Type: text/html; charset=utf-8\n\n"
SLOW = {
    "one line": "x" * 100 * K,
    "attributions": "On a wrote b " * 8 * K,
    "attributions in lines": "On Fri wrote\n" * 8 * K,
    "colons": ("a: " * 30 + "\n") * K,
    "dates": ("2026/11/06 " + "< <@" * 20 + "\n") * K,
    "dashes": ("-" * 60 + " x" * 19 + "\n") * K,
    "quotes": (">" * 99 + "\n") * K,
    "spaces": " " * 100 * K,
    "unseen": "\u200b" * 30 * K,
    "accents": "a\u0301\u0301\u0301" * 14 * K,
    "fields": ("From: \n" * 14) * K,
    "flowed": "a \n" * 33 * K,
    "signatures": ("-- \n\nx\n" * 14) * K,
    "signed messages": "-----BEGIN PGP SIGNED MESSAGE-----\nHash: a\n\n" * 2 * K,
    "verbs": ("wrote schrieb a écrit " * 4 + "\n") * K,
}
SLOW_HTML = {
    "unclosed": "<a" * 50 * K,
    "nested": "<div>" * 20 * K,
    "closed too often": "</div>" * 16 * K,
    "comments": "<!--" * 25 * K,
    "attributes": "<div " + "a=b " * 25 * K + ">",
    "entities": "&amp;&#x41" * 10 * K,
    "styles": '<div style="border-top:solid ' + "#" * 90 * K + '">',
    "classes": '<div class="' + "gmail " * 16 * K + '">x',
    "tables": "<table><tr><td>" * 6 * K,
    "blockquotes": "<blockquote>" * 8 * K,
    "ancestors": f"<style>i {'* ' * 20}b{{color:red}}</style>" + "<div>" * 200 + "<b>x</b>" * 999,
    "siblings": "<style>i ~ p{color:red}</style>" + "<p>x" * 20 * K,
    "children": "<style>p:nth-of-type(2){color:red}</style>" + "<p>x" * 20 * K,
    "selectors": f"<style>{'p,' * 29_000}p{{color:red}}</style>" + "<p>x" * 20 * K,
    "long selectors": f"<style>{('a ' * 200 + 'b{color:red}') * 150}</style><p>x",
}


@pytest.fixture(scope="module")
def most_seconds() -> float:
    """Seconds of processor time that no email may take: what twelve ordinary ones of the same size
    take on this machine."""
    ordinary = "<p>We sailed on Monday, and the weather was fine. I write again soon.</p>\n"
    raw = (HTML + ordinary * (intake.KEPT_BYTES // len(ordinary))).encode()
    return 12 * min(seconds(raw) for _try in range(3))


@pytest.mark.parametrize("name", SLOW)
def test_no_text_takes_long_to_read(name: str, most_seconds: float) -> None:
    head = "From: bob@example.org\nContent-Type: text/plain; charset=utf-8; format=flowed\n\n"
    assert seconds((head + SLOW[name]).encode()) < most_seconds


@pytest.mark.parametrize("name", SLOW_HTML)
def test_no_html_takes_long_to_read(name: str, most_seconds: float) -> None:
    assert seconds((HTML + SLOW_HTML[name]).encode()) < most_seconds


def test_no_nesting_takes_long_to_read(most_seconds: float) -> None:
    nested = "".join(
        f'Content-Type: multipart/mixed; boundary="{n}"\n\n--{n}\n' for n in range(4000)
    )
    assert seconds(("From: bob@example.org\n" + nested + "\nx" * 30_000).encode()) < most_seconds


SLOW_HEADS = [
    "From: " + "(" * 200_000,
    "From: " + '"\\' * 100_000,
    "From: " + "a@b," * 50_000,
    "Authentication-Results: mx.example.org; " + "dmarc=" * 40_000,
    "Authentication-Results: mx.example.org; " + "(" * 200_000,
    "Subject: " + "=?utf-8?q?=41?= " * 15_000,
    "X: y\n" * 40_000,
    "Content-Type: text/plain; " + "a=b; " * 40_000,
    "Content-Type: text/plain; charset*0*=" + "%41" * 60_000,
    "Content-Type: multipart/mixed; boundary=" + "x" * 200_000,
    'Content-Type: multipart/mixed; boundary="' + ';\\"' * 80_000,
]


@pytest.mark.parametrize("head", SLOW_HEADS, ids=lambda head: head[:20].strip(": "))
def test_no_head_takes_long_to_read(head: str, most_seconds: float) -> None:
    assert seconds(f"{head}\nMessage-ID: <a@b>\n\nB flag\n".encode()) < most_seconds


@pytest.mark.parametrize(
    "raw",
    [
        *(f"{head}\nMessage-ID: <a@b>\n\nB flag\n".encode() for head in SLOW_HEADS),
        b"Content-Type: multipart/mixed; boundary=a\n\n" + b"--a\n\n" * 500_000,
    ],
    ids=lambda raw: raw[:20].decode(),
)
def test_no_headers_of_an_email_from_a_provider_take_long(raw: bytes, most_seconds: float) -> None:
    """They are read in a worker of the web server."""
    start = time.process_time()
    assert mime.headers_of(raw)
    assert time.process_time() - start < most_seconds


def seconds(raw: bytes) -> float:
    """Return the seconds of processor time to read this email, however busy the machine is."""
    start = time.process_time()
    try:
        mail = mime.read(raw[: intake.KEPT_BYTES])
    except mime.Unreadable:
        return time.process_time() - start
    reply_parser.read(mail)
    auto_replies.check(mail, None, "games@example.org", "games.example.org")
    authenticity.check_results(mail, InboundMail.Channel.RELAY, "mx.example.org")
    return time.process_time() - start


def test_the_benchs_own_reading_separates_own_lines_from_quoted_ones() -> None:
    """The bench's comparison must be able to disagree."""
    for sample in GOOD:
        if sample.line:
            assert is_first_own_line(sample.line, sample.raw), sample.name
        assert not is_first_own_line(TRAP, sample.raw), sample.name


def test_a_tag_in_the_quotes_of_another_is_none() -> None:
    head = b"Content-Type: text/html\r\n\r\n"
    own = b'<div style="font-family: A</blockquote>ptos">B flag</div>'
    assert is_first_own_line("B flag", head + own)
    assert not is_first_own_line("B flag", head + own.replace(b'"', b""))


@pytest.mark.parametrize("above", ['""""""""', "On 6 November, Bob wrote:\n\n" * 3 + "> C crown"])
def test_what_says_nothing_and_what_introduces_a_quotation_are_no_own_lines(above: str) -> None:
    head = "Content-Type: text/plain\r\n\r\n"
    assert is_first_own_line("B flag", f"{head}{above}\n\nB flag".encode())
    assert not is_first_own_line("C crown", f"{head}{above}\n\nB flag".encode())


def test_a_line_in_which_nothing_is_seen_is_nobodys_first_own_line() -> None:
    text = b"Content-Type: text/plain\n\n> It is your turn.\n\x03\n> C statue\n\nB flag\n"
    assert reply_parser.read(mime.read(text)).line == "B flag"
    assert is_first_own_line("B flag", text)
    assert not is_first_own_line("B flag", text.replace(b"\x03", b"No!"))


# -- the bench itself, on a few emails --------------------------------------------------------


@pytest.mark.django_db
def test_the_bench_reads_emails_and_finds_nothing() -> None:
    with bench.as_served():
        tally = bench.read_all(bench.Stage(), range(40), seed=1)
    assert tally.troubles == []
    assert sum(tally.verdicts.values()) == len(tally.times) == 40
    assert tally.verdicts["played"] > 0


@pytest.mark.django_db
def test_the_bench_finds_moves_out_of_quoted_text(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with bench.as_served():
        stage = bench.Stage()
        said = reply_parser.written(stage.traps[0])
        monkeypatch.setattr(limited_reader, "read", lambda _raw, **_options: said)
        tally = bench.read_all(stage, range(3), seed=1)
    assert (len(tally.unsaid), tally.broke) == (3, [])
    assert "not its first own line" in tally.unsaid[0]
    assert (tmp_path / "inbound-trouble-0.eml").read_bytes()


@pytest.mark.django_db
def test_the_bench_finds_emails_that_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def fail(row: InboundMail) -> str:
        raise ZeroDivisionError("something nobody thought of")

    with bench.as_served():
        stage = bench.Stage()
        monkeypatch.setattr(handlers, "handle", fail)
        tally = bench.read_all(stage, range(3), seed=1)
    assert (len(tally.broke), tally.unsaid) == (3, [])
    assert "nobody thought of" in tally.broke[0]
