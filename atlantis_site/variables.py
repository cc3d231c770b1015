"""Variables of the environment. NAME_FILE names a file that holds NAME: a secret of a container,
say."""

import ipaddress
from collections.abc import Collection
from urllib.parse import quote, urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured
from environ.fileaware_mapping import FileAwareMapping

YES, NO = ("1", "true", "yes", "y", "on"), ("0", "false", "no", "n", "off", "")


class Variables(FileAwareMapping):  # type: ignore[misc]  # environ has no types
    """As os.environ; a line break at the end of a file is not part of the value."""

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

    def numbers(self, name: str) -> dict[str, int]:
        """The whole numbers of `NAME=key=5,other=7`."""
        try:
            return {key: int(text) for key, text in self.dict(name, default={}).items()}
        except ValueError:
            raise ImproperlyConfigured(f"{name} must look like this: name=5,other=7") from None

    def http_url(self, name: str) -> str:
        """An http or https URL, "" without one."""
        url: str = self.str(name, default="")
        if url and not url.startswith(("http://", "https://")):
            raise ImproperlyConfigured(f"{name} must begin with https:// or http://.")
        return url

    def http_server(self, name: str) -> str:
        """An `http_url` of a host, with or without a port, and nothing else but a final slash,
        which is removed."""
        url = self.http_url(name).removesuffix("/")
        try:
            parts = urlsplit(url)
            is_right = bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_right = False
        if url and not (is_right and url == f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"):
            raise ImproperlyConfigured(
                f"{name} must be a scheme and a host alone, with or without a port, "
                "such as https://games.example.org or http://10.0.0.1:8000"
            )
        return url


def with_password(url: str, password: str) -> str:
    """The URL with this password; unchanged if that is empty."""
    if not password:
        return url
    parts = urlsplit(url)
    user, _at, host = parts.netloc.rpartition("@")
    login = f"{user.partition(':')[0]}:{quote(password, safe='')}"
    return parts._replace(netloc=f"{login}@{host}").geturl()
