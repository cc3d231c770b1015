"""Requests for sign-in codes: does the time distinguish addresses with an account from others?"""

import http.client
import random
import re
import time
from urllib.parse import urlencode, urlsplit

from allauth.account.models import EmailAddress
from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from atlantis_site.supervisor.stack import ServiceStack
from games.models import User
from games.services import quotas

from .moves import wait_for_web
from .report import Table, median, ms, progress
from .web import percentile

ENOUGH = 10**6  # for all limits on codes, which would withhold them


def bench(stack: ServiceStack, pairs: int) -> Table:
    """One request for each of `pairs` addresses with an account and as many without, in random
    order."""
    known = [f"known{number}@example.org" for number in range(pairs)]
    unknown = [f"other{number}@example.org" for number in range(pairs)]
    for address in known:
        user = User.objects.create_user(address, display_name="K", last_login=timezone.now())
        EmailAddress.objects.create(user=user, email=address, primary=True, verified=True)
    limits = (*quotas.SIGN_IN_CODES.quotas, *quotas.SIGN_UPS.quotas)
    web = stack.parts["web"]
    web.env = {
        **(web.env or {}),
        "QUOTAS": ",".join(f"{quota.name}={ENOUGH}" for quota in limits),
    }
    progress("codes for addresses with an account and without")
    stack.start("web")
    wait_for_web()
    cookie, token = form()
    ask(cookie, token, "first@example.org")
    order = [(address, address in set(known)) for address in (*known, *unknown)]
    random.Random(1).shuffle(order)
    took: dict[bool, list[float]] = {True: [], False: []}
    for address, has_account in order:
        took[has_account].append(ask(cookie, token, address))
    web.stop()
    table = Table(
        "Requests for a sign-in code",
        ("addresses", "requests", "median", "95th percentile", "slower than one of the others"),
    )
    for has_account, name in ((True, "with an account"), (False, "without")):
        share = slower(took[has_account], took[not has_account])
        times = sorted(took[has_account])
        table.add(
            name, str(len(times)), ms(median(times)), ms(percentile(times)), f"{share:.1%} of pairs"
        )
    return table


def slower(ones: list[float], others: list[float]) -> float:
    """The share of pairs in which the one took longer than the other; 0.5 means nothing."""
    return sum(one > other for one in ones for other in others) / (len(ones) * len(others))


def form() -> tuple[str, str]:
    """(cookie, token) against forged requests, from the sign-in page."""
    server = http.client.HTTPConnection("127.0.0.1", urlsplit(settings.SITE_URL).port, timeout=30)
    server.request("GET", reverse("account_login"))
    answer = server.getresponse()
    page, cookie = answer.read().decode(), (answer.headers["Set-Cookie"] or "").partition(";")[0]
    server.close()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token is not None
    return cookie, token[1]


def ask(cookie: str, token: str, address: str) -> float:
    """Request a code as a new visitor; the seconds until the answer."""
    body = urlencode({"csrfmiddlewaretoken": token, "login": address})
    headers = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
    headers["Origin"] = settings.SITE_URL
    server = http.client.HTTPConnection("127.0.0.1", urlsplit(settings.SITE_URL).port, timeout=30)
    start = time.perf_counter()
    server.request("POST", reverse("account_login"), body, headers)
    answer = server.getresponse()
    answer.read()
    took = time.perf_counter() - start
    server.close()
    if answer.status != 302:
        raise SystemExit(f"{address}: status {answer.status}")
    return took
