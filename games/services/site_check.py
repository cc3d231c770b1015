"""Whether people get pages: the workers request one from the web tier, as a reader would."""

import logging
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from django.conf import settings

from games.mail.call_within import call_within

logger = logging.getLogger(__name__)

PATH = "/healthz/pages"  # needs a free process of the web tier, and its database
SECONDS = 5.0


def site_answers() -> bool:
    """Whether the web tier at SITE_CHECK_URL serves pages; True without that setting.

    It does not if there is no answer within SECONDS or a status of 500 or more. Any other status,
    such as 404 from an older version, comes from a web tier that works. Redirects are not followed.
    """
    if not settings.SITE_CHECK_URL:
        return True
    try:
        status = call_within(SECONDS, _status)
    except (OSError, HTTPException) as error:
        logger.warning("The site does not answer at SITE_CHECK_URL: %r", error)
        return False
    if status != 200:
        logger.warning("The site answers %s at SITE_CHECK_URL.", status)
    return status < 500


def _status() -> int:
    parts = urlsplit(settings.SITE_CHECK_URL)
    connect = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = connect(parts.hostname or "", parts.port, timeout=SECONDS)
    try:
        # ALLOWED_HOSTS has the name of the site, not that of a container or machine.
        connection.request("GET", PATH, headers={"Host": urlsplit(settings.SITE_URL).netloc})
        return connection.getresponse().status
    finally:
        connection.close()
