"""The URLs of the games."""

from django.urls import URLPattern, URLResolver, path, register_converter
from django.urls.converters import StringConverter

from . import (
    absences,
    account_safety,
    board_images,
    choices,
    dev_mailbox,
    feeds,
    game_page,
    hints,
    invitation_page,
    lobby,
    mail_links,
    mail_preferences,
    page_stamps,
    pages,
    players,
    second_factor,
    service_worker,
    turn_scope,
    votes,
    webhooks,
)


class PublicId(StringConverter):
    """The public id of a game in a URL."""

    regex = "[a-z2-7]{12}"


register_converter(PublicId, "game")

urlpatterns: list[URLPattern | URLResolver] = [
    path("", pages.home, name="home"),
    path("stamp", page_stamps.home, name="home_stamp"),
    path("tables/", pages.tables, name="tables"),
    path("tables/stamp", page_stamps.tables, name="tables_stamp"),
    path("manifest.webmanifest", service_worker.manifest, name="manifest"),
    path("service-worker.js", service_worker.service_worker, name="service_worker"),
    path("about/", pages.about, name="about"),
    path("conduct/", pages.conduct, name="conduct"),
    path("settings/", pages.settings, name="settings"),
    path("settings/mails/", mail_preferences.mail_preferences, name="mail_preferences"),
    path("settings/mails/stopped/", mail_preferences.mail_stopped, name="mail_stopped"),
    path("settings/mails/<slug:kind>/", mail_preferences.mail_preview, name="mail_preview"),
    path(
        "settings/mails/<slug:kind>/html",
        mail_preferences.mail_preview_html,
        name="mail_preview_html",
    ),
    path("settings/absences/", absences.absences, name="absences"),
    path("settings/data/", account_safety.personal_data, name="personal_data"),
    path("settings/name/", pages.name, name="name"),
    path("settings/push/", pages.push_devices, name="push_devices"),
    path("players/<slug:key>/", players.player, name="player"),
    path("rules/", pages.rules_index, name="rules_index"),
    path("rules/<slug:kind>/", pages.rules, name="rules"),
    path("rules/<slug:kind>/board.png", board_images.example_png, name="example_png"),
    path("i/<slug:token>/", invitation_page.invitation, name="invitation"),
    path("new/", lobby.new_game, name="new_game"),
    path("new/practice/<slug:kind>/", lobby.practice, name="practice"),
    path("g/<game:public_id>/", game_page.game, name="game"),
    path("g/<game:public_id>/board.svg", board_images.board_svg, name="board_svg"),
    path("g/<game:public_id>/board.png", board_images.board_png, name="board_png"),
    path("g/<game:public_id>/at/<int:seq>/board.png", board_images.board_png, name="position_png"),
    path("g/<game:public_id>/version", game_page.version, name="game_version"),
    path("g/<game:public_id>/choices", choices.choices, name="choices"),
    path("g/<game:public_id>/play", game_page.play, name="play"),
    path("g/<game:public_id>/close-link", turn_scope.close, name="turn_scope_close"),
    path("g/<game:public_id>/at/<int:seq>/", game_page.position, name="position"),
    path("g/<game:public_id>/record.jsonl", game_page.record, name="record"),
    path("g/<game:public_id>/hints", hints.dismiss, name="no_more_hints"),
    path("g/<game:public_id>/join", lobby.join, name="join"),
    path("g/<game:public_id>/leave", lobby.leave, name="leave"),
    path("g/<game:public_id>/start", lobby.start, name="start"),
    path("g/<game:public_id>/bot", lobby.add_bot, name="add_bot"),
    path("g/<game:public_id>/bot/away", lobby.remove_bot, name="remove_bot"),
    path("g/<game:public_id>/player/away", lobby.remove_player, name="remove_player"),
    path("g/<game:public_id>/invite", lobby.invite, name="invite"),
    path("g/<game:public_id>/link", lobby.replace_link, name="replace_link"),
    path("g/<game:public_id>/mails", lobby.game_email, name="game_email"),
    path("g/<game:public_id>/resign", lobby.resign, name="resign"),
    path("g/<game:public_id>/rematch", lobby.rematch, name="rematch"),
    path("g/<game:public_id>/take-back", lobby.take_back, name="take_back"),
    path("g/<game:public_id>/take-over", lobby.take_over, name="take_over"),
    path("g/<game:public_id>/call-host", lobby.call_host, name="call_host"),
    path("g/<game:public_id>/excuse", lobby.excuse, name="excuse"),
    path("g/<game:public_id>/vote", votes.vote_ask, name="vote_ask"),
    path("g/<game:public_id>/vote/answer", votes.vote_answer, name="vote_answer"),
    path("g/<game:public_id>/step-in", lobby.step_in, name="step_in"),
    *second_factor.urlpatterns,
    *feeds.urlpatterns,
    *account_safety.urlpatterns,
    *mail_links.urlpatterns,
    *webhooks.urlpatterns,
    *dev_mailbox.urlpatterns,
]
