"""The URLs of accounts. Each has a row in the visibility matrix, tests/server/campaign/rows.py."""

from __future__ import annotations

from django.urls import path

from aune.server.accounts import views

urlpatterns = [
    path("enter", views.enter),
    path("another", views.another),
    path("sign-in", views.sign_in),
    path("sign-out", views.sign_out),
    path("invitation/<str:secret>", views.invitation),
    path("account", views.account),
    path("account/passphrase", views.passphrase),
    path("account/tokens", views.make_token),
    path("account/tokens/<str:token>/delete", views.delete_token),
    path("people", views.people),
    path("people/invite", views.invite),
    path("people/invitations/<str:invitation>/revoke", views.revoke),
    path("people/<str:account>/close", views.close),
]
