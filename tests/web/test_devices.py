"""Devices are named as their owners call them."""

import pytest

from games.templatetags.games import device_name

MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko)"
PHONE = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko)"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15"
WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)"


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (f"{MAC} Chrome/142.0.0.0 Safari/537.36", "Chrome on macOS"),
        (f"{MAC} Version/26.0 Safari/605.1.15", "Safari on macOS"),
        (f"{PHONE} Chrome/142.0.0.0 Mobile Safari/537.36", "Chrome on Android"),
        (
            f"{PHONE} SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36",
            "Samsung Internet on Android",
        ),
        (f"{IPHONE} Version/26.0 Mobile/15E148 Safari/604.1", "Safari on iPhone"),
        (f"{IPHONE} CriOS/142.0.0.0 Mobile/15E148 Safari/604.1", "Chrome on iPhone"),
        (
            f"{WINDOWS} AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
            "Edge on Windows",
        ),
        (f"{WINDOWS[:-1]}; rv:145.0) Gecko/20100101 Firefox/145.0", "Firefox on Windows"),
        (
            "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
            "Firefox on Linux",
        ),
        ("curl/8.17.0", "curl/8.17.0"),
        ("x" * 200, "x" * 89 + "…"),
        ("", "Unknown browser"),
    ],
)
def test_a_device_has_the_name_of_its_browser_and_system(user_agent: str, name: str) -> None:
    assert device_name(user_agent) == name
