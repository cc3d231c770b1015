#!/usr/bin/env python
"""Django's commands for this site: `python manage.py help`."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "atlantis_site.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:  # a setting, whose name the message begins with
        if "--traceback" in sys.argv:
            raise
        sys.exit(f"The service is not configured correctly. {error}")
