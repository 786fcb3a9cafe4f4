"""The addresses of the workbench. Each has a row in the visibility matrix, tests/server/campaign/rows.py."""

from __future__ import annotations

from django.urls import path

from aune.server.workbench import adjudicating, analysis, api, keys, pages, studies

urlpatterns = [
    path("", pages.home),
    path("files", pages.files),
    path("source/<str:source>/forget", pages.forget),
    path("text/<str:text>/", pages.text),
    path("text/<str:text>/layers", pages.begin),
    path("text/<str:text>/compare", studies.chosen_pair),
    path("text/<str:text>/import", pages.bring),
    path("text/<str:text>/statistics", studies.text_statistics),
    path("text/<str:text>/agreement", studies.text_agreement),
    path("layer/<str:layer>/", pages.layer),
    path("layer/<str:layer>/done", pages.done),
    path("layer/<str:layer>/delete", pages.delete),
    path("layer/<str:layer>/export", pages.export),
    path("layer/<str:layer>/passages", studies.passages),
    path("layer/<str:layer>/passage", studies.cut_passage),
    path("api/layer/<str:layer>/", api.layer),
    path("api/layer/<str:layer>/events", api.events),
    path("api/layer/<str:layer>/copy", api.copy),
    path("api/layer/<str:layer>/broken", api.broken),
    path("api/layer/<str:layer>/edits", api.edits),
    path("api/layer/<str:layer>/history", api.history),
    path("api/layer/<str:layer>/inverse/<int:version>", api.inverse),
    path("api/layer/<str:layer>/done", api.done),
    path("api/layer/<str:layer>/suggestions/<str:mention>", analysis.suggestions),
    path("api/layer/<str:layer>/scores", analysis.live),
    path("api/layer/<str:layer>/compare/<str:other>", analysis.compare),
    path("api/layer/<str:layer>/steps", analysis.steps),
    path("api/layer/<str:layer>/losses", analysis.losses),
    path("api/skeleton", analysis.skeleton),
    path("api/layer/<str:layer>/adjudication", adjudicating.adjudication),
    path("api/layer/<str:layer>/adjudication/questions", adjudicating.questions),
    path("api/layer/<str:layer>/adjudication/decisions", adjudicating.decisions),
    path("api/layer/<str:layer>/key", keys.key),
    path("text/<str:text>/adjudicate", adjudicating.begin),
    path("adjudicate/<str:layer>/", adjudicating.page),
    path("statistics/", studies.statistics),
    path("resolve/<str:layer>/", studies.resolve),
    path("resolve/<str:layer>/run", studies.run),
    path("skeleton/", studies.skeleton),
    path("skeleton/export", studies.skeleton_export),
    path("compare/<str:layer>/<str:other>/", studies.compare),
]
