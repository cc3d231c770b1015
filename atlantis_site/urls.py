"""The addresses of the site: sign-in, the desk of the moderators, and the games themselves."""

from __future__ import annotations

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from games import health

admin.autodiscover()
# One way in for everybody: mail, code, second factor. The admin's own password form is gone.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("admin/", admin.site.urls),
    # One door for the new and the known.
    path("accounts/signup/", RedirectView.as_view(pattern_name="account_login", query_string=True)),
    path("accounts/", include("allauth.urls")),
    path("", include("games.urls")),
]
