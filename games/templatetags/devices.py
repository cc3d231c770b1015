"""Names of signed-in devices that their owners recognise."""

from django import template
from django.utils.text import Truncator
from django.utils.translation import gettext as _

register = template.Library()

# Searched in this order: most browsers also name those with which they are compatible.
BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser/": "Samsung Internet",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "Chrome/": "Chrome",
    "CriOS/": "Chrome",
    "Safari/": "Safari",
}
SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}
LENGTH = 90  # characters of what is not understood


@register.filter
def device_name(user_agent: str) -> str:
    """The browser and its system, or the header `User-Agent` itself if it is of another kind."""
    browser = next((name for mark, name in BROWSERS.items() if mark in user_agent), None)
    system = next((name for mark, name in SYSTEMS.items() if mark in user_agent), None)
    if browser is None or system is None:
        return Truncator(user_agent).chars(LENGTH) or _("Unknown browser")
    return _("%(browser)s on %(system)s") % {"browser": browser, "system": system}
