"""Pages are sent as Brotli to browsers that take it, and say nothing of how well they compress."""

import gzip
import re
from collections.abc import Callable

import brotli
import pytest
from django.http import HttpResponse
from django.middleware.gzip import GZipMiddleware
from django.test import Client, RequestFactory

from games.models import User
from games.web.middleware import MOST_PADDING, padded
from tests.factories import table_of
from tests.support.pages import signed_in, url

SENTENCES = b"<p>Atlantis is sinking, and you have days to think.</p>" * 40


def test_what_is_padded_is_the_same_text() -> None:
    for size in (1, 200, 70_000):
        assert brotli.decompress(padded(SENTENCES[:size])) == SENTENCES[:size]


def zipped(content: bytes) -> bytes:
    """As browsers without Brotli get it."""
    request = RequestFactory().get("/", headers={"Accept-Encoding": "gzip"})
    answer = GZipMiddleware(lambda _request: HttpResponse(content))(request)
    assert isinstance(answer, HttpResponse)
    assert gzip.decompress(answer.content) == content
    return answer.content


@pytest.mark.parametrize("compress", [padded, zipped])
def test_the_length_says_nothing(compress: Callable[[bytes], bytes]) -> None:
    sizes = {len(compress(SENTENCES)) for _time in range(400)}
    assert len(sizes) > MOST_PADDING * 0.8
    assert max(sizes) - min(sizes) <= MOST_PADDING


@pytest.mark.django_db
def test_the_token_against_forged_requests_looks_different_each_time() -> None:
    client = Client()
    pages = (client.get("/accounts/login/").content.decode() for _time in range(2))
    first, second = (re.findall(r'name="csrfmiddlewaretoken"\s+value="(\w+)"', p) for p in pages)
    assert first
    assert not {*first} & {*second}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("taken", "sent"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip, br;q=0", "gzip"),
        ("br;q=0.5, gzip", "br"),
        ("gzip", "gzip"),
        ("", None),
    ],
)
def test_a_browser_gets_what_it_takes(alice: User, bob: User, taken: str, sent: str | None) -> None:
    path = url(table_of(alice, bob))
    client = signed_in(alice)
    plain = client.get(path)
    page = client.get(path, headers={"Accept-Encoding": taken})
    assert page.headers.get("Content-Encoding") == sent
    assert "Accept-Encoding" in page["Vary"]
    if sent == "br":
        assert len(page.content) < len(plain.content) / 4
        assert b"</html>" in brotli.decompress(page.content)


@pytest.mark.django_db
def test_short_answers_stay_as_they_are() -> None:
    answer = Client().get("/healthz", headers={"Accept-Encoding": "br"})
    assert "Content-Encoding" not in answer.headers
