"""Settings, from environment variables or files that they name; docs/configuration.md lists them.

Without SECRET_KEY in the environment, the variables of this checkout's last `make play` are used
(var/play.env), so that `python manage.py …` works on the service that runs here.
"""

import os
from email.utils import parseaddr
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from zoneinfo import available_timezones

from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _
from kombu import Exchange, Queue

from games import __version__

from . import error_reports
from .email_url import parse_email_url
from .role_settings import ANSWER_SECONDS, ROLE_SETTINGS
from .scrubbed_logs import FORMATTERS, LEVELS, logging_settings
from .security_headers import CONTENT_SECURITY_POLICY as CONTENT_SECURITY_POLICY
from .security_headers import PERMISSIONS_POLICY as PERMISSIONS_POLICY
from .startup_checks import reasons_not_to_start
from .variables import Env, with_password

BASE_DIR = Path(__file__).resolve().parent.parent

env = Env()
if "SECRET_KEY" not in env.ENVIRON:
    env.read_env(str(BASE_DIR / "var" / "play.env"))
elif _missing := [name for name in ("DATABASE_URL", "BROKER_URL") if name not in env.ENVIRON]:
    raise ImproperlyConfigured(
        f"SECRET_KEY is set, so var/play.env is not read: set {' and '.join(_missing)} as well, or "
        "unset SECRET_KEY."
    )

# -- site ----------------------------------------------------------------------------

SECRET_KEY = env.str("SECRET_KEY")
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])  # what they signed stays valid
DATA_KEY = env.str("DATA_KEY", default="") or SECRET_KEY  # of digests that are stored
DEBUG = env.switch("DEBUG")
LOCAL_MODE = env.switch("LOCAL_MODE")  # shows all emails at /mailbox/
SITE_URL = env.http_server("SITE_URL") or "http://127.0.0.1:8000"
SITE_HOST = urlsplit(SITE_URL).hostname or "localhost"
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[]) or [SITE_HOST]
if _reasons := reasons_not_to_start(
    secret_key=SECRET_KEY,
    fallbacks=SECRET_KEY_FALLBACKS,
    data_key=env.str("DATA_KEY", default=""),
    broker_url=env.str("BROKER_URL"),
    database_url=env.str("DATABASE_URL"),
    site_url=SITE_URL,
    hosts=ALLOWED_HOSTS,
    local_mode=LOCAL_MODE,
    debug=DEBUG,
    push_to_loopback=env.switch("PUSH_ALLOW_LOOPBACK"),
    email_url=env.str("EMAIL_URL", default="").strip(),
):
    raise ImproperlyConfigured("\n".join(_reasons))
CSRF_TRUSTED_ORIGINS = [SITE_URL]
VAR_DIR = Path(env.text("VAR_DIR", default=str(BASE_DIR / "var")))

# Workers ask for a page there; without an answer, no deadline passes. "": they do not ask.
SITE_CHECK_URL = env.http_server("SITE_CHECK_URL")
ROOT_URLCONF = "atlantis_site.urls"
WSGI_APPLICATION = "atlantis_site.wsgi.application"
SITE_NAME = "Atlantis by Mail"
VERSION = __version__

# -- apps ----------------------------------------------------------------------------

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.contrib.postgres",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "anymail",
    "csp",
    "games.apps.GamesConfig",
    "atlantis_site.apps.SiteConfig",
]

MIDDLEWARE = [
    "games.web.middleware.request_ids",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.gzip.GZipMiddleware",  # pads responses at random, against BREACH; CSRF tokens are masked
    "games.web.middleware.compressed",  # before it, with Brotli; pads, too
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_permissions_policy.PermissionsPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "games.web.service_worker.kept_pages",
    "games.web.sign_in.session_age",
    "games.web.decorators.form_cookie",
    "games.web.middleware.reader",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "allauth.usersessions.middleware.UserSessionsMiddleware",
    "games.web.middleware.LimitMiddleware",
    "games.web.proof.ProofMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "games.web.context_processors.site",
            ]
        },
    }
]

# The Unix socket of atlantis_site.events, which pushes changes to open pages; "" without it.
EVENTS_SOCKET = env.str("EVENTS_SOCKET", default="")

# Limits of DNS queries by the clients of PostgreSQL and the broker: two tries of two seconds.
os.environ.setdefault("RES_OPTIONS", "timeout:2 attempts:2")

# -- PostgreSQL ----------------------------------------------------------------------

