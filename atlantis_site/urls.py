"""The URLs of the site: sign-in, moderation, and the games."""

from django.urls import include, path, re_path
from django.views.generic import RedirectView

from games.moderation import moderation_site
from games.operations import views as operations
from games.web import proof, second_factor, sign_in

urlpatterns = [
    path("healthz", operations.healthz, name="healthz"),
    path("healthz/pages", operations.healthz_pages, name="healthz_pages"),
    path("readyz", operations.readyz, name="readyz"),
    path("admin/", moderation_site.urls),
    # There are no passwords, and signing up is signing in.
    re_path(
        r"^accounts/(?:signup|login/code|password/.*)/?$",
        RedirectView.as_view(pattern_name="account_login", query_string=True),
    ),
    path("accounts/login/code/confirm/", sign_in.confirm, name="account_confirm_login_code"),
    path("accounts/reauthenticate/", proof.prove, name="account_reauthenticate"),
    path("accounts/2fa/totp/activate/", second_factor.connect_app, name="mfa_activate_totp"),
    path(
        "accounts/2fa/recovery-codes/generate/",
        second_factor.new_codes,
        name="mfa_generate_recovery_codes",
    ),
    path("accounts/", include("allauth.urls")),
    path("", include("games.web.urls")),
]

handler500 = "games.web.unavailable.server_error"
