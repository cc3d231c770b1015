"""Readers of inbound emails that are killed in the middle of their work.

`python -m tests.support.children.killed_readers <times>` runs with the variables of a service. One
reader after the other processes the email that is due and is killed (kill -9) just before it can
commit. Prints the signal that ended each reader.
"""

import os
import signal
import sys
from datetime import timedelta

import django


def main(times: int) -> None:
    django.setup()
    for _reader in range(times):
        child = os.fork()
        if not child:
            die()
        _pid, status = os.waitpid(child, 0)
        print(signal.Signals(os.WTERMSIG(status)).name, flush=True)


def die() -> None:
    """Read what there is; never to return."""
    from django.utils import timezone

    from games.inbound import handlers, processor
    from games.inbound.reply_context import ReplyContext
    from games.models import InboundMail

    handle = handlers.handle

    def handle_and_die(context: ReplyContext) -> InboundMail.Outcome:
        handle(context)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("still here")

    handlers.handle = handle_and_die
    InboundMail.objects.update(next_try_at=timezone.now() - timedelta(seconds=1))
    processor.read_waiting()
    os._exit(1)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "atlantis_site.settings")
    main(int(sys.argv[1]))
