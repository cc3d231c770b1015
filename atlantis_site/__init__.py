"""The Django project: settings, URLs, Celery, and the supervisor behind `make play`."""

import gc

# What a process imports stays until its end. With the default of 700, the collector looks at it so
# often that a start takes a quarter longer.
gc.set_threshold(5_000, 10, 10)