_url = with_password(env.str("DATABASE_URL"), env.str("DATABASE_PASSWORD", default=""))
DATABASES: dict[str, Any] = {"default": env.db_url_config(_url)}
DATABASES["default"]["HOST"] = unquote(DATABASES["default"]["HOST"] or "")  # a socket: %2Frun%2F…
DATABASES["default"]["CONN_MAX_AGE"] = env.whole_number("CONN_MAX_AGE", default=60)
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DATABASES["default"]["OPTIONS"] = {
    "connect_timeout": 5,
    # A server that has vanished from the network is noticed within half a minute.
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,  # milliseconds
    # A statement that comes again and again is planned once for a connection.
    "server_side_binding": True,
    "prepare_threshold": 5,
    **DATABASES["default"].get("OPTIONS", {}),
}
# Behind pgbouncer in transaction mode, each transaction may run in another session: no server-side
# cursors, no prepared statements.
if env.switch("PGBOUNCER"):
    DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = True
    DATABASES["default"]["OPTIONS"]["prepare_threshold"] = None
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# The role of the service, whose rights `manage.py grant_app_role` sets.
DATABASE_APP_ROLE = env.text("DATABASE_APP_ROLE", default="atlantis_app")
DATABASE_ROLE_SETTINGS = ROLE_SETTINGS
DATABASE_ANSWER_SECONDS = env.seconds("DATABASE_ANSWER_SECONDS", default=ANSWER_SECONDS)

# Rate limits must hold across processes and outlive the broker.
CACHES: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "site_cache",
        "OPTIONS": {"MAX_ENTRIES": 20_000},
    }
}

# -- accounts ------------------------------------------------------------------------

AUTH_USER_MODEL = "games.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"

ACCOUNT_ADAPTER = "games.web.allauth_adapter.AccountAdapter"  # sends through the outbox
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*"]
ACCOUNT_FORMS = {
    "login": "games.web.forms.SignInForm",  # for new and known addresses
    "confirm_login_code": "games.web.sign_in.CodeForm",
    "confirm_email_verification_code": "games.web.sign_in.AddressCodeForm",
}
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT = 600
ACCOUNT_LOGIN_BY_CODE_ENABLED = True
ACCOUNT_LOGIN_BY_CODE_TIMEOUT = 600  # email can be slow
ACCOUNT_LOGIN_BY_CODE_SUPPORTS_RESEND = ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND = True
# Not per address, which strangers could use up: games.services.quotas limits codes and guesses.
ACCOUNT_RATE_LIMITS = {"request_login_code": "20/m/ip"}
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_DEFAULT_HTTP_PROTOCOL = urlsplit(SITE_URL).scheme
USERSESSIONS_ADAPTER = "games.web.allauth_adapter.SessionsAdapter"  # reports a sign-out
MFA_SUPPORTED_TYPES = ["totp"]  # recovery codes are our own, because allauth stores them unhashed
MFA_FORMS = {
    "authenticate": "games.web.second_factor.AuthenticateForm",
    "reauthenticate": "games.web.second_factor.ReauthenticateForm",
}
MFA_TOTP_ISSUER = SITE_NAME
MFA_TOTP_TOLERANCE = 0  # steps: a code works while the app shows it

# Not in the session: it would be a row that anybody can make.
MESSAGE_STORAGE = "django.contrib.messages.storage.cookie.CookieStorage"
SESSION_COOKIE_AGE = 180 * 24 * 3600  # games.web.sign_in ends idle sessions earlier
# With the prefix __Host-, no other host of the domain can set them; browsers require https for it.
# Cookies ignore ports: two services on one machine would sign out each other's users.
_prefix = "__Host-" if SITE_URL.startswith("https://") else ""
_suffix = f"_{urlsplit(SITE_URL).port}" if urlsplit(SITE_URL).port else ""
SESSION_COOKIE_NAME = f"{_prefix}sessionid{_suffix}"
CSRF_COOKIE_NAME = f"{_prefix}csrftoken{_suffix}"

# -- tasks ---------------------------------------------------------------------------

