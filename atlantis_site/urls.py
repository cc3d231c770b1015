"""The addresses of the site: sign-in, the desk of the moderators, and the games themselves."""

from __future__ import annotations

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import include, path, re_path
from django.views.generic import RedirectView

from games import health

admin.autodiscover()
# One way in for everybody: mail, code, second factor. The admin's own password form is gone.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]


def one_door(request: HttpRequest, _path: str) -> HttpResponseBase:
    """To the page that asks for an address and sends a code."""
    return RedirectView.as_view(pattern_name="account_login", query_string=True)(request)


urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("admin/", admin.site.urls),
    # One door for the new and the known, and no passwords to change or to forget.
    re_path(r"^accounts/(signup|login/code|password/.*)/?$", one_door),
    path("accounts/", include("allauth.urls")),
    path("", include("games.urls")),
]
