"""The addresses of a campaign. Each has a row in the visibility matrix, tests/server/campaign/rows.py."""

from __future__ import annotations

from django.urls import path

from aune.server.campaign import annotating, api, disputing, drawing, keying, mailing, organising, pages, results, teams

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
    path("campaign/notices", mailing.page),
    path("campaign/notices/address", mailing.address),
    path("campaign/notices/send", mailing.send),
    path("campaign/results/<str:dataset>", results.results),
    path("campaign/archive", results.archive),
    path("campaign/disputes", disputing.disputes),
    path("campaign/disputes/<str:dispute>/decide", disputing.decide),
    path("campaign/claim", disputing.claim),
    path("campaign/key/<str:dataset>", disputing.key),
    path("campaign/draw/<str:dataset>", drawing.draw),
    path("campaign/drawn/<str:layer>", drawing.drawn),
    path("campaign/drawn/<str:layer>/claim", drawing.claim),
    path("campaign/keys", keying.keys),
    path("campaign/keys/<str:dataset>", keying.preview),
    path("campaign/keys/<str:dataset>/take", keying.take),
    path("campaign/rekey/<str:dataset>", disputing.rekey),
    path("campaign/annotate", annotating.annotate),
    path("campaign/annotate/assign", annotating.assign),
    path("campaign/manage", organising.manage),
    path("campaign/manage/<str:what>", organising.steer),
    path("campaign/submissions", organising.submissions),
    path("api/campaign/", api.about),
    path("api/campaign/submit/<str:dataset>", api.submit),
    path("api/campaign/submission/<str:submission>", api.submission),
]
