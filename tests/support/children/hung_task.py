"""`python -m tests.support.children.hung_task`: a task begins, and does not end."""

import threading

import django


def main() -> None:
    django.setup()
    from celery.signals import task_postrun, task_prerun

    from games import tasks

    tasks.TASK_SECONDS = 0.5
    for name in ("done", "hung"):
        task_prerun.send(tasks.sweep, task_id=name, task=tasks.sweep)
    task_postrun.send(tasks.sweep, task_id="done", task=tasks.sweep)
    threading.Event().wait(60)


if __name__ == "__main__":
    main()
