"""Pages of rows in the admin, for superusers and for moderators: axe finds nothing.

axe reads the style sheets that others import by copying them into the page, which the policy of the
site forbids. It looks at these pages in a window without a policy; another window has the policy,
and nothing of the page breaks it. Nothing of Django's own markup had to be left out.
"""

from collections.abc import Iterator
from contextlib import suppress

import pytest
from django.apps import apps
from django.contrib.admin.utils import quote
from django.contrib.auth.models import Permission
from django.urls import NoReverseMatch, reverse

from games import services
from games.models import MailTransport, User
from games.moderation.admin_site import moderation_site
from tests.browser.audits import check
from tests.factories import person, play_one, play_turns, table_of
from tests.support.lengths import by_length
from tests.support.moderators import moderating
from tests.support.replies import unclear_reply

from .expectations import expect
from .people import Enter


@pytest.fixture
def rows(alice: User, bob: User, mona: User) -> None:
    """A row of each model that the admin shows."""
    game = play_turns(table_of(alice, bob), 3)
    unclear_reply(game, alice)
    play_one(game, note="Hello")
    services.moderate_extend(game_id=game.pk, days=2, ruling=services.Ruling(mona, "A storm"))
    warning = services.moderate_warn(
        user=bob, ruling=services.Ruling(person("Max", is_staff=True), "Insults")
    )
    services.appeal_make(decision_id=warning.pk, text="I quoted Alice.")
    waiting = table_of(alice, seats=3)
    services.game_invite(game_id=waiting.pk, by=alice, address="zoe@example.net")
    services.circle_create(founder=alice, name="Sunday table")
    services.name_report(user=bob, person=alice, text="It is rude.")
    MailTransport.objects.get_or_create(name=MailTransport.ALL)


def form_pages(user: User) -> Iterator[str]:
    """The pages to change the first row of each model, or to act on it."""
    client = moderating(user)
    for model in apps.get_models():
        if not moderation_site.is_registered(model):
            continue
        row = model._default_manager.order_by("pk").first()
        assert row is not None, f"no row of {model.__name__}"
        name = f"admin:games_{model._meta.model_name}"
        assert client.get(reverse(f"{name}_add")).status_code == 403, "rows are never added here"
        yield reverse(f"{name}_change", args=[quote(row.pk)])
        with suppress(NoReverseMatch):
            path = reverse(f"{name}_act", args=[row.pk, "delete"])
            if client.get(path).status_code == 200:
                yield path


@pytest.mark.long
@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("superuser", by_length([True], [True, False]))
def test_pages_of_rows_in_the_admin(enter: Enter, mona: User, superuser: bool) -> None:
    """With a form that is refused. In the short form, the pages of one user for superusers."""
    mona.is_superuser = superuser
    mona.save()
    names = ("view_user", "change_user", "delete_user")
    mona.user_permissions.set(Permission.objects.filter(codename__in=names))
    paths = list(form_pages(mona))
    assert sum(path.endswith("/delete/") for path in paths) > 1
    bound, free = enter(mona), enter(mona, bypass_csp=True)
    alice = User.objects.get(display_name="Alice")
    conduct = reverse("admin:games_user_conduct", args=[alice.pk])
    users = [path for path in paths if "/user/" in path]
    for path in [*by_length(users, paths), conduct]:
        assert bound.goto(path)
        free.goto(path)
        check(free)
    # The last page is the one that is filled in now, without a reason: check() opened its forms.
    free.get_by_role("button", name="Sign out of all devices").click()
    expect(free.locator(".errorlist")).to_be_visible()
    check(free)
