"""Check the mail servers themselves: the name and address that send our email, and TLS for replies.

Connects to them and says hello; no email is sent.
"""

import re
import smtplib
import ssl
from collections.abc import Iterator

import dns.reversename
from django.conf import settings

from .dns_checks import Lookup, mail_hosts
from .findings import Finding, Record, fail, note, ok
from .smtp import StepwiseSMTP

SMTP_PORT = 25  # of hosts that take email for others
CONNECT_SECONDS = 5.0
READY = 220  # the reply to STARTTLS
_HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+", re.IGNORECASE)


def check_ptr(lookup: Lookup, host: str) -> Iterator[Finding]:
    """Check that the address of our mail server has a name, that this name leads back to it, and
    that the server greets with it (HELO)."""
    addresses = [*lookup(host, "A"), *lookup(host, "AAAA")]
    greeting = _greeting(addresses[0], settings.EMAIL_PORT) if addresses else ""
    for address in addresses:
        names = lookup(_reverse(address), "PTR")
        kind = "AAAA" if ":" in address else "A"
        named = [name for name in names if address in lookup(name, kind)]
        if not named:
            yield fail(
                f"PTR: {address} ({host}) has no name that resolves back to it. Ask the provider "
                "of the address for this record.",
                Record(_reverse(address), "PTR", f"{host}."),
            )
        elif greeting and greeting.lower() not in (name.lower() for name in named):
            yield _greets_otherwise(lookup, greeting, address, named[0])
        else:
            yield ok(f"PTR: {address} is {named[0]}, and back.")


def _greets_otherwise(lookup: Lookup, greeting: str, address: str, name: str) -> Finding:
    """A greeting by another name than that of the address. A provider's server for submission is
    not the one that delivers, so this is no failure where the greeting has an address."""
    if lookup(greeting, "A") or lookup(greeting, "AAAA"):
        return note(
            f"HELO: the mail server calls itself {greeting}, and its address {address} is {name}. "
            f"If it is your own, set its name to {name} (myhostname in Postfix)."
        )
    return fail(
        f"HELO: the mail server calls itself {greeting}, a name without an address; {address} is "
        f"{name}. Set its name to {name} (myhostname in Postfix), or add this record.",
        Record(greeting, "AAAA" if ":" in address else "A", address),
    )


def _reverse(address: str) -> str:
    return dns.reversename.from_address(address).to_text().removesuffix(".")


def _greeting(address: str, port: int) -> str:
    """The host name in the greeting of the server at this address; "" if it gives none."""
    if settings.EMAIL_USE_SSL:
        return ""
    client = StepwiseSMTP(local_hostname=settings.SITE_HOST, timeout=CONNECT_SECONDS)
    try:
        _code, words = client.connect(address, port)
    except (OSError, smtplib.SMTPException):
        return ""
    finally:
        client.close()
    first = words.decode("ascii", "replace").split(" ")[0]
    return first if _HOST.fullmatch(first) else ""


def check_inbound_tls(lookup: Lookup, domain: str) -> Finding:
    """Check that the server for this domain offers TLS, with a certificate for its name."""
    host = next(iter(mail_hosts(lookup, domain)), "")
    addresses = [*lookup(host, "A"), *lookup(host, "AAAA")] if host else []
    if not addresses:
        return note(f"TLS: no server takes email for {domain}, so its TLS was not checked.")
    client = StepwiseSMTP(local_hostname=settings.SITE_HOST, timeout=CONNECT_SECONDS)
    try:
        client.connect(addresses[0], SMTP_PORT)
        client.ehlo()
        if not client.has_extn("starttls"):
            return fail(
                f"TLS: {host} takes email without encryption. Replies with moves can be read and "
                "changed on their way: give it a certificate, and turn STARTTLS on."
            )
        code, words = client.docmd("STARTTLS")
        if code != READY:
            raise smtplib.SMTPResponseException(code, words)
        # SMTP.starttls() would compare the certificate with the address that was connected to.
        assert client.sock is not None, "it has just answered"
        ssl.create_default_context().wrap_socket(client.sock, server_hostname=host).close()
    except ssl.SSLCertVerificationError as error:
        return note(
            f"TLS: {host} encrypts email to {domain}, with a certificate that is not valid for it "
            f"({error.verify_message})."
        )
    except (OSError, smtplib.SMTPException) as error:
        return note(
            f"TLS: {host} could not be asked on port {SMTP_PORT} ({error}). Many networks close "
            "this port to the outside."
        )
    finally:
        client.close()
    return ok(f"TLS: {host} encrypts email to {domain}.")
