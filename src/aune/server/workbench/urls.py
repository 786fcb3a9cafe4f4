"""The addresses of the workbench. Each has a row in the visibility matrix, tests/server/campaign/rows.py."""

from __future__ import annotations

from django.urls import path

from aune.server.workbench import adjudication_api, analysis_api, analysis_pages, api, keys, pages
from aune.server.workbench.concurrency import limit_concurrency

urlpatterns = [
    path("", pages.home),
    path("files", pages.files),
    path("source/<str:source>/forget", pages.forget),
    path("text/<str:text>/", pages.text),
    path("text/<str:text>/layers", pages.begin),
    path("text/<str:text>/compare", analysis_pages.chosen_pair),
    path("text/<str:text>/import", pages.import_responses),
    path("text/<str:text>/statistics", limit_concurrency(analysis_pages.text_statistics)),
    path("text/<str:text>/agreement", limit_concurrency(analysis_pages.text_agreement)),
    path("layer/<str:layer>/", pages.layer),
    path("layer/<str:layer>/done", pages.set_done),
    path("layer/<str:layer>/delete", pages.delete),
    path("layer/<str:layer>/export", pages.export),
    path("layer/<str:layer>/passages", limit_concurrency(analysis_pages.passages)),
    path("layer/<str:layer>/passage", limit_concurrency(analysis_pages.cut_passage)),
    path("api/layer/<str:layer>/", limit_concurrency(api.layer)),
    path("api/layer/<str:layer>/events", api.events),
    path("api/layer/<str:layer>/copy", api.copy),
    path("api/layer/<str:layer>/broken", limit_concurrency(api.rule_violations)),
    path("api/layer/<str:layer>/edits", limit_concurrency(api.edits)),
    path("api/layer/<str:layer>/history", api.history),
    path("api/layer/<str:layer>/inverse/<int:version>", api.inverse),
    path("api/layer/<str:layer>/done", api.set_done),
    path("api/layer/<str:layer>/suggestions/<str:mention>", limit_concurrency(analysis_api.suggestions)),
    path("api/layer/<str:layer>/scores", limit_concurrency(analysis_api.live_scores)),
    path("api/layer/<str:layer>/compare/<str:other>", limit_concurrency(analysis_api.compare)),
    path("api/layer/<str:layer>/steps", limit_concurrency(analysis_api.steps)),
    path("api/layer/<str:layer>/losses", analysis_api.losses),
    path("api/skeleton", analysis_api.skeleton),
    path("api/layer/<str:layer>/adjudication", limit_concurrency(adjudication_api.adjudication)),
    path("api/layer/<str:layer>/adjudication/questions", limit_concurrency(adjudication_api.questions)),
    path("api/layer/<str:layer>/adjudication/decisions", adjudication_api.decisions),
    path("api/layer/<str:layer>/key", limit_concurrency(keys.key)),
    path("text/<str:text>/adjudicate", limit_concurrency(adjudication_api.begin)),
    path("adjudicate/<str:layer>/", adjudication_api.page),
    path("statistics/", analysis_pages.statistics),
    path("resolve/<str:layer>/", analysis_pages.resolve),
    path("resolve/<str:layer>/run", limit_concurrency(analysis_pages.run)),
    path("skeleton/", analysis_pages.skeleton),
    path("skeleton/export", analysis_pages.skeleton_export),
    path("compare/<str:layer>/<str:other>/", analysis_pages.compare),
]
