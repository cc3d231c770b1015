"""Counters and timers of this process, for Prometheus. Labels hold no names, addresses or games."""

from prometheus_client import Counter, Histogram

EMAILS = Counter(
    "atlantis_emails", "Emails of this worker, by what became of an attempt.", ["outcome"]
)
PAINTING = Histogram(
    "atlantis_painting_seconds",
    "Time until the render worker has drawn a board and its details.",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2),
)
TASKS = Histogram(
    "atlantis_task_seconds",
    "Duration of Celery tasks.",
    ["task"],
    buckets=(0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300),
)
