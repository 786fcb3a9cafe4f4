"""The page of notices: the viewer's own; for organisers also those of all others, and the state of the emails."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from aune.campaign.campaign import Campaign
from aune.campaign.protocol.visibility import ANNOTATOR, ORGANISER
from aune.campaign.publication import notices, outbox
from aune.errors import UsageError
from aune.server.accounts import rate_limits
from aune.server.accounts.models import Account
from aune.server.accounts.views import person
from aune.server.campaign.access import campaign, campaign_view, require_organiser, viewer
from aune.server.campaign.background_jobs import MAIL, request_job
from aune.server.campaign.email_delivery import Mail, check_email, is_sending, start_letters
from aune.server.campaign.models import Address
from aune.server.campaign.pages import render_page

NEWEST = 100  # notices on one page


def current_recipient(request: HttpRequest) -> notices.Recipient:
    """The recipient whose notices the viewer reads; others get the answer 404."""
    who = viewer(request)
    if who.team:
        return notices.team_recipient(who.team)
    if who.role == ANNOTATOR:
        return notices.annotator_recipient(person(request).name)
    if who.role != ORGANISER:
        raise Http404
    return notices.ORGANISER_RECIPIENT


@require_GET
@campaign_view
def page(request: HttpRequest) -> HttpResponse:
    """The viewer's own notices; for organisers also those of all others, and the state of the emails."""
    here, who = campaign(), current_recipient(request)
    rows = [{"notice": item, "subject": _subject(here, item)} for item in notices.newest_notices(here, who)[:NEWEST]]
    known = Address.objects.filter(account=person(request)).first()
    email, refused = (
        known.email if known else "",
        outbox.refused_letters(here) if known or who == notices.ORGANISER_RECIPIENT else [],
    )
    refusal = next((item.why for item in refused if email and item.address == email), "")
    waits = bool(known) and not known.confirmed if known else False
    about = {"rows": rows, "mails": is_sending(), "address": email, "refusal": refusal, "unconfirmed": waits}
    if who != notices.ORGANISER_RECIPIENT:
        return render_page(request, "notices", **about)
    others = [notice for notice in notices.visible_notices(here) if notice.to != who][-NEWEST:][::-1]
    other_rows = [
        {"notice": item, "subject": _subject(here, item), "to": _recipient_name(here, item.to),
         "state": outbox.letter_state(here, item.name) or "no letter"}
        for item in others
    ]  # fmt: skip
    return render_page(
        request, "notices", **about, others=other_rows, waiting=len(outbox.waiting_letters(here)), refused=refused
    )


def _recipient_name(here: Campaign, to: notices.Recipient) -> str:
    return here.state.teams[to.viewer.team].name if to.viewer.team else to.account


def _subject(here: Campaign, notice: notices.Notice) -> str:
    """The subject of a notice without the title of the campaign, which the page shows anyway."""
    return notice.subject.removeprefix(f"{here.protocol.title}: ")


@require_POST
@campaign_view
def address(request: HttpRequest) -> HttpResponse:
    """Set the email address for notices; an empty one deletes it."""
    current_recipient(request)
    email = request.POST.get("email", "").strip()
    if not email:
        Address.objects.filter(account=person(request)).delete()
        return redirect("/campaign/notices")
    check_email(email)
    start_letters(campaign())
    known = Address.objects.filter(account=person(request)).first()
    if known is None or known.email != email or not known.confirmed:
        _ask_owner(request, email)
        Address.objects.update_or_create(account=person(request), defaults={"email": email, "confirmed": False})
    return redirect("/campaign/notices")


def _ask_owner(request: HttpRequest, email: str) -> None:
    """Send an email with a link by which the owner of an address confirms it."""
    mail = Mail.from_environment()
    asker = f"{CONFIRM_SALT} {person(request).pk}"
    if mail is None:
        return
    if rate_limits.count_attempt(request, asker) is None:  # limits how many emails one account can send to strangers
        raise UsageError("too many letters were asked for: wait a quarter of an hour, then give the address again")
    code = signing.dumps([person(request).pk, email], salt=CONFIRM_SALT)
    text = (
        "Somebody gave this address for the notices of this campaign. If it was you, open this page and confirm it; "
        f"else do nothing:\n\n{settings.SITE.address}/campaign/notices/confirm/{code}\n"
    )
    outbox.write_secret_letter(campaign(), mail.sender, email, "is this your address?", text)
    request_job(MAIL, "outbox")


CONFIRM_SALT, CONFIRM_PERIOD = "aune.campaign.address", timedelta(days=14)


@require_http_methods(["GET", "POST"])
@campaign_view
def confirm(request: HttpRequest, code: str) -> HttpResponse:
    """Confirm an address. Only POST does it, so that programs which merely follow links do not."""
    try:
        account, email = signing.loads(code, salt=CONFIRM_SALT, max_age=CONFIRM_PERIOD)
    except (signing.BadSignature, ValueError, TypeError):
        raise Http404 from None
    known = Address.objects.filter(account_id=account, email=email).first()
    if not isinstance(request.user, Account) or request.user.pk != account or known is None:
        raise Http404
    if request.method == "POST":
        Address.objects.filter(pk=known.pk).update(confirmed=True)
        return redirect("/campaign/notices")
    return render_page(request, "confirm", address=email, code=code)


@require_POST
@campaign_view
def send(request: HttpRequest) -> HttpResponse:
    """Send waiting emails again, and the refused ones too if requested."""
    require_organiser(request)
    if not is_sending():
        raise UsageError("this server sends no letters: start it with AUNE_MAIL and AUNE_SENDER set")
    if request.POST.get("refused"):
        outbox.retry_refused(campaign())
    request_job(MAIL, "outbox")
    return redirect("/campaign/notices")
