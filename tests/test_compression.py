"""Pages are sent as Brotli to browsers that take it, and say nothing of how well they compress."""

import brotli
import pytest
from django.test import Client

from games.models import User
from games.web.compression import MOST_PADDING, padded
from tests.factories import table_of
from tests.test_game_page import url
from tests.test_views import signed_in

SENTENCES = b"<p>Atlantis is sinking, and you have days to think.</p>" * 40


def test_what_is_padded_is_the_same_text() -> None:
    for size in (1, 200, 70_000):
        assert brotli.decompress(padded(SENTENCES[:size])) == SENTENCES[:size]


def test_the_length_says_nothing() -> None:
    sizes = {len(padded(SENTENCES)) for _time in range(400)}
    assert len(sizes) > MOST_PADDING * 0.8
    assert max(sizes) - min(sizes) < MOST_PADDING


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
