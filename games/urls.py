"""The addresses of the games."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path, register_converter

from . import mail_views, mailbox, views, webhooks


class PublicId:
    """The random name of a game."""

    regex = "[a-z2-7]{12}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(PublicId, "game")

urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.home, name="home"),
    path("about/", views.about, name="about"),
    path("settings/", views.settings, name="settings"),
    path("settings/mails/", views.mail_wishes, name="mail_wishes"),
    path("settings/mails/mend/", views.mail_mend, name="mail_mend"),
    path("settings/mails/<slug:kind>/", views.mail_preview, name="mail_preview"),
    path("settings/mails/<slug:kind>/html", views.mail_preview_html, name="mail_preview_html"),
    path("settings/name/", views.name, name="name"),
    path("rules/", views.rules_index, name="rules_index"),
    path("rules/<slug:kind>/", views.rules, name="rules"),
    path("new/", views.table_new, name="table_new"),
    path("g/<game:public_id>/", views.game, name="game"),
    path("g/<game:public_id>/play", views.play, name="play"),
    path("g/<game:public_id>/at/<int:seq>/", views.moment, name="moment"),
    path("g/<game:public_id>/record.jsonl", views.record, name="record"),
    path("g/<game:public_id>/join", views.join, name="join"),
    path("g/<game:public_id>/leave", views.leave, name="leave"),
    path("g/<game:public_id>/start", views.start, name="start"),
    path("g/<game:public_id>/bot", views.add_bot, name="add_bot"),
    path("g/<game:public_id>/bot/away", views.remove_bot, name="remove_bot"),
    path("g/<game:public_id>/invite", views.invite, name="invite"),
    path("g/<game:public_id>/mails", views.mails, name="mails"),
    path("g/<game:public_id>/resign", views.resign, name="resign"),
    path("g/<game:public_id>/rematch", views.rematch, name="rematch"),
    path("g/<game:public_id>/step-in", views.step_in, name="step_in"),
    *mail_views.urlpatterns,
    *webhooks.urlpatterns,
    *mailbox.urlpatterns,
]
