"""Large bodies: a provider's webhook takes them, and strangers cannot take their place."""

import asyncio
import base64

import pytest

from atlantis_site.front import Limits
from atlantis_site.refusals import LargeBodies, RequestRefused
from tests.support.fronts import Stage, status_of, with_front
from tests.support.processes import PATIENCE

SECRET = "postmark:open-sesame"
WEBHOOK = "/anymail/postmark/inbound/"
RIGHT = f"Basic {base64.b64encode(SECRET.encode()).decode()}"
WRONG = f"Basic {base64.b64encode(b'postmark:guess').decode()}"


def head(
    path: str = WEBHOOK, authorization: str = RIGHT, *, size: int = 900, network: str = ""
) -> bytes:
    """The head of a request; size 0 stands for a body in chunks."""
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: games",
        *([f"Authorization: {authorization}"] if authorization else []),
        *([f"X-Forwarded-For: {network}"] if network else []),
        f"Content-Length: {size}" if size else "Transfer-Encoding: chunked",
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def limits() -> Limits:
    return Limits(small_body_bytes=100, body_bytes=1000)


def room(**more: float | bool) -> LargeBodies:
    """Room for two bodies of 900 bytes, one of them from each network."""
    wide: dict[str, float | bool] = {"room": 1800, "network_room": 1000, "seconds": PATIENCE}
    return LargeBodies([SECRET, "other:secret"], **{**wide, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [900, 0])
@pytest.mark.parametrize(
    ("path", "authorization"),
    [
        ("/g/table/move", RIGHT),
        ("/anymail", RIGHT),
        (WEBHOOK, ""),
        (WEBHOOK, WRONG),
        (WEBHOOK, RIGHT.replace("Basic", "Bearer")),
        (WEBHOOK, "Basic §"),
        (WEBHOOK, "Basic "),
    ],
)
def test_a_large_body_is_refused_unless_a_provider_sends_it_to_a_webhook(
    path: str, authorization: str, size: int
) -> None:
    request = head(path, authorization.encode().decode("latin-1"), size=size)
    beginning = b"" if size else b"c8\r\n" + b"x" * 200 + b"\r\n"

    async def scene(stage: Stage) -> None:
        assert status_of(await stage.ask(request + beginning)) == 413
        assert stage.requests == []

    with_front(scene, limits=limits(), large=room())


@pytest.mark.parametrize("kind", ["Basic", "basic"])
@pytest.mark.parametrize("secret", [SECRET, "other:secret"])
def test_a_large_body_with_a_secret_reaches_the_webhook(secret: str, kind: str) -> None:
    authorization = f"{kind} {base64.b64encode(secret.encode()).decode()}"

    async def scene(stage: Stage) -> None:
        assert status_of(await stage.ask(head(WEBHOOK, authorization) + b"x" * 900)) == 200
        chunks = b"384\r\n" + b"x" * 900 + b"\r\n0\r\n\r\n"
        assert status_of(await stage.ask(head(WEBHOOK, authorization, size=0) + chunks)) == 200
        assert [request.count(b"x" * 900) for request in stage.requests] == [1, 1]

    with_front(scene, limits=limits(), large=room())


def test_without_a_secret_in_the_settings_no_body_may_be_large() -> None:
    async def scene(stage: Stage) -> None:
        for authorization in ("", "Basic ", RIGHT):
            assert status_of(await stage.ask(head(WEBHOOK, authorization))) == 413

    with_front(scene, limits=limits(), large=LargeBodies())


def test_a_body_larger_than_any_email_is_refused_with_what_to_do() -> None:
    async def scene(stage: Stage) -> None:
        answer = await stage.ask(head(size=1001))
        assert status_of(answer) == 413
        assert b"without attachments" in answer

    with_front(scene, limits=limits(), large=room())


def test_amazon_is_asked_for_the_secret_which_it_does_not_send_at_first() -> None:
    path = "/anymail/amazon_ses/inbound/"

    async def scene(stage: Stage) -> None:
        asked = await stage.ask(head(path, ""))
        assert (status_of(asked), b"\r\nWWW-Authenticate: Basic " in asked) == (401, True)
        assert status_of(await stage.ask(head(path, WRONG))) == 413
        assert status_of(await stage.ask(head(path) + b"x" * 900)) == 200

    with_front(scene, limits=limits(), large=room())


def test_strangers_who_announce_large_bodies_keep_no_provider_out() -> None:
    async def scene(stage: Stage) -> None:
        strangers = [await stage.connect(head(path, "")) for path in ("/nothing", WEBHOOK) * 3]
        assert status_of(await stage.ask(head() + b"x" * 900)) == 200
        for _reader, writer in strangers:
            writer.close()

    with_front(scene, limits=limits(), large=room())


def test_one_network_cannot_take_all_the_room() -> None:
    """Three slow bodies from one address, all with the secret; the proxy adds a second field."""
    slow, other = "203.0.113.9\r\nX-Forwarded-For: 192.0.2.1", "192.0.2.1, 198.51.100.7"

    async def scene(stage: Stage) -> None:
        three = [await stage.connect(head(network=slow)) for _connection in range(3)]
        await stage.until(lambda: len(stage.front._receiving) == 3)
        assert status_of(await stage.ask(head(network=other) + b"x" * 900)) == 200
        for _reader, writer in three:
            writer.close()

    with_front(scene, limits=limits(), large=room(trust_proxy=True))


def test_all_networks_together_take_no_more_than_the_room() -> None:
    async def scene() -> None:
        large = room(seconds=0.01)
        await large.reserve("192.0.2.1", "", 900)
        await large.reserve("192.0.2.2", "", 900)
        with pytest.raises(RequestRefused):
            await large.reserve("192.0.2.3", "", 900)

    asyncio.run(scene())


def test_a_large_body_waits_until_there_is_room() -> None:
    async def scene(stage: Stage) -> None:
        _reader, first = await stage.connect(head())
        await stage.until(lambda: len(stage.front._receiving) == 1)
        reader, second = await stage.connect(head() + b"y" * 900)
        await stage.until(lambda: len(stage.front._receiving) == 2)
        assert stage.requests == []
        small = head(size=4) + b"line"
        assert status_of(await stage.ask(small)) == 200
        first.close()  # it has sent nothing
        assert (await reader.read()).endswith(b"ok")
        second.close()

    with_front(scene, limits=limits(), large=room())


def test_a_large_body_does_not_wait_for_ever() -> None:
    async def scene(stage: Stage) -> None:
        _reader, first = await stage.connect(head())
        await stage.until(lambda: len(stage.front._receiving) == 1)
        assert status_of(await stage.ask(head() + b"x" * 900)) == 503
        first.close()

    with_front(scene, limits=limits(), large=room(seconds=0.1))
