"""The addresses of the workbench. Each has a row in the visibility matrix, tests/server/campaign/rows.py."""

from __future__ import annotations

from django.urls import path

from aune.server.workbench import adjudicating, analysis, api, keys, pages, studies
from aune.server.workbench.turns import in_turn

urlpatterns = [
    path("", pages.home),
    path("files", pages.files),
    path("source/<str:source>/forget", pages.forget),
    path("text/<str:text>/", pages.text),
    path("text/<str:text>/layers", pages.begin),
    path("text/<str:text>/compare", studies.chosen_pair),
    path("text/<str:text>/import", pages.bring),
    path("text/<str:text>/statistics", in_turn(studies.text_statistics)),
    path("text/<str:text>/agreement", in_turn(studies.text_agreement)),
    path("layer/<str:layer>/", pages.layer),
    path("layer/<str:layer>/done", pages.done),
    path("layer/<str:layer>/delete", pages.delete),
    path("layer/<str:layer>/export", pages.export),
    path("layer/<str:layer>/passages", in_turn(studies.passages)),
    path("layer/<str:layer>/passage", in_turn(studies.cut_passage)),
    path("api/layer/<str:layer>/", in_turn(api.layer)),
    path("api/layer/<str:layer>/events", api.events),
    path("api/layer/<str:layer>/copy", api.copy),
    path("api/layer/<str:layer>/broken", in_turn(api.broken)),
    path("api/layer/<str:layer>/edits", in_turn(api.edits)),
    path("api/layer/<str:layer>/history", api.history),
    path("api/layer/<str:layer>/inverse/<int:version>", api.inverse),
    path("api/layer/<str:layer>/done", api.done),
    path("api/layer/<str:layer>/suggestions/<str:mention>", in_turn(analysis.suggestions)),
    path("api/layer/<str:layer>/scores", in_turn(analysis.live)),
    path("api/layer/<str:layer>/compare/<str:other>", in_turn(analysis.compare)),
    path("api/layer/<str:layer>/steps", in_turn(analysis.steps)),
    path("api/layer/<str:layer>/losses", analysis.losses),
    path("api/skeleton", analysis.skeleton),
    path("api/layer/<str:layer>/adjudication", in_turn(adjudicating.adjudication)),
    path("api/layer/<str:layer>/adjudication/questions", in_turn(adjudicating.questions)),
    path("api/layer/<str:layer>/adjudication/decisions", adjudicating.decisions),
    path("api/layer/<str:layer>/key", in_turn(keys.key)),
    path("text/<str:text>/adjudicate", in_turn(adjudicating.begin)),
    path("adjudicate/<str:layer>/", adjudicating.page),
    path("statistics/", studies.statistics),
    path("resolve/<str:layer>/", studies.resolve),
    path("resolve/<str:layer>/run", in_turn(studies.run)),
    path("skeleton/", studies.skeleton),
    path("skeleton/export", studies.skeleton_export),
    path("compare/<str:layer>/<str:other>/", studies.compare),
]
