"""Django's settings, which are all derived from the site."""

from __future__ import annotations

from aune.server import assets, site
from aune.server.site import current

SITE = current()
DEBUG = False
SECRET_KEY = site.secret(SITE)
ALLOWED_HOSTS = SITE.hosts if SITE.folder else ["testserver"]
INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django_htmx",
    "aune.server.accounts",
    "aune.server.workbench",
    "aune.server.jobs",
    "aune.server.campaign",
]
MIDDLEWARE = [
    "aune.server.policy.headers",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "aune.server.accounts.gate.token_bearer",
    "aune.server.accounts.gate.gate",  # before the body is read: that of an unknown client stays unread
    "aune.server.policy.body_limit",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "aune.server.policy.plain_text",
]
ROOT_URLCONF = "aune.server.urls"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [assets.TEMPLATES],
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.csrf",
                "aune.server.policy.page_context",
            ],
        },
    }
]
DATABASES = {"default": site.database(SITE)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "accounts.Account"
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ["name"]},
    },
]

_secure = SITE.address.startswith("https:")
SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
SESSION_COOKIE_NAME = f"aune-{SITE.port}"  # cookies ignore ports: two servers on one machine would share them
SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax" if SITE.accounts else "Strict"
SESSION_COOKIE_SECURE = _secure
CSRF_COOKIE_NAME = f"aune-{SITE.port}-csrf"
CSRF_COOKIE_SAMESITE = "Strict"
CSRF_COOKIE_SECURE = _secure
CSRF_TRUSTED_ORIGINS = [SITE.public] if SITE.public else []
CSRF_FAILURE_VIEW = "aune.server.policy.csrf_failure"
if _secure:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

DATA_UPLOAD_MAX_MEMORY_SIZE = 16 * site.MEGABYTE
FILE_UPLOAD_HANDLERS = ["aune.server.uploads.Nameless"]
FILE_UPLOAD_TEMP_DIR = str(SITE.files) if SITE.folder else None
DATA_UPLOAD_MAX_NUMBER_FILES = 200
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
USE_I18N = False
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "aune.server.logs.Line"}},
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": "line", "level": "ERROR"},
        "nowhere": {"class": "logging.NullHandler"},
    },
    "root": {"handlers": ["console"], "level": "ERROR"},
    "loggers": {"django.security": {"handlers": ["nowhere"], "propagate": False}},  # the sender got an answer
}