CELERY_BROKER_URL = env.str("BROKER_URL")
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # Acknowledge on delivery. kombu 5.7 acknowledges later over the connection, and if that is
    # lost, the error ends the worker.
    "ack_emulation": False,
    "socket_connect_timeout": 2,
    "socket_timeout": 2,
    # Without these, publishing to a dead broker keeps a player waiting for six seconds.
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0,
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_PUBLISH_RETRY = False  # the next sweep finds the work
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULER = "atlantis_site.beat:HeartbeatScheduler"  # needs no schedule file
# A worker takes turns with its queues: what somebody waits for does not stand behind the rest.
CELERY_TASK_QUEUES = [
    Queue(name, Exchange(name), routing_key=name) for name in ("celery", "urgent", "bots")
]
CELERY_TASK_DEFAULT_QUEUE = "celery"
CELERY_TASK_ROUTES = {
    "games.tasks.drain_urgent": {"queue": "urgent"},
    "games.tasks.play_bots": {"queue": "bots"},  # has a worker of its own: searches take seconds
}
# The web server publishes the same tasks at once; these find what got lost. A sweep expires, so
# that few of them wait for a worker that was away; not soon, because clocks of machines differ.
CELERY_BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    task: {
        "task": f"games.tasks.{task}",
        "schedule": seconds,
        "options": {"expires": max(seconds, 600.0)},
    }
    for task, seconds in (
        ("sweep", env.seconds("SWEEP_SECONDS", default=10.0)),
        ("play_bots", 60.0),
        ("deadlines", 60.0),
        ("reminders", 60.0),
        ("forget_inbound", 3600.0),
        ("forget_mails", 3600.0),
        ("delete_accounts", 3600.0),
        ("inform_moderators", 600.0),
    )
}

# -- mail ----------------------------------------------------------------------------

MAIL_FROM = env.str("MAIL_FROM", default="") or f"{SITE_NAME} <games@{SITE_HOST}>"
if "@" not in parseaddr(MAIL_FROM)[1]:
    raise ImproperlyConfigured(
        "MAIL_FROM must hold an address: Atlantis by Mail <games@games.example.org>"
    )
DEFAULT_FROM_EMAIL = SERVER_EMAIL = MAIL_FROM
# Over about a day, see games.mail.outbox.
MAIL_MAX_TRIES = env.whole_number("MAIL_MAX_TRIES", default=32, at_least=1)
MAIL_KEEP_DAYS = env.whole_number("MAIL_KEEP_DAYS", default=90)  # for sent emails; 0: for ever
# The lease of claimed emails; a sender renews it while it works.
MAIL_LEASE_SECONDS = env.whole_number("MAIL_LEASE_SECONDS", default=20, at_least=1)
# The key with which the service signs its email itself; see `manage.py make_dkim_key`.
DKIM_PRIVATE_KEY = env.str("DKIM_PRIVATE_KEY", default="").replace("\\n", "\n").strip()
DKIM_SELECTOR = env.str("DKIM_SELECTOR", default="").strip().lower()
_from_domain = parseaddr(MAIL_FROM)[1].rpartition("@")[2].lower()
DKIM_DOMAIN = env.host("DKIM_DOMAIN") or _from_domain
globals().update(parse_email_url(env.str("EMAIL_URL", default=""), VAR_DIR))

# The hosts to which push messages go; one that begins with a dot stands for those below it.
PUSH_HOSTS = env.hosts("PUSH_HOSTS") or [
    "fcm.googleapis.com",
    ".push.services.mozilla.com",
    ".push.apple.com",
    ".notify.windows.com",
]
# The hosts of the channels to which the news of circles is posted; dots as in PUSH_HOSTS.
CHANNEL_HOSTS = env.hosts("CHANNEL_HOSTS") or ["discord.com", "hooks.slack.com", "ntfy.sh"]
# Lets push messages and news of circles go to this machine, for tests; refused without LOCAL_MODE.
PUSH_ALLOW_LOOPBACK = env.switch("PUSH_ALLOW_LOOPBACK")

# -- bots ----------------------------------------------------------------------------

# BOT_PLAYOUTS=atlantis=500: imagined games of a strong bot's decision. BOT_SECONDS: of a search.
BOT_PLAYOUTS = env.numbers("BOT_PLAYOUTS", at_least=1)
BOT_SECONDS = env.seconds("BOT_SECONDS", default=30.0)

# -- limits --------------------------------------------------------------------------

# Other limits than those of games/services/quotas.py: tables_person_day=10,…
QUOTAS = env.numbers("QUOTAS")

# -- replies -------------------------------------------------------------------------

