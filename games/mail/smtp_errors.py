"""Whether a mail server's refusal is about the mailbox, or about us and what we wrote.

By enhanced status codes (RFC 3463) where the server gives one, else by its reply code and words. In
doubt it is not the mailbox: an address suppressed by mistake costs its reader more than a few
emails cost a server that does not want them.
"""

import re

# Subject and detail after the class 5: no such mailbox, no such host, not how an address is written,
# ambiguous, moved away, takes no mail at all (RFC 7505); disabled. Not among them: 5.1.7 and 5.1.8,
# which are about our own address, a full mailbox, and 5.7, which is policy.
_NO_MAILBOX = {(1, detail) for detail in (0, 1, 2, 3, 4, 6, 10)} | {(2, 1)}
_MAILBOX_CODES = {550, 551, 553}  # for mailboxes by RFC 5321; many servers use them for everything
_ABOUT_US = re.compile(
    r"relay|polic|spam|block|black|denied|reputation|listed|auth|sender|quota|full|spf|dmarc|dkim",
    re.IGNORECASE,
)

_STATUS = re.compile(r"\s*5\.(\d{1,3})\.(\d{1,3})(?!\d)")


def no_such_mailbox(code: int, words: bytes | str, *, to_recipient: bool) -> bool:
    """Whether this reply says that the address takes no email at all, and never will.

    to_recipient: it answered RCPT, when the server knew only the two addresses.
    """
    text = words.decode("utf-8", "replace") if isinstance(words, bytes) else words
    if not 500 <= code < 600:
        return False
    status = _STATUS.match(text)
    if status is not None:
        return (int(status[1]), int(status[2])) in _NO_MAILBOX
    return to_recipient and code in _MAILBOX_CODES and not _ABOUT_US.search(text)
