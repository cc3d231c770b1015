"""The parts of reading a reply, one by one: addresses, senders, results, charsets, lines,
commands."""

import re
from datetime import date

import pytest
from pytest_django import Settings

from games.inbound import authenticity, auto_replies, commands, mime, quote_stripping, reply_parser
from games.inbound.command_words import CalendarDay, DaysAhead, Weekday
from games.inbound.commands import (
    Answer,
    Away,
    Help,
    Legal,
    Move,
    Note,
    Preview,
    Resign,
    Rules,
    Say,
    Show,
    ShowWords,
    Status,
    StopAll,
    SwitchMail,
    Undo,
)
from games.mail.reply_addresses import (
    LONGEST,
    person_address,
    read_person_address,
    read_reply_address,
    reply_address,
)
from games.models import InboundMail
from games.rules import GAMES
from games.rules.errors import MoveError
from tests.rules.atlantis.tables import table
from tests.rules.escape.scenes import Scene

Channel = InboundMail.Channel
SenderCheck = InboundMail.SenderCheck


# -- reply addresses -----------------------------------------------------------------------


def test_an_address_names_game_seat_and_position(replies: Settings) -> None:
    address = reply_address("abcdefghijkl", 3, 1234)
    assert address is not None
    assert read_reply_address(address) == ("abcdefghijkl", 3, 1234)
    assert address.startswith("move+abcdefghijkl.3.1234.")


def test_an_address_is_lower_case_and_short_enough_for_every_server(replies: Settings) -> None:
    address = reply_address("z" * 12, 99, 999_999_999)
    assert address is not None and address == address.lower()
    assert len(address.partition("@")[0]) <= LONGEST


def test_an_address_in_capitals_or_brackets_is_the_same(replies: Settings) -> None:
    address = reply_address("abcdefghijkl", 0, 7)
    assert address is not None
    assert read_reply_address(address.upper()) == read_reply_address(f" <{address}> ")
    assert read_reply_address(address.upper()) is not None


def test_no_other_address_can_be_made_from_one(replies: Settings) -> None:
    address = reply_address("abcdefghijkl", 1, 17)
    assert address is not None
    for old, new in ((".1.", ".0."), (".17.", ".18."), ("abc", "abd"), ("@reply", "@other")):
        assert old in address
        assert read_reply_address(address.replace(old, new, 1)) is None
    local, _at, host = address.partition("@")
    other = "a" if local[-1] != "a" else "b"
    assert read_reply_address(f"{local[:-1]}{other}@{host}") is None
    assert read_reply_address("move+abcdefghijkl.１.17.aaaa@reply.example.org") is None
    assert read_reply_address("") is None


def test_another_key_makes_other_addresses(replies: Settings) -> None:
    address = reply_address("abcdefghijkl", 1, 17)
    replies.SECRET_KEY = "another one"
    assert address is not None and read_reply_address(address) is None


def test_an_address_of_a_former_key_is_still_read(replies: Settings) -> None:
    seat, person = reply_address("abcdefghijkl", 1, 17), person_address(5)
    replies.SECRET_KEY, replies.SECRET_KEY_FALLBACKS = "another one", [replies.SECRET_KEY]
    assert seat is not None and read_reply_address(seat) == ("abcdefghijkl", 1, 17)
    assert person is not None and read_person_address(person) == 5
    assert reply_address("abcdefghijkl", 1, 17) != seat


def test_an_address_with_a_part_of_its_signature_is_none(replies: Settings) -> None:
    address = reply_address("abcdefghijkl", 1, 17)
    assert address is not None
    local, _at, host = address.partition("@")
    assert len(local) == len("move+abcdefghijkl.1.17.") + 26
    for cut in (1, 5, 6, 7, 25):
        assert read_reply_address(f"{local[:-cut]}@{host}") is None


def test_without_a_domain_there_are_no_addresses(settings: Settings) -> None:
    settings.MAIL_REPLY_DOMAIN = ""
    assert reply_address("abcdefghijkl", 1, 17) is None
    assert read_reply_address("move+abcdefghijkl.1.17.aaaabbbbccccddddeeee@") is None


