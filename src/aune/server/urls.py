"""The URLs of the server."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [
    path("", include("aune.server.operations")),
    path("", include("aune.server.accounts.urls")),
    path("", include("aune.server.workbench.urls")),
    path("", include("aune.server.campaign.urls")),
]
handler400 = "aune.server.policy.bad_request"
handler403 = "aune.server.policy.forbidden"
handler404 = "aune.server.policy.not_found"
handler500 = "aune.server.policy.server_error"
