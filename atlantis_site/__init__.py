"""The Django project: settings, URLs, Celery, and the supervisor behind `make play`."""