# -- the one address in From ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "address"),
    [
        ("bob@example.org", "bob@example.org"),
        ("Bob <BOB@Example.ORG>", "bob@example.org"),
        ('"Example, Bob (home)" <bob@example.org>', "bob@example.org"),
        ("bob@example.org (Bob)", "bob@example.org"),
        ("=?utf-8?q?B=C3=B6b?= <bob@example.org>", "bob@example.org"),
        ('"alice@example.org" <bob@example.org>', "bob@example.org"),
        ("bob@example.org <Bob@example.org>", "bob@example.org"),
        ("'bob@example.org' <bob@example.org>", "bob@example.org"),
        ("bob@example.org <bob@example.org>, eve@example.net", ""),
        ("alice@example.org <bob@example.org>", ""),
        ("<alice@example.org> <bob@example.org>", ""),
        ("alice@example.org, bob@example.org", ""),
        ("alice\x00@example.org", ""),
        ("alice@example.org)bob@example.org", ""),
        ('"<alice@example.org>" bob@example.org, eve@example.net', ""),
        ("Friends: alice@example.org, bob@example.org;", ""),
        ("Bob", ""),
        ("", ""),
        ("(" * 500 + "bob@example.org", ""),
    ],
)
def test_a_sender_is_one_address_or_nobody(field: str, address: str) -> None:
    assert mime.one_address(field) == address


# -- Authentication-Results ----------------------------------------------------------------


def mail(*head: str, author: str = "bob@example.org") -> mime.ParsedMail:
    return mime.read("\r\n".join([*head, f"From: {author}", "", "B flag"]).encode())


def check(*head: str, author: str = "bob@example.org", channel: str = Channel.RELAY) -> str:
    found = authenticity.check_results(mail(*head, author=author), channel, "mx.example.org")
    return found or SenderCheck.UNKNOWN


RECEIVED = "Received: from a by b; Fri, 6 Nov 2026 12:00:00 +0000"


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ("dmarc=pass header.from=example.org", SenderCheck.PASS),
        ("dmarc=pass (p=reject dis=none) header.from=example.org", SenderCheck.PASS),
        ("spf=pass smtp.mailfrom=x@example.org; dkim=none; dmarc=pass", SenderCheck.PASS),
        (
            "dmarc=fail header.from=example.org; spf=pass smtp.mailfrom=example.org",
            SenderCheck.FAIL,
        ),
        ("dmarc=permerror; dkim=pass header.d=example.org", SenderCheck.FAIL),
        ("dmarc=pass header.from=example.net", SenderCheck.UNKNOWN),
        ("dmarc=pass Header.From=example.net", SenderCheck.UNKNOWN),
        ("dmarc=none; dkim=pass header.d=example.org", SenderCheck.PASS),
        ("dkim=pass header.i=@example.org header.s=x", SenderCheck.PASS),
        ("dkim=pass header.d=example.net", SenderCheck.UNKNOWN),
        ("dkim=fail header.d=example.org", SenderCheck.UNKNOWN),
        ("dkim=pass header.d=org", SenderCheck.UNKNOWN),
        ("dkim=pass header.d=ample.org", SenderCheck.UNKNOWN),
        ("spf=pass smtp.mailfrom=bob@example.org", SenderCheck.PASS),
        ("spf=pass smtp.mailfrom=bounce@lists.example.net", SenderCheck.UNKNOWN),
        ("spf=softfail smtp.mailfrom=bob@example.org", SenderCheck.UNKNOWN),
        ("none", SenderCheck.UNKNOWN),
    ],
)
def test_what_our_server_found_counts(results: str, expected: str) -> None:
    assert check(f"Authentication-Results: mx.example.org; {results}", RECEIVED) == expected


