"""The processes below a process, and whether they are alive."""

from pathlib import Path

from atlantis_site.supervisor import reaper


def descendants_of(pid: int) -> list[int]:
    """The pids of all descendants of `pid`, by /proc."""
    children = reaper.children_of(pid)
    return children + [grandchild for child in children for grandchild in descendants_of(child)]


def is_alive(pid: int) -> bool:
    """Return whether there is such a process, zombies not counted."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def all_gone(pids: list[int]) -> bool:
    """Return whether none of these processes is alive."""
    return not any(map(is_alive, pids))
