"""The rights of moderators, administrators and superusers, and what remains of them."""

import pytest
from django.contrib.auth.models import Permission

from games.models import User
from games.services import NotAllowed
from games.services.moderators import (
    Role,
    appoint,
    has_more_rights,
    has_right,
    require_no_more_rights,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def administrator(mona: User) -> User:
    appoint(mona, Role.ADMINISTRATOR)
    return User.objects.get(pk=mona.pk)


@pytest.fixture
def superuser(bob: User) -> User:
    appoint(bob, Role.ADMINISTRATOR)
    User.objects.filter(pk=bob.pk).update(is_superuser=True)
    return User.objects.get(pk=bob.pk)


def test_an_administrator_does_not_act_on_a_superuser(administrator: User, superuser: User) -> None:
    assert has_more_rights(superuser, administrator)
    assert not has_more_rights(administrator, superuser)
    with pytest.raises(NotAllowed, match="rights that you do not have"):
        require_no_more_rights(superuser, administrator)


def test_permissions_are_worth_nothing_outside_the_staff(administrator: User) -> None:
    assert has_right(administrator, "view_user")
    administrator.is_staff = False
    assert not has_right(administrator, "view_user")


def test_a_superuser_who_becomes_a_moderator_is_none_any_more(superuser: User) -> None:
    appoint(superuser, Role.MODERATOR)
    assert not has_right(User.objects.get(pk=superuser.pk), "view_user")


def test_a_former_moderator_keeps_no_permission_of_their_own(mona: User) -> None:
    mona.user_permissions.add(Permission.objects.get(codename="view_user"))
    appoint(mona, Role.PLAYER)
    assert not mona.user_permissions.exists()