# As mail servers write them, for an email from bob@example.org that they found authentic.
HONEST = {
    "OpenDKIM": """mx.example.org;
\tdkim=pass (2048-bit key; unprotected) header.d=example.org header.i=@example.org
\t header.a=rsa-sha256 header.s=mail header.b=hKb7+a/Q;
\tdkim-atps=neutral""",
    "OpenDKIM, an older one": """mx.example.org;
\tdkim=pass reason="2048-bit key; unprotected key"
\theader.d=example.org header.i=@example.org header.b=hKb7+a/Q""",
    "OpenDMARC": "mx.example.org; dmarc=pass (p=none dis=none) header.from=example.org",
    "policyd-spf": """mx.example.org; spf=pass (sender SPF authorized)
 smtp.mailfrom=example.org (client-ip=192.0.2.1; helo=mail.example.org;
 envelope-from=bob@example.org; receiver=games@example.net)""",
    "amavis": """mx.example.org (amavisd-new);
\tdkim=pass (2048-bit key) header.d=example.org""",
    "rspamd": """mx.example.org;
\tdkim=pass header.d=example.org header.s=mail header.b=hKb7aQ;
\tdmarc=pass (policy=reject) header.from=example.org;
\tspf=pass (mx.example.org: domain of bob@example.org designates 192.0.2.1 as permitted sender)
\t smtp.mailfrom=bob@example.org""",
    "Gmail": """mx.example.org;
       dkim=pass header.i=@example.org header.s=20230601 header.b="hKb7+a/Q";
       arc=pass (i=1 spf=pass spfdomain=example.org dkim=pass dkdomain=example.org);
       spf=pass (example.org: domain of bob@example.org designates 2001:db8::1 as permitted
 sender) smtp.mailfrom=bob@example.org;
       dmarc=pass (p=REJECT sp=QUARANTINE dis=NONE) header.from=example.org;
       dara=pass header.i=@example.org""",
    "Exchange": """mx.example.org; spf=pass (sender IP is 192.0.2.1)
 smtp.mailfrom=example.org; dkim=pass (signature was verified)
 header.d=example.org;dmarc=pass action=none
 header.from=example.org;compauth=pass reason=100""",
    "Exim": """mx.example.org;
\tiprev=pass (mail.example.org) smtp.remote-ip=192.0.2.1;
\tauth=pass (plain) smtp.auth=bob;
\tdkim=pass header.d=example.org header.s=mail header.a=rsa-sha256;""",
    "Authentication Milter": """mx.example.org;
    dkim=pass (2048-bit rsa key sha256) header.d=example.org header.i=@example.org
    header.b="hKb7+a/Q" header.a=rsa-sha256 header.s=fm1 x-bits=2048;
    dmarc=pass policy.published-domain-policy=reject
    policy.applied-disposition=none (p=reject,d=none,d.eval=none)
    policy.policy-from=p header.from=example.org;
    iprev=pass smtp.remote-ip=2001:db8::1 (mail.example.org);
    spf=pass smtp.mailfrom=bob@example.org smtp.helo=mail.example.org;
    x-aligned-from=pass (Address match); x-me-sender=none""",
    "quoted values": 'mx.example.org; dkim=pass header.d="example.org" header.i="@example.org"',
    "a quoted address": 'mx.example.org; spf=pass smtp.mailfrom="bob@example.org"',
    "a quoted local part": 'mx.example.org; spf=pass smtp.mailfrom="bob (home)"@example.org',
    "a quoted name of the server": '"mx.example.org" 1; dmarc=pass header.from=example.org',
    "capitals": "MX.Example.ORG; DKIM=Pass Header.D=Example.ORG",
    "comments around everything": """(x) mx.example.org (y) 1 (z); (a) dkim (b) = (c) pass
 (d (e) \\) f) header.d (g) = (h) example.org (i)""",
}


@pytest.mark.parametrize("server", HONEST)
def test_results_are_read_as_mail_servers_write_them(server: str) -> None:
    folded = "\r\n".join(f"Authentication-Results: {HONEST[server]}".splitlines())
    for field in (folded, " ".join(folded.split())):
        assert check(field, RECEIVED) == SenderCheck.PASS
        assert check(field, RECEIVED, author="bob@example.net") == SenderCheck.UNKNOWN


