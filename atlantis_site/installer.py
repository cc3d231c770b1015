"""Ask for what an installation with Docker needs, and start it: `make setup`.

Writes .env and the folder secrets/, and prints what to enter at the DNS and at the mail provider.
Asks only for what is not there yet, so it can be run until all is well. Only the standard library:
it runs before anything is installed (`python3 -m atlantis_site.installer`).

`make secrets` generates no more than what docker-compose.yml reads from secrets/. Files that exist
are kept. The folder is for its owner alone; the files in it are readable, because each is mounted
into containers in which our processes have other user ids.
"""

import hashlib
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from games.operations import providers

ROOT = Path(__file__).resolve().parent.parent
RANDOM = ("secret_key", "data_key", "owner_password", "app_password")
OPTIONAL = (
    "email_url",
    "secret_key_fallbacks",
    "inbound_secret",
    "inbound_settings",
    "dkim_private_key",
)

HOST = re.compile(r"(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}")
SENDER = re.compile(r"(?P<name>[^<>@/]*<)?[^\s<>@:/]+@(?P<domain>[^\s<>@:/]+)(?(name)>)")
SELECTOR = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?|")
START_SECONDS, CHECK_SECONDS = 1800, 300

BELIEVED = "docs/other-ways.md, “Whose replies are believed”"
OWN_REPLIES = (
    "Replies with moves need a server that hands them over: set MAIL_REPLY_DOMAIN in .env, and follow "
    "docs/other-ways.md, “Replies by email”. Without it, players move on the page."
)

Ask = Callable[[str], str]


def secret_values() -> dict[str, str]:
    """The content of a new file of each name."""
    found = {name: secrets.token_hex(32) for name in RANDOM}
    found["broker_url"] = f"redis://atlantis:{secrets.token_hex(32)}@valkey:6379/0"
    return found | dict.fromkeys(OPTIONAL, "")


def broker_users(url: str) -> str:
    """The users of Valkey: the one of this URL, without commands that administer the server."""
    parts = urlsplit(url.strip())
    digest = hashlib.sha256((parts.password or "").encode()).hexdigest()
    rights = "~* &* +@all -@admin -@dangerous +info"
    return f"user default off\nuser {parts.username} on #{digest} {rights}\n"


def make_secrets(folder: Path) -> list[str]:
    """Write the files that are missing; return their names."""
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)
    made = []
    for name, value in secret_values().items():
        if not (folder / name).exists():
            (folder / name).write_text(f"{value}\n")
            made.append(name)
    users = broker_users((folder / "broker_url").read_text())
    (folder / "broker_users").write_text(users)  # always, it follows from the URL
    for path in folder.iterdir():
        path.chmod(0o644)
    return made


def configure(folder: Path, ask: Ask = input) -> list[str]:
    """Write what is missing; return the lines of what is to be entered elsewhere."""
    kept = folder / "secrets"
    make_secrets(kept)
    lines = (folder / ".env").read_text().splitlines() if (folder / ".env").exists() else []
    values = dict(line.split("=", 1) for line in lines if re.match(r"[A-Z_]+=", line))
    host = urlsplit(values.get("SITE_URL", "")).hostname or _asked(
        ask, "Host name of the site, as in games.example.org", _refusal_of_host
    )
    host = host.lower().rstrip(".")
    if not (url := (kept / "email_url").read_text().strip()):
        url = _email_url(ask)
        (kept / "email_url").write_text(f"{url}\n")
    sender = f"Atlantis by Mail <games@{host}>"
    new = {"SITE_URL": f"https://{host}"}
    if "TRUST_PROXY" not in values:
        new["TRUST_PROXY"] = "1"
    if not values.get("MAIL_FROM"):
        new["MAIL_FROM"] = _asked(ask, "Sender of all email", _refusal_of_sender, sender)
    provider = providers.provider_of(url)
    if not values.get("DKIM_SELECTOR") and provider:
        question = f"Name of the DKIM key at {provider}, before ._domainkey; empty if unknown yet"
        new["DKIM_SELECTOR"] = _asked(ask, question, _refusal_of_selector).lower()
    if "MAIL_REPLY_DOMAIN" not in values and provider and providers.PROVIDERS[provider].replies:
        domain = f"reply.{host}"  # not the sender's, to which people write as well
        question = f"Do players reply to emails, at {domain} through {provider}? yes or no"
        answer = _asked(ask, question, _refusal_of_choice, "yes").lower()
        new["MAIL_REPLY_DOMAIN"] = domain if answer == "yes" else ""
    new = {name: value for name, value in new.items() if not values.get(name)}
    left = [line for line in lines if line.partition("=")[0] not in new]
    added = [f"{name}={value}" for name, value in new.items()]
    (folder / ".env").write_text("".join(f"{line}\n" for line in [*left, *added]))
    values |= new
    if not (secret := (kept / "inbound_secret").read_text().strip()) and provider:
        secret = f"atlantis:{secrets.token_hex(24)}"
        (kept / "inbound_secret").write_text(f"{secret}\n")
    keys = (kept / "inbound_settings").read_text()
    return _to_enter(values, host, url, secret, keys)


def _email_url(ask: Ask) -> str:
    """An EMAIL_URL that the service accepts."""
    while True:
        url = ask(f"How email is sent, as in {providers.EXAMPLE}: ").strip()
        problem = providers.refusal(url)
        if not problem and providers.provider_of(url) == "amazon_ses":
            problem = providers.NEEDS_BOTO3  # which our image lacks
        if not problem and not url.startswith("folder:"):
            return url
        print(problem or "EMAIL_URL names a folder, and nobody would get an email.")


