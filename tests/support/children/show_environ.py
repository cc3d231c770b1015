"""A WSGI application that answers with what the server made of the request, as JSON."""

import json
from collections.abc import Callable, Iterable
from typing import Any


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    shown = {name: value for name, value in environ.items() if isinstance(value, str)}
    shown["body"] = environ["wsgi.input"].read().decode()
    answer = json.dumps(shown).encode()
    start_response("200 OK", [("Content-Length", str(len(answer)))])
    return [answer]
