"""Who asks, and of which campaign: refusals become answers that tell nothing."""

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
    """The campaign of the site: one for each thread, which reads what is new in the ledger and nothing else."""
    if not settings.SITE.has_campaign:
        raise Http404
    current: Campaign | None = getattr(_local, "campaign", None)
    if current is None or current.folder != Path(settings.SITE.folder):
        current = _local.campaign = open_campaign(Path(settings.SITE.folder))
    return current


def viewer(request: HttpRequest) -> Viewer:
    """Who asks, for the policy: a participant is one who has a team."""
    account = request.user
    if not isinstance(account, Account):
        return EVERYBODY
    if account.role in (ORGANISER, ANNOTATOR):
        return Viewer(account.role)
    return Viewer(PARTICIPANT, account.membership.team) if is_member(account) else EVERYBODY


def is_member(account: Account) -> bool:
    """Whether somebody has a team; looked up once for a request, which asks several times."""
    return hasattr(account, "membership")


def require_organiser(request: HttpRequest) -> None:
    """Only organisers go on; others do not learn that there is anything here."""
    if not (isinstance(request.user, Account) and request.user.is_organiser):
        raise Http404


def team_of(request: HttpRequest) -> str:
    """The team of whoever asks; nothing is here for anybody else."""
    asker = viewer(request)
    if not asker.team:
        raise Http404
    return asker.team


def campaign_view(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A view whose refusals are answers: what is not yours is not there, and what is wrong is said."""

    @wraps(view)
    def wrapper(request: HttpRequest, *arguments: Any, **keywords: Any) -> HttpResponse:
        try:
            with campaign().snapshot():  # others write while a page is made
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
