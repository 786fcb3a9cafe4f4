"""The viewer of a request and the campaign of the site; errors become responses that reveal nothing hidden."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse

from aune.campaign.campaign import Campaign, NotVisibleError
from aune.campaign.protocol.visibility import ANNOTATOR, EVERYBODY, ORGANISER, PARTICIPANT, Viewer
from aune.campaign.scaffold import open_campaign
from aune.errors import InputError, UsageError
from aune.files import is_disk_full
from aune.server.accounts.models import Account
from aune.server.policy import NO_ROOM, htmx_redirect, refusal

_local = threading.local()


def campaign() -> Campaign:
    """The campaign of the site: one object per thread, which reads only the new entries of the ledger."""
    if not settings.SITE.has_campaign:
        raise Http404
    current: Campaign | None = getattr(_local, "campaign", None)
    if current is None or current.folder != Path(settings.SITE.folder):
        current = _local.campaign = open_campaign(Path(settings.SITE.folder))
    return current


def viewer(request: HttpRequest) -> Viewer:
    """The viewer of a request, for the policy: only an account with a team counts as a participant."""
    account = request.user
    if not isinstance(account, Account):
        return EVERYBODY
    if account.role in (ORGANISER, ANNOTATOR):
        return Viewer(account.role)
    return Viewer(PARTICIPANT, account.membership.team) if is_member(account) else EVERYBODY


def is_member(account: Account) -> bool:
    """Whether an account has a team; Django caches the answer for the request, which needs it several times."""
    return hasattr(account, "membership")


def require_organiser(request: HttpRequest) -> None:
    """Let only organisers pass; others get the answer 404, as if the page did not exist."""
    if not (isinstance(request.user, Account) and request.user.is_organiser):
        raise Http404


def team_of(request: HttpRequest) -> str:
    """The team of the viewer; viewers without a team get the answer 404."""
    asker = viewer(request)
    if not asker.team:
        raise Http404
    return asker.team


def campaign_view(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Convert errors of a view into responses: 404 for what the viewer may not see, 422 with the reasons for others."""

    @wraps(view)
    def wrapper(request: HttpRequest, *arguments: Any, **keywords: Any) -> HttpResponse:
        try:
            with campaign().snapshot():  # others may write while the page is rendered
                return htmx_redirect(request, view(request, *arguments, **keywords))
        except NotVisibleError:
            raise Http404 from None
        except InputError as error:
            return refusal(request, 422, *map(str, error.problems))
        except UsageError as error:
            return refusal(request, 422, str(error))
        except (OSError, OperationalError) as error:
            if not is_disk_full(error):
                raise
            return refusal(request, HTTPStatus.INSUFFICIENT_STORAGE, NO_ROOM)

    return wrapper
