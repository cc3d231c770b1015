"""Variables of the environment. NAME_FILE names a file that holds NAME: a secret of a container,
say."""

from urllib.parse import quote, urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured
from environ.fileaware_mapping import FileAwareMapping


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
    """Reads Variables."""

    ENVIRON = Variables()

    def numbers(self, name: str) -> dict[str, int]:
        """The whole numbers of `NAME=key=5,other=7`; ImproperlyConfigured for anything else."""
        try:
            return {key: int(text) for key, text in self.dict(name, default={}).items()}
        except ValueError:
            raise ImproperlyConfigured(f"{name} must look like this: name=5,other=7") from None

    def http_url(self, name: str) -> str:
        """An http or https URL, "" without one; ImproperlyConfigured for anything else."""
        url: str = self.str(name, default="")
        if url and not url.startswith(("http://", "https://")):
            raise ImproperlyConfigured(f"{name} must begin with https:// or http://.")
        return url

    def http_server(self, name: str) -> str:
        """An `http_url` of a host, with or without a port, and nothing else."""
        url = self.http_url(name)
        try:
            parts = urlsplit(url)
            is_right = bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_right = False
        if url and not (is_right and url == f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"):
            raise ImproperlyConfigured(f"{name} must look like this: http://10.0.0.1:8000")
        return url


def with_password(url: str, password: str) -> str:
    """The URL with this password; unchanged if that is empty."""
    if not password:
        return url
    parts = urlsplit(url)
    user, _at, host = parts.netloc.rpartition("@")
    login = f"{user.partition(':')[0]}:{quote(password, safe='')}"
    return parts._replace(netloc=f"{login}@{host}").geturl()
