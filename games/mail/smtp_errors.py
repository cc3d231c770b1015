"""Classify refusals of a mail server: about the mailbox, this email, or the moment.

By enhanced status codes (RFC 3463) where the server gives one, else by its reply code and words. In
doubt it is not the mailbox: an address suppressed by mistake costs its reader more than a few
emails cost a server that does not want them. Refusals before the recipient is named are no matter
of this module: they are about us, and transport.py raises TransportUnavailable for them.
"""

import re
from enum import Enum


class Refusal(Enum):
    """The meaning of a reply for the email, and for others."""

    MAILBOX = "mailbox"  # the address takes no email at all, and never will
    PERHAPS_MAILBOX = "perhaps the mailbox"  # the same, if it is refused in this way again
    EMAIL = "email"  # a filter, a quota or a policy refused this email; perhaps every email of ours
    LATER = "later"  # temporary, or no proper reply at all


# Subject and detail after the class 5: no such mailbox, no such host, not how an address is
# written, ambiguous, moved away, takes no mail at all (RFC 7505). Not among them: 5.1.7 and 5.1.8,
# which are about our own address.
_NO_MAILBOX = {(1, detail) for detail in (0, 1, 2, 3, 4, 6, 10)}
_MAILBOX_CODES = {550, 551, 552, 553}  # for mailboxes by RFC 5321; many use them for everything
_ABOUT_US = re.compile(
    r"relay|polic|spam|block|black|denied|reputation|listed|auth|sender|quota|full|spf|dmarc|dkim"
    r"|account|suspend|limit|too (many|big|large)",
    re.IGNORECASE,
)
_ABOUT_MAILBOX = re.compile(
    r"user|mailbox|recipient|address|unknown|exist|inactive|disabled|local", re.IGNORECASE
)
_STATUS = re.compile(r"\s*5\.(\d{1,3})\.(\d{1,3})(?!\d)")
_ADDRESS = re.compile(r"<?[^\s<>@\"]+@[^\s<>@\",;:()]+>?")
_VARYING = re.compile(r"\S*\d\S*|\S+\.\S+")  # identifiers, times, IP addresses, hosts and URLs


def classify(code: int, words: bytes | str, *, to_recipient: bool) -> Refusal:
    """The subject of this reply.

    to_recipient: it answered RCPT, when the server knew only the two addresses.
    """
    text = words.decode("utf-8", "replace") if isinstance(words, bytes) else words
    if not 500 <= code < 600:
        return Refusal.LATER
    status = _STATUS.match(text)
    if status is not None:
        is_mailbox = (int(status[1]), int(status[2])) in _NO_MAILBOX
        return Refusal.MAILBOX if is_mailbox else Refusal.EMAIL
    if to_recipient and code in _MAILBOX_CODES and not _ABOUT_US.search(text):
        return Refusal.PERHAPS_MAILBOX
    return Refusal.EMAIL


def names_mailbox(words: str) -> bool:
    """Whether a refusal without a status code speaks of the mailbox."""
    said = words.removeprefix("recipient refused: ")
    return _ABOUT_MAILBOX.search(without_addresses(said)) is not None


def without_addresses(words: str) -> str:
    """The words of a refusal without email addresses, for logs and for other people's eyes."""
    return _ADDRESS.sub("…", words)


def fingerprint(words: str, recipient: str) -> str:
    """The part that stays the same when the same refusal meets another recipient: the codes and the
    words, without addresses, hosts and identifiers."""
    domain = recipient.rpartition("@")[2].lower()
    text = without_addresses(words).lower().replace(domain, "")
    codes = re.findall(r"\b[45]\d\d\b|\b[45]\.\d{1,3}\.\d{1,3}\b", text)[:2]
    rest = re.findall(r"[^\W\d_]+", _VARYING.sub(" ", text))
    return " ".join([*codes, *rest])[:200]