def _asked(ask: Ask, question: str, refusal: Callable[[str], str], default: str = "") -> str:
    """An answer that is not refused; `default` for an empty one. EOFError where nobody answers."""
    while True:
        answer = ask(f"{question}{f' [{default}]' if default else ''}: ").strip() or default
        if not (problem := refusal(answer)):
            return answer
        print(problem)


def _refusal_of_host(answer: str) -> str:
    is_host = HOST.fullmatch(answer.lower().rstrip("."))
    return "" if is_host else "Enter a host name such as games.example.org, without https://."


def _refusal_of_sender(answer: str) -> str:
    found = SENDER.fullmatch(answer)
    domain = found["domain"].lower() if found else ""
    if not HOST.fullmatch(domain) or providers.is_local(domain):
        return "Enter an address, as in Atlantis by Mail <games@games.example.org>."
    if providers.is_freemail(domain):
        return (
            f"{domain} lets only its own servers send for it: enter an address at your own domain."
        )
    return ""


def _refusal_of_selector(answer: str) -> str:
    return "" if SELECTOR.fullmatch(answer.lower()) else "Enter the part before ._domainkey alone."


def _refusal_of_choice(answer: str) -> str:
    return "" if answer.lower() in ("yes", "no") else "Enter yes or no."


def _to_enter(values: dict[str, str], host: str, url: str, secret: str, keys: str) -> list[str]:
    """The lines of what is to be entered. keys: INBOUND_SETTINGS."""
    provider = providers.provider_of(url)
    takes_replies = provider in providers.PROVIDERS and providers.PROVIDERS[provider].replies
    sender = values["MAIL_FROM"].rpartition("<")[2].rstrip("> ")
    domain = sender.rpartition("@")[2]
    selector = values.get("DKIM_SELECTOR") or "<selector>"
    permitted = providers.spf_term(provider, urlsplit(url).hostname or "", host)
    other, shown = "", f"{provider} shows it for DKIM"
    if not provider:
        other = " If your mail host shows another term, take that."
        shown = "your mail host shows it for DKIM, or `manage.py make_dkim_key` if it does not sign"
    found = [
        "At your DNS:",
        f"    {host}. IN A <the address of this machine>",
        f'    {domain}. IN TXT "v=spf1 {permitted} -all"',
        f"        If it has a record with v=spf1, add {permitted} to that one instead.{other}",
        f"    {selector}._domainkey.{domain}. IN <TXT or CNAME, as {shown}>",
        f'    _dmarc.{domain}. IN TXT "v=DMARC1; p=none"',
        f"    {domain}. IN MX <the server of a mailbox that you read: people write to {sender}>",
    ]
    reply = values.get("MAIL_REPLY_DOMAIN", "")
    if reply and takes_replies:
        servers = providers.mx_values(provider, providers.api_url_of(url))
        found += [f"    {reply}. IN MX {value}" for value in servers]
    if provider in providers.PROVIDERS and providers.PROVIDERS[provider].webhooks:
        start = f"https://{secret}@{host}/anymail/"
        found.append(f"At {provider}, as webhooks:")
        found.append(f"    for bounces and complaints: {start}{provider}/tracking/")
        if reply and takes_replies:
            path = providers.PROVIDERS[provider].inbound or f"{provider}/inbound/"
            found.append(f"    for email to {reply}: {start}{path}")
            found.append(f"    It has to hand over the raw email: {BELIEVED}.")
        given = re.findall(r"(\w+)=[^,]", keys)
        missing = providers.missing_keys(provider, given, replies=bool(reply))
        if missing:
            found.append(f"From {provider}, into the file secrets/inbound_settings, as one line:")
            found.append("    " + ",".join(f"{key}=<its value>" for key in missing))
    if not takes_replies and not reply:
        found.append(
            f"{provider} does not hand over raw email. {OWN_REPLIES}" if provider else OWN_REPLIES
        )
    return found


def start(folder: Path) -> int:
    """Start the service and check it; return the exit status."""
    if shutil.which("docker") is None:
        print("Docker is not installed here: run this again where it is.")
        return 1
    compose = ["docker", "compose"]
    version = subprocess.run(
        [*compose, "version"], capture_output=True, timeout=CHECK_SECONDS, check=False
    )
    if version.returncode:
        print(
            "Docker has no `docker compose` here: install the package docker-compose-v2 (on Debian, "
            "docker-compose), and run this again."
        )
        return 1
    check = [*compose, "exec", "-T", "web", "python", "manage.py", "check_site"]
    for command, seconds in (
        ([*compose, "up", "--detach", "--wait"], START_SECONDS),
        (check, CHECK_SECONDS),
    ):
        done = subprocess.run(command, cwd=folder, timeout=seconds, check=False)
        if done.returncode:
            return done.returncode
    return 0


def secrets_alone() -> int:
    """Write the secrets and nothing else; return 0, or 1 with a message."""
    folder = ROOT / "secrets"
    try:
        made = make_secrets(folder)
    except OSError as error:
        print(f"The secrets cannot be written: {error}", file=sys.stderr)
        return 1
    print(f"{folder}: " + (f"made {', '.join(made)}." if made else "nothing was missing."))
    return 0


def main() -> int:
    """Return 0 if all is well."""
    try:
        for line in configure(ROOT):
            print(line)
    except (OSError, EOFError, KeyboardInterrupt) as error:
        print(f"The installation was not finished: {str(error) or 'no answer'}", file=sys.stderr)
        return 1
    print("Copy the folder secrets/ and .env to a safe place.")
    return start(ROOT)


if __name__ == "__main__":
    sys.exit(secrets_alone() if sys.argv[1:] == ["secrets"] else main())