@pytest.mark.parametrize("server", HONEST)
def test_what_mail_servers_write_about_an_email_that_is_not_authentic_is_no_pass(
    server: str,
) -> None:
    failed = re.sub("pass", "fail", HONEST[server], flags=re.IGNORECASE)
    field = " ".join(f"Authentication-Results: {failed}".split())
    expected = SenderCheck.FAIL if "dmarc" in failed else SenderCheck.UNKNOWN
    assert check(field, RECEIVED) == expected


# Words of the sender in the results: (of an attacker, what they are worth, of an honest sender).
WORDS_OF_THE_SENDER = [
    (
        'dmarc=fail reason="dmarc=pass; dmarc=pass"',
        SenderCheck.FAIL,
        'dmarc=pass reason="dmarc=fail; dmarc=fail" header.from="example.org"',
    ),
    (
        "dmarc=fail (dmarc=pass header.from=example.org)",
        SenderCheck.FAIL,
        "dmarc=pass (dmarc=fail header.from=example.net) header.from=example.org",
    ),
    (
        'spf=pass smtp.mailfrom="x; dmarc=pass"@example.net',
        SenderCheck.UNKNOWN,
        'spf=pass smtp.mailfrom="x; dmarc=fail"@example.org',
    ),
    (
        'spf=pass (a ")" here; dmarc=pass) smtp.mailfrom=x@example.net',
        SenderCheck.UNKNOWN,
        'spf=pass (a ":" here; dmarc=fail) smtp.mailfrom=x@example.org',
    ),
    (
        'spf=none smtp.mailfrom="\\"; dmarc=pass; a=\\""@example.net',
        SenderCheck.UNKNOWN,
        'spf=pass smtp.mailfrom="\\"; dmarc=fail; a=\\""@example.org',
    ),
    (
        'spf=pass smtp.mailfrom="x smtp.mailfrom=example.org"@example.net',
        SenderCheck.UNKNOWN,
        'spf=pass smtp.mailfrom="x smtp.mailfrom=example.net"@example.org',
    ),
    (
        "dmarc=pass header.from=example.org (never ends",
        SenderCheck.UNKNOWN,
        "dmarc=pass header.from=example.org (ends)",
    ),
    (
        "dmarc=pass header.from=example.org) never began",
        SenderCheck.UNKNOWN,
        "dmarc=pass header.from=example.org (began)",
    ),
    (
        "spf=pass smtp.mailfrom=x@example.org ) ; dmarc=fail ( header.from=example.org",
        SenderCheck.UNKNOWN,
        "spf=pass smtp.mailfrom=x@example.org ( ; dmarc=fail ) header.from=example.org",
    ),
    (
        'dmarc=pass header.from=example.org reason="never ends',
        SenderCheck.UNKNOWN,
        'dmarc=pass header.from=example.org reason="ends"',
    ),
]


@pytest.mark.parametrize(("attack", "worth", "honest"), WORDS_OF_THE_SENDER)
def test_words_of_the_sender_neither_make_an_email_authentic_nor_keep_it_from_being_so(
    attack: str, worth: str, honest: str
) -> None:
    field = "Authentication-Results: mx.example.org; "
    assert check(field + attack, RECEIVED) == worth
    assert check(field + honest, RECEIVED) == SenderCheck.PASS


def test_a_signature_of_the_domain_above_counts_and_of_a_look_alike_does_not() -> None:
    field = "Authentication-Results: mx.example.org; dkim=pass header.d="
    author = "bob@mail.example.org"
    assert check(f"{field}example.org", author=author) == SenderCheck.PASS
    assert check(f"{field}badexample.org", author="bob@example.org") == SenderCheck.UNKNOWN
    assert check(f"{field}mail.example.org", author="bob@example.org") == SenderCheck.UNKNOWN


def test_the_results_of_another_server_count_for_nothing() -> None:
    forged = "Authentication-Results: mx.example.net; dmarc=pass"
    assert check(forged, RECEIVED) == SenderCheck.UNKNOWN
    assert (
        check("Authentication-Results: mx.example.org.evil.net; dmarc=pass") == SenderCheck.UNKNOWN
    )


