"""The filters of the admin's lists do not reveal hidden fields.

Django's lists filter by any field that the URL names. From the number of rows, a moderator could
guess a hidden one letter by letter, for no reason and without a trace.
"""

import pytest
from django.http import HttpRequest
from django.urls import reverse

from games.models import OutboxMail, User
from games.moderation.admin_site import moderation_site
from tests.factories import table_of
from tests.support.moderators import moderating
from tests.support.replies import UNCLEAR_LINE, unclear_reply

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("guess", [UNCLEAR_LINE[:1], "Z"])
def test_the_line_of_a_reply_cannot_be_guessed(
    alice: User, bob: User, mona: User, guess: str
) -> None:
    unclear_reply(table_of(alice, bob), alice)
    url = reverse("admin:games_inboundmail_changelist")
    assert moderating(mona).get(url, {"line__startswith": guess}).status_code == 400


@pytest.mark.parametrize("guess", ["1", "2"])
def test_a_sign_in_code_that_waits_for_the_mail_server_cannot_be_guessed(
    mona: User, guess: str
) -> None:
    OutboxMail.objects.create(
        kind="account", to_address="root@example.org", dedupe_key="x", context={"code": "123456"}
    )
    url = reverse("admin:games_outboxmail_changelist")
    assert moderating(mona).get(url, {"context__code__startswith": guess}).status_code == 400


def test_no_list_is_filtered_by_a_field_that_its_filters_do_not_offer() -> None:
    for admin in moderation_site._registry.values():
        offered = {each[0] if isinstance(each, tuple) else each for each in admin.list_filter}
        offered |= {getattr(each, "parameter_name", each) for each in offered}
        for name in {field.name for field in admin.opts.get_fields()} - offered:
            for lookup in (name, f"{name}__isnull", f"{name}__startswith"):
                assert not admin.lookup_allowed(lookup, "x", HttpRequest()), lookup
