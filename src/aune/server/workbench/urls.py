"""The addresses of the workbench."""

from __future__ import annotations

from django.urls import path

from aune.server.workbench import api, pages

urlpatterns = [
    path("", pages.home),
    path("files", pages.files),
    path("text/<str:text>/", pages.text),
    path("text/<str:text>/layers", pages.begin),
    path("layer/<str:layer>/", pages.layer),
    path("layer/<str:layer>/done", pages.done),
    path("layer/<str:layer>/delete", pages.delete),
    path("layer/<str:layer>/export", pages.export),
    path("api/layer/<str:layer>/", api.layer),
    path("api/layer/<str:layer>/events", api.events),
    path("api/layer/<str:layer>/history", api.history),
    path("api/layer/<str:layer>/inverse/<int:version>", api.inverse),
    path("api/layer/<str:layer>/done", api.done),
]