def test_of_two_results_in_our_servers_name_the_upper_one_is_our_servers() -> None:
    ours = "Authentication-Results: mx.example.org; dmarc=fail header.from=example.org"
    forged = "Authentication-Results: mx.example.org; dmarc=pass header.from=example.org"
    assert check(ours, RECEIVED, forged) == SenderCheck.FAIL
    assert check(RECEIVED.replace("by b", "by mx.example.org"), ours, forged) == SenderCheck.FAIL


def test_results_below_the_field_of_another_server_do_not_count() -> None:
    results = "Authentication-Results: mx.example.org; dmarc=pass header.from=example.org"
    assert check(RECEIVED, results) == SenderCheck.UNKNOWN
    ours = RECEIVED.replace("by b", "by mx.example.org")
    assert check(ours, results) == SenderCheck.PASS


def test_results_from_before_our_server_got_the_email_do_not_count() -> None:
    forged = "Authentication-Results: mx.example.org; dmarc=pass header.from=example.org"
    assert check(RECEIVED, RECEIVED, forged) == SenderCheck.UNKNOWN
    ours = RECEIVED.replace("by b", "by mx.example.org")  # the lower one may be forged as well
    assert check(ours, ours, forged) == SenderCheck.UNKNOWN


def test_a_version_behind_the_name_and_a_folded_field_are_read() -> None:
    folded = (
        "Authentication-Results: mx.example.org 1;\r\n\tdkim=pass header.d=x.example.net;\r\n"
        "\tdmarc=pass (p=none)\r\n\t header.from=example.org"
    )
    assert check(folded) == SenderCheck.PASS


def test_the_open_door_and_an_unset_name_prove_nothing() -> None:
    field = "Authentication-Results: mx.example.org; dmarc=pass header.from=example.org"
    assert check(field, channel=Channel.OPEN) == SenderCheck.UNKNOWN
    assert authenticity.check_results(mail(field), Channel.RELAY, "") is None
    for channel in (Channel.RELAY, Channel.WEBHOOK, Channel.PIPE):
        assert check(field, channel=channel) == SenderCheck.PASS


def test_results_are_taken_apart() -> None:
    (spf, dmarc) = authenticity.results_of(
        " spf=pass smtp.mailfrom=Bob@Example.org ; dmarc/1=fail policy.dmarc=none"
    )
    assert spf == ("spf", "pass", {"smtp.mailfrom": "bob@example.org"})
    assert dmarc == ("dmarc", "fail", {"policy.dmarc": "none"})


# -- lines ---------------------------------------------------------------------------------


def first_line(text: str, head: str = "") -> str:
    return reply_parser.read(mime.read(f"{head}\r\n\r\n{text}".lstrip().encode())).line


def test_nothing_below_our_mark_is_own_however_it_is_wrapped_up() -> None:
    assert quote_stripping.own_lines(
        ["B flag", "", "-=-=- Antwort über dieser Zeile -=-=-", "C ring"]
    ) == ["B flag"]
    assert quote_stripping.own_lines(["  * -=-=- x -=-=- *", "C ring"]) == []


def test_a_line_that_was_broken_in_two_is_one_line() -> None:
    long = "A amphora helmet olive crown pay 7 5 3 2 olive olive ring flag statue"
    assert first_line(f"{long}\nstatue bridge 27\n\nBye") == f"{long} statue bridge 27"
    assert first_line("B flag\nC ring") == "B flag"


def test_what_is_below_a_long_quoted_line_without_a_gap_may_belong_to_it() -> None:
    quoted = "> Write the figure, then the cards in the order in which you play them: B"
    assert quote_stripping.own_lines([quoted, "flag helmet"]) == []
    assert quote_stripping.own_lines([quoted, "", "flag helmet"]) == ["flag helmet"]
    assert quote_stripping.own_lines(["> short", "B flag"]) == ["B flag"]


def test_unseen_signs_do_not_count() -> None:
    assert first_line("\ufeff\u200bB\u00a0flag\u00ad helmet") == "B flag helmet"