# The host of the reply addresses. Without it, replies are not read and emails do not offer them.
MAIL_REPLY_DOMAIN = env.host("MAIL_REPLY_DOMAIN")
# host:port (or [IPv6]:port) of `manage.py listen_mail`; port 0 takes any free port. "lmtp" is for
# a mail server that delivers by LMTP.
MAIL_LISTEN = env.text("MAIL_LISTEN", default="127.0.0.1:2525")
MAIL_LISTEN_PROTOCOL = env.text("MAIL_LISTEN_PROTOCOL", default="smtp").lower()
# PEM files for STARTTLS: the chain of certificates, and its key if that is in another file.
MAIL_LISTEN_CERTIFICATE = env.str("MAIL_LISTEN_CERTIFICATE", default="")
MAIL_LISTEN_KEY = env.str("MAIL_LISTEN_KEY", default="")
# Whose Authentication-Results are trusted: the name that our own mail server (or provider) writes
# there, and the networks from which that server connects to the listener.
MAIL_AUTHSERV_ID = env.str("MAIL_AUTHSERV_ID", default="").strip().lower()
MAIL_TRUSTED_PEERS = env.networks("MAIL_TRUSTED_PEERS", default=["127.0.0.0/8", "::1/128"])
# "user:password" of the provider's webhooks, several separated by commas; "" for no webhooks.
INBOUND_SECRET = env.list("INBOUND_SECRET", default=[])
if not all(":" in secret for secret in INBOUND_SECRET):
    raise ImproperlyConfigured("INBOUND_SECRET must look like this: user:a-long-random-word")
# More settings of anymail for webhooks: MAILGUN_WEBHOOK_SIGNING_KEY=…,…
INBOUND_SETTINGS = env.pairs("INBOUND_SETTINGS")
ANYMAIL = {**globals().get("ANYMAIL", {}), **INBOUND_SETTINGS, "WEBHOOK_SECRET": INBOUND_SECRET}
INBOUND_KEEP_DAYS = env.whole_number("INBOUND_KEEP_DAYS", default=30)  # then the text is deleted

# -- languages and time --------------------------------------------------------------

LANGUAGES = [("en", _("English")), ("de", _("German")), ("fr", _("French"))]
FORMAT_MODULE_PATH = "games.formats"
LANGUAGE_CODE = env.choice("LANGUAGE_CODE", [code for code, _name in LANGUAGES], default="en")
LOCALE_PATHS = [BASE_DIR / "games" / "locale"]  # before the catalogues of allauth
TIME_ZONE = env.text("TIME_ZONE", default="UTC")
if TIME_ZONE not in available_timezones():
    raise ImproperlyConfigured(
        f"TIME_ZONE is {TIME_ZONE!r}: it must be a name such as Europe/Berlin."
    )

# -- files ---------------------------------------------------------------------------

STATIC_URL = "static/"
STATIC_ROOT = Path(env.text("STATIC_ROOT", default=str(BASE_DIR / "staticfiles")))
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
WHITENOISE_ALLOW_ALL_ORIGINS = False  # nobody else's pages load our files
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "games.web.static_storage.StaticStorage"},
}

# -- security ------------------------------------------------------------------------

# security_headers.py has the policies of content and permissions; Django's defaults protect the
# rest: X-Frame-Options, Referrer-Policy, SameSite cookies.
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "games.web.pages.csrf_failure"

# The front limits every body, and large ones to providers of email; a form has up to 1,000 fields.
DATA_UPLOAD_MAX_MEMORY_SIZE = DATA_UPLOAD_MAX_NUMBER_FILES = None
FILE_UPLOAD_HANDLERS = ["games.web.webhooks.NoFiles"]

# With an https URL everything requires https; TRUST_PROXY is for a proxy that terminates TLS.
_https = SITE_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _https
SECURE_SSL_REDIRECT = _https
# games.web.webhooks refuses requests over http itself.
SECURE_REDIRECT_EXEMPT = [r"^healthz(/pages)?$", r"^readyz$", r"^anymail/"]
SECURE_HSTS_SECONDS = env.whole_number("HSTS_SECONDS", default=365 * 24 * 3600) if _https else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = _https
if env.switch("TRUST_PROXY"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    ALLAUTH_TRUSTED_PROXY_COUNT = 1  # rate limits count clients, not the proxy

# -- logging -------------------------------------------------------------------------

LOGGING = logging_settings(
    env.choice("LOG_FORMAT", FORMATTERS, default="line"),
    env.choice("LOG_LEVEL", LEVELS, default="INFO"),
)

# -- reports to others ----------------------------------------------------------------

# None: no metrics. The web server reads WEB_METRICS_BIND itself.
WORKER_METRICS_BIND = env.bind("WORKER_METRICS_BIND")
HEARTBEAT_URL = env.http_url("HEARTBEAT_URL")  # beat requests it while the service is ready
if _dsn := env.str("SENTRY_DSN", default=""):
    error_reports.start(_dsn)
