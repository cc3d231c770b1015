"""Variables of the environment. NAME_FILE names a file that holds NAME: a secret of a container,
say."""

import ipaddress
import re
from collections.abc import Collection
from urllib.parse import quote, urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured
from environ.fileaware_mapping import FileAwareMapping

from .metrics_server import parse_bind
from .plain_variables import NO, YES

# A name or an IPv4 address.
_LABEL = "[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?"
HOST = re.compile(rf"{_LABEL}(\.{_LABEL})*")


class Variables(FileAwareMapping):  # type: ignore[misc]  # environ has no types
    """Like os.environ. A line break at the end of a file is not part of the value."""

    def __getitem__(self, key: str) -> str:
        if not self.env.get(f"{key}_FILE"):
            return str(self.env[key])
        try:
            return str(super().__getitem__(key)).rstrip("\r\n")
        except (OSError, ValueError) as error:
            raise ImproperlyConfigured(f"{key}_FILE cannot be read: {error}") from None


class Env(environ.Env):  # type: ignore[misc]  # environ has no types
    """Reads Variables. The methods below raise ImproperlyConfigured, with the name of the variable,
    for a value that is wrong; an empty one counts as not set."""

    ENVIRON = Variables()

    def text(self, name: str, *, default: str) -> str:
        """Any text; `default` if it is empty or not set."""
        return self.str(name, default="") or default

    def switch(self, name: str) -> bool:
        """1 or 0, or a word for one of them; off if it is not set."""
        text = self.str(name, default="").strip().lower()
        if text not in (*YES, *NO):
            raise ImproperlyConfigured(f"{name} is {text!r}: it must be 1 or 0.")
        return text in YES

    def whole_number(self, name: str, *, default: int, at_least: int = 0) -> int:
        """A whole number that is not smaller than `at_least`."""
        text = self.str(name, default="").strip() or str(default)
        try:
            number = int(text)
        except ValueError:
            number = at_least - 1
        if number < at_least:
            raise ImproperlyConfigured(
                f"{name} is {text!r}: it must be a whole number, at least {at_least}."
            )
        return number

    def seconds(self, name: str, *, default: float) -> float:
        """A number of seconds, with or without a fraction, greater than 0."""
        text = self.str(name, default="").strip() or str(default)
        try:
            number = float(text)
        except ValueError:
            number = 0.0
        if not 0 < number < float("inf"):
            raise ImproperlyConfigured(f"{name} is {text!r}: it must be a number greater than 0.")
        return number

    def choice(self, name: str, known: Collection[str], *, default: str) -> str:
        """One of the words in `known`."""
        text = self.text(name, default=default)
        if text not in known:
            raise ImproperlyConfigured(f"{name} must be one of: {', '.join(known)}.")
        return text

    def networks(self, name: str, *, default: list[str]) -> list[str]:
        """Addresses and networks in CIDR notation, separated by commas."""
        found: list[str] = self.list(name, default=[]) or default
        for network in found:
            try:
                ipaddress.ip_network(network, strict=False)
            except ValueError:
                raise ImproperlyConfigured(
                    f"{name}: {network!r} must look like this: 127.0.0.0/8,192.168.1.5"
                ) from None
        return found

    def pairs(self, name: str) -> dict[str, str]:
        """The pairs of `NAME=key=value,other=value`."""
        try:
            return dict(self.dict(name, default={}))
        except ValueError:
            raise ImproperlyConfigured(f"{name} must look like this: name=x,other=y") from None

    def numbers(self, name: str, *, at_least: int = 0) -> dict[str, int]:
        """The whole numbers of `NAME=key=5,other=7`, none of them smaller than `at_least`."""
        try:
            found = {key: int(text) for key, text in self.dict(name, default={}).items()}
        except ValueError:
            raise ImproperlyConfigured(f"{name} must look like this: name=5,other=7") from None
        for key, number in found.items():
            if number < at_least:
                raise ImproperlyConfigured(
                    f"{name}: {key}={number} is too small, {key} must be at least {at_least}."
                )
        return found

    def host(self, name: str) -> str:
        """The name of a host, in lower case; "" without one."""
        text: str = self.str(name, default="").strip().lower().rstrip(".")
        if text and not HOST.fullmatch(text):
            raise ImproperlyConfigured(
                f"{name} is {text!r}: it must be the name of a host alone, such as "
                "games.example.org."
            )
        return text

    def hosts(self, name: str) -> list[str]:
        """Names of hosts, separated by commas; one that begins with a dot stands for those below
        it."""
        found = [text.strip().lower() for text in self.list(name, default=[])]
        for text in found:
            if not HOST.fullmatch(text.removeprefix(".")):
                raise ImproperlyConfigured(
                    f"{name}: {text!r} is not the name of a host. Write push.example.org, or "
                    ".example.org for all hosts below it, and a comma between two."
                )
        return found

    def bind(self, name: str) -> tuple[str, int] | None:
        """Return host and port of `NAME=host:port`, None without a value."""
        try:
            return parse_bind(self.str(name, default=""))
        except ValueError as error:
            raise ImproperlyConfigured(f"{name}: {error}") from None

    def http_url(self, name: str) -> str:
        """An http or https URL, "" without one."""
        url: str = self.str(name, default="")
        if url and not url.startswith(("http://", "https://")):
            raise ImproperlyConfigured(f"{name} must begin with https:// or http://.")
        if url and not has_valid_host(url):
            raise ImproperlyConfigured(f"{name} must name a host: https://host/path")
        return url

    def http_server(self, name: str) -> str:
        """An `http_url` of a host, with or without a port, and nothing else but a final slash,
        which is removed."""
        url = self.http_url(name).removesuffix("/")
        parts = urlsplit(url)
        if url and url != f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}":
            raise ImproperlyConfigured(
                f"{name} must be a scheme and a host alone, with or without a port, "
                "such as https://games.example.org or http://10.0.0.1:8000"
            )
        return url


def has_valid_host(url: str) -> bool:
    """Return whether a URL names a host, and its port is a number if it has one."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def with_password(url: str, password: str) -> str:
    """The URL with this password; unchanged if that is empty."""
    if not password:
        return url
    parts = urlsplit(url)
    user, _at, host = parts.netloc.rpartition("@")
    login = f"{user.partition(':')[0]}:{quote(password, safe='')}"
    return parts._replace(netloc=f"{login}@{host}").geturl()
