"""The addresses of a campaign. Each has a row in the visibility matrix of tests/server/campaign."""

from __future__ import annotations

from django.urls import path

from aune.server.campaign import api, pages

urlpatterns = [
    path("campaign/", pages.home),
    path("campaign/protocol", pages.protocol),
    path("campaign/licence", pages.licence),
    path("campaign/register", pages.register),
    path("campaign/team", pages.team),
    path("campaign/team/<str:what>", pages.act),
    path("campaign/texts/<str:dataset>", pages.texts),
    path("campaign/submit/<str:dataset>", pages.submit),
    path("campaign/submission/<str:submission>", pages.submission),
    path("campaign/results/<str:dataset>", pages.results),
    path("campaign/participants", pages.participants),
    path("campaign/changes", pages.changes),
    path("campaign/archive", pages.archive),
    path("campaign/disputes", pages.disputes),
    path("campaign/claim", pages.claim),
    path("campaign/key/<str:dataset>", pages.key),
    path("campaign/disputes/<str:dispute>/decide", pages.decide),
    path("campaign/rekey/<str:dataset>", pages.rekey),
    path("campaign/manage", pages.manage),
    path("campaign/manage/<str:what>", pages.steer),
    path("api/campaign/", api.about),
    path("api/campaign/submit/<str:dataset>", api.submit),
    path("api/campaign/submission/<str:submission>", api.submission),
]