def test_soft_line_ends_are_taken_away_and_hard_ones_are_not() -> None:
    head = "Content-Type: text/plain; format=flowed; delsp=no"
    assert first_line("B flag \nhelmet\nC ring", head) == "B flag helmet"
    assert first_line("B fl \nag", head.replace("delsp=no", "delsp=yes")) == "B flag"
    assert first_line("-- \nC ring", head) == ""


@pytest.mark.parametrize(
    "attribution",
    [
        "Atlantis <games@example.org> ezt írta (időpont: 2026. nov. 6., P,\n10:12):",
        "Atlantis <games@example.org>, 6 Kas 2026 Cum, 10:12 tarihinde şunu\nyazdı:",
        "Atlantis <games@example.org> 于2026年11月6日周五 10:12写道：",
        "Στις Παρ 6 Νοε 2026 στις 10:12 π.μ., ο/η Atlantis by Mail <\ngames@example.org> έγραψε:",
        "\u202bבתאריך יום ו׳, 6 בנוב׳ 2026 מאת \u202aAtlantis\u202c <\u202a\ngames@example.org\u202c>:\u202c",
        "pá 6. 11. 2026 v 10:12 odesílatel Atlantis by Mail <games@example.org>\nnapsal:",
        "Vào Th 6, 6 thg 11, 2026 vào lúc 10:12 Atlantis <\ngames@example.org> đã viết:",
    ],
)
def test_an_attribution_in_a_language_that_nobody_here_knows_is_not_own(attribution: str) -> None:
    quoted = "> C statue\n> It is your turn."
    assert first_line(f"{attribution}\n\n{quoted}\n\nB flag") == "B flag"
    assert first_line(f"\n{attribution}\n\n{quoted}") == ""
    assert first_line(f"B flag\n{attribution}\n{quoted}") == "B flag"


def test_languages_that_only_quotequail_knows_are_cut_as_well() -> None:
    assert quote_stripping.own_lines(
        ["B flag", "", "El lun, 2 nov 2026, Atlantis escribió:", "C ring"]
    ) == ["B flag"]
    assert quote_stripping.own_lines(["B flag", "", "Пересылаемое сообщение:", "C ring"]) == [
        "B flag"
    ]


ATLANTIS_VIEW = GAMES["atlantis"].rules.view(
    table("f2 o2 h2 r2 c2 a2 s2 | *0/0/0 ffohrcas - b | 0/0/0 f - b"), 0
)
ESCAPE_VIEW = Scene("E5 beach U1 U2 | E6 beach | D5 ship | D6 U3 shark | C1 ship U4").view(1)
UNDOING = (
    "undo my last move",
    "Please undo.",
    "please undo my last move",
    "take back my move",
    "Take my last move back, please",
    "Could you please undo my last step?",
    "I'd like to take back my last move",
    "I want to undo that",
    "undo it",
    "Bitte rückgängig machen",
    "Bitte zurücknehmen",
    "Mach meinen letzten Zug rückgängig",
    "Ich nehme meinen letzten Zug zurück",
    "Ich möchte den letzten Zug zurücknehmen.",
    "Letzten Schritt rueckgaengig machen, bitte",
    "Könnten Sie bitte meinen letzten Zug zurücknehmen?",
    "Annulez mon dernier coup, s’il vous plaît",
    "S’il te plaît, annule mon dernier coup",
    "Je voudrais annuler mon coup précédent",
    "J’annule mon dernier déplacement",
    "Je reprends mon coup",
    "annuler le dernier coup",
)

