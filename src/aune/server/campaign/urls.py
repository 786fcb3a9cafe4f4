"""The addresses of a campaign. Each has a row in the visibility matrix, tests/server/campaign/rows.py."""

from __future__ import annotations

from django.urls import path

from aune.server.campaign import (
    annotation,
    api,
    disputes,
    drawn_disputes,
    keys,
    notices,
    organiser,
    pages,
    results,
    teams,
)

urlpatterns = [
    path("campaign/", pages.home),
    path("campaign/protocol", pages.protocol),
    path("campaign/licence", pages.licence),
    path("campaign/participants", pages.participants),
    path("campaign/changes", pages.changes),
    path("campaign/register", teams.register),
    path("campaign/join", teams.join),
    path("campaign/team", teams.team),
    path("campaign/team/<str:what>", teams.act),
    path("campaign/texts/<str:dataset>", teams.texts),
    path("campaign/submit/<str:dataset>", teams.submit),
    path("campaign/submission/<str:submission>", teams.submission),
    path("campaign/report/<str:submission>", results.report),
    path("campaign/notices", notices.page),
    path("campaign/notices/address", notices.address),
    path("campaign/notices/send", notices.send),
    path("campaign/results/<str:dataset>", results.results),
    path("campaign/archive", results.archive),
    path("campaign/disputes", disputes.disputes),
    path("campaign/disputes/<str:dispute>/decide", disputes.decide),
    path("campaign/claim", disputes.claim),
    path("campaign/key/<str:dataset>", disputes.key),
    path("campaign/draw/<str:dataset>", drawn_disputes.draw),
    path("campaign/drawn/<str:layer>", drawn_disputes.show_drawing),
    path("campaign/drawn/<str:layer>/claim", drawn_disputes.claim),
    path("campaign/keys", keys.keys),
    path("campaign/keys/<str:dataset>", keys.preview),
    path("campaign/keys/<str:dataset>/take", keys.take),
    path("campaign/rekey/<str:dataset>", disputes.rekey),
    path("campaign/annotate", annotation.annotate),
    path("campaign/annotate/assign", annotation.assign),
    path("campaign/manage", organiser.manage),
    path("campaign/manage/<str:what>", organiser.steer),
    path("campaign/submissions", organiser.submissions),
    path("api/campaign/", api.about),
    path("api/campaign/submit/<str:dataset>", api.submit),
    path("api/campaign/submission/<str:submission>", api.submission),
]
