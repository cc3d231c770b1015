"""Every URL of the site, with samples in place of its parameters."""

import re
from collections.abc import Iterator, Mapping

from django.urls import URLPattern, URLResolver, get_resolver


def every_url(samples: Mapping[str, str]) -> list[str]:
    """The paths of all routes. samples: parameter → value; other parameters become "1"."""
    return [filled(route, samples) for route in _routes(get_resolver())]


def _routes(resolver: URLResolver, prefix: str = "") -> Iterator[str]:
    for pattern in resolver.url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route
        else:
            yield from _routes(pattern, route)


def filled(route: str, samples: Mapping[str, str]) -> str:
    """A path that the route matches; of a regular expression, the shortest one written as text."""
    path = re.sub(r"<(?:\w+:)?(\w+)>(?!\[|\.)", lambda m: samples.get(m[1], "1"), route)
    path = re.sub(r"\(\?P<(\w+)>[^)]*\)", lambda m: samples.get(m[1], "1"), path)
    path = re.sub(r"\(\?:([^|)]*)[^)]*\)|\(\w+\)\?|[\^$?]", lambda m: m[1] or "", path)
    return f"/{path}"