# -- commands ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("show", Show()),
        ("  SHOW. ", Show()),
        ("Zeige", Show()),
        ("montrez", Show()),
        ("legal", Legal()),
        ("Möglich?", Legal()),
        ("help!", Help()),
        ("aide", Help()),
        ("preview B flag", Preview("B flag")),
        ("Aperçu: B drapeau", Preview("B drapeau")),
        ("note Hello", Note("Hello", is_sure=False)),
        ("Notiz danke", Note("danke", is_sure=False)),
        ("remarque merci", Note("merci", is_sure=False)),
        ("Remarque : merci", Note("merci")),
        ("Notiz: Hallo", Note("Hallo")),
        ("note And thanks.", Note("And thanks.", is_sure=False)),
        ("note: Danke!", Note("Danke!")),
        ("resign", Resign()),
        ("Ich gebe auf!", Resign()),
        ("J'abandonne", Resign()),
        ("yes, resign", Resign()),
        ("resign: yes", Resign()),
        ("ja, aufgeben", Resign()),
        ("oui, j'abandonne", Resign()),
        ("pause mails", SwitchMail(on=False)),
        ("Mails aus", SwitchMail(on=False)),
        ("resume mails", SwitchMail(on=True)),
        ("B flag helmet", Move("B flag helmet")),
        ("Legal moves, please.", Legal()),
        ("What can I do?", Legal()),
        ("?", Help()),
        ("resign please", Resign()),
        ("Unsubscribe", SwitchMail(on=False)),
        ("B flag, please!", Move("B flag")),
        ("B Flagge, danke", Move("B Flagge")),
        ("please", Move("please")),
        ("pleased to meet you", Move("pleased to meet you")),
        ("preview", Move("preview")),
        ("note", Move("note")),
        ("I resign myself to this", Move("I resign myself to this")),
        ("show me the money", Move("show me the money")),
        ("yes", Answer(agrees=True)),
        ("A flag, please", Move("A flag")),
        ("A flag please", Move("A flag please")),
        ("a flag, please", Move("a flag, please")),
        ("note: Hello", Note("Hello")),
        ("Nachricht: danke", Say("danke")),
        ("message : merci", Say("merci")),
        ("Nachricht danke", Say("danke", is_sure=False)),
        ("STOP", StopAll(off=True)),
        ("Stopp!", StopAll(off=True)),
        ("Arrêtez, s'il vous plaît", StopAll(off=True)),
        ("start", StopAll(off=False)),
        ("pause", SwitchMail(on=False)),
        ("resume", SwitchMail(on=True)),
        ("Undo, please", Undo()),
        ("Zurücknehmen", Undo()),
        ("annuler", Undo()),
        ("status", Status()),
        ("Meine Partien", Status()),
        ("mes parties", Status()),
        ("show words", ShowWords()),
        ("zeige Worte", ShowWords()),
        ("montre mots", ShowWords()),
        ("Show me the board, please!", Show()),
        ("Zeig mir das Brett", Show()),
        ("Wer ist dran?", Show()),
        ("Montrez-moi le plateau, s’il vous plaît", Show()),
        ("What are my moves?", Legal()),
        ("Was kann ich machen?", Legal()),
        ("Qu’est-ce que je peux jouer ?", Legal()),
        ("Hilf mir bitte", Help()),
        ("aide-moi", Help()),
        ("Wie schreibt man einen Zug?", Rules()),
        ("weg bis 3. Januar", Away(CalendarDay(3, 1))),
        ("Bin bis zum 3.1.2027 weg", Away(CalendarDay(3, 1, 2027))),
        ("Ich bin nicht da bis 3. Januar", Away(CalendarDay(3, 1))),
        ("away until Sunday", Away(Weekday(6))),
        ("Ich bin bis Freitag weg", Away(Weekday(4))),
        ("Je suis absente jusqu’à demain", Away(DaysAhead(1))),
        ("rules", Rules()),
        ("Regeln", Rules()),
        ("les règles", Rules()),
        ("", Move("")),
    ],
)
def test_a_line_is_a_command_or_a_move(line: str, command: commands.AnyAct) -> None:
    assert commands.parse(line) == command


# Where one of these is also a move of the game, it is the move; see handlers._meant.
MAY_BE_MOVES = (StopAll, Undo, Rules)


