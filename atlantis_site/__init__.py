"""The Django project: settings, URLs, Celery, and the supervisor behind `make play`."""

import gc

# Imported modules stay until the end of a process. With the default of 700, the collector looks at
# them so often that a start takes a quarter longer.
gc.set_threshold(5_000, 10, 10)
