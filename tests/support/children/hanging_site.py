"""The web server, with a page that takes longer than gunicorn waits: `/hang/`."""

import sys
import time

import django
from django.http import HttpRequest, HttpResponse
from django.urls import path

from atlantis_site import web

SECONDS = 3600


def hang(request: HttpRequest) -> HttpResponse:
    time.sleep(SECONDS)
    return HttpResponse("late")


if __name__ == "__main__":
    django.setup()
    from atlantis_site import urls

    urls.urlpatterns.append(path("hang/", hang))
    sys.exit(web.main())
