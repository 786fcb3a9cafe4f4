"""Doubtful items of a key as questions: the page on which they are answered, and the new version of the key."""

from __future__ import annotations

import io
import zipfile
from pathlib import PurePosixPath

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from aune.corrections.key_revision import parse_review, write_record
from aune.errors import AuneError, UsageError
from aune.server import fork_server
from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.policy import refusal
from aune.server.workbench import access
from aune.server.workbench.pages import download, problem_lines
from aune.server.workbench.sandbox_tasks import WORK, RevisionRequest


def worker(request: HttpRequest) -> Account:
    """The account of the request if it is an annotator or organiser; others get the answer 404."""
    account = person(request)
    if account.role not in access.WORKERS:
        raise Http404
    return account


@require_GET
def page(request: HttpRequest) -> HttpResponse:
    """The page of questions; a JavaScript module reads the list, which stays in the browser until answers are sent."""
    worker(request)
    return render(request, "doubts.html", {"action": "/doubts/key"})


@require_POST
def key(request: HttpRequest) -> HttpResponse:
    """The new version of a key, from its file and the answers: a zip file with the record of the corrections."""
    account = worker(request)
    upload = request.FILES.get("key")
    try:
        if upload is None or upload.file is None:
            raise UsageError("found no file of the key: choose the one that the list is about")
        review = parse_review(request.POST.get("answers", ""))
        name = PurePosixPath(upload.name or "key").name
        revision = RevisionRequest(name=name, answers=request.POST.get("answers", ""))
        after = fork_server.run_work(WORK, "revised", revision, [upload.file]).read()
        upload.file.seek(0)
        record = write_record(name, upload.file.read(), after, review, account.name, timezone.now().isoformat())
    except AuneError as error:
        return refusal(request, 422, *problem_lines(error))
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(name, after)
        packed.writestr("corrections.json", record)
    stem = name.partition(".")[0] or "key"
    return download(archive.getvalue(), f"{stem}-corrected.zip")
