"""The moderators' desk: tables, their logs and their mails, to be read and helped along.

Nothing is edited here. What a moderator does goes through services, with a reason that everybody
at the table reads, and leaves an event; what a moderator must not see by accident (hands, deck,
seed) is shown by a button only, and the press is written down in the admin's own log.

rows has what all lists share, words what they are called; tables, mails and people are the lists,
desk what the page of one table shows and does.
"""

from __future__ import annotations

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.utils.translation import gettext_lazy

from games.moderation import games, mail, people, words

__all__ = ["games", "mail", "people", "words"]

admin.site.site_header = gettext_lazy("Atlantis by Mail: the desk")
admin.site.site_title = gettext_lazy("The desk")
admin.site.index_title = gettext_lazy("Tables, people and mails")
admin.site.enable_nav_sidebar = False  # six lists: the first page has them, the tables get the room
# One way in for everybody: email, code, second factor. Django's password form is not used.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

words.name()
