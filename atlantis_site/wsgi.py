"""The WSGI application, which gunicorn loads (see `atlantis_site.web`)."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "atlantis_site.settings")

application = get_wsgi_application()

from games.mail import workers  # noqa: E402 (needs the settings)

workers.wake_in_background()
