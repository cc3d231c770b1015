"""The Django admin as a moderation tool: games, their logs, their email, people.

Rows are read-only. Moderators act through services, always with a reason that all players of the
game can read and that is recorded in its log. Hands, deck and seed are shown only at the press of a
button, which is recorded too.
"""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.utils.translation import gettext_lazy

from games.moderation import games, mail, people

__all__ = ["games", "mail", "people"]

admin.site.site_header = gettext_lazy("Atlantis by Mail moderation")
admin.site.site_title = gettext_lazy("Moderation")
admin.site.index_title = gettext_lazy("Games, users and emails")
admin.site.enable_nav_sidebar = False  # The index page lists the models; tables need the width.
# Staff sign in like everybody else, plus a second factor. Django's password form is not used.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # allauth's way