@pytest.mark.parametrize(
    "line",
    [phrase for phrase, command in commands.COMMANDS.items() if type(command) not in MAY_BE_MOVES],
)
def test_no_line_that_is_a_command_is_a_move(line: str) -> None:
    for game, view in ((GAMES["atlantis"], ATLANTIS_VIEW), (GAMES["escape"], ESCAPE_VIEW)):
        with pytest.raises(MoveError):
            game.notation.parse(line, view)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (CalendarDay(26, 11), date(2026, 11, 26)),
        (CalendarDay(24, 11), date(2027, 11, 24)),
        (CalendarDay(24, 11, 2026), date(2026, 11, 24)),
        (Weekday(6), date(2026, 11, 29)),
        (Weekday(2), date(2026, 12, 2)),
        (Weekday(1), date(2026, 12, 1)),
        (DaysAhead(1), date(2026, 11, 26)),
    ],
)
def test_a_day_without_a_date_is_the_next_one(
    written: CalendarDay | Weekday | DaysAhead, meant: date
) -> None:
    wednesday = date(2026, 11, 25)
    assert written.seen_from(wednesday) == meant


def test_the_29th_of_february_is_the_one_that_comes_next() -> None:
    assert CalendarDay(29, 2).seen_from(date(2027, 12, 1)) == date(2028, 2, 29)
    with pytest.raises(ValueError, match="day"):
        CalendarDay(29, 2).seen_from(date(2026, 12, 1))


@pytest.mark.parametrize("line", UNDOING)
def test_a_sentence_that_asks_for_the_last_step_back_is_undo_and_no_move(line: str) -> None:
    assert commands.parse(line) == Undo()
    for game, view in ((GAMES["atlantis"], ATLANTIS_VIEW), (GAMES["escape"], ESCAPE_VIEW)):
        assert game.notation.suggest(line, view) is None
        with pytest.raises(MoveError):
            game.notation.parse(line, view)


@pytest.mark.parametrize(
    "line",
    [
        "Do not undo my last move",
        "Please undo, then B flag",
        "I cannot undo my last move",
        "Can I undo my last move?",
        "My last move",
        "Take back my move and play B flag",
        "Nimm B zurück",
        "Bitte nicht zurücknehmen",
        "Ich nehme meinen letzten Zug nicht zurück",
        "Ne pas annuler mon dernier coup",
        "Reprendre ma partie",
        "Undo the rollback",
    ],
)
def test_other_sentences_about_taking_back_do_nothing(line: str) -> None:
    assert isinstance(commands.parse(line), Move)


@pytest.mark.parametrize(
    "line",
    [
        "stop?",
        "Alle Mails ausschalten?",
        "pause emails ?",
        "resume emails?",
        "resign?",
        "J’abandonne ?",
        "undo?",
        "Zug zurücknehmen?",
        "take my seat back?",
        "away until 3 January?",
        "give Bob a day?",
        "nudge?",
        "vote cancel?",
        "leave circle Sunday table?",
    ],
)
def test_a_question_about_a_change_is_no_order(line: str) -> None:
    act = commands.parse(line)
    assert not isinstance(act, Move)
    assert commands.is_asked(line, act)
    assert not commands.is_asked(line.rstrip(" ?"), act)


@pytest.mark.parametrize("line", ["Wer ist dran?", "standings?", "say: ready?", *UNDOING])
def test_a_question_about_the_game_and_a_request_are_answered(line: str) -> None:
    assert not commands.is_asked(line, commands.parse(line))


def test_taking_back_in_a_quoted_line_is_not_read() -> None:
    assert first_line("> Please undo my last move\n\nB flag") == "B flag"
    assert first_line("> undo") == ""


# -- silence -------------------------------------------------------------------------------


def reason(*head: str, sender: str | None = "bob@example.org") -> str:
    return auto_replies.check(mail(*head), sender, "games@example.org", "games.example.org")


def test_a_person_is_answered() -> None:
    assert reason("Subject: Re: Atlantis", "X-Auto-Response-Suppress: DR, OOF") == ""
    # Some email services for people write these into every email.
    assert reason("Feedback-ID: i3c494b2e:Fastmail", "X-Priority: 3", "Importance: Normal") == ""
    assert reason(sender=None) == ""


def test_an_encoded_subject_is_read() -> None:
    assert reason("Subject: =?utf-8?q?R=C3=A9ponse_automatique?=") == "auto"
