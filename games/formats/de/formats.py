"""The form of time at the desk; all other texts of the site have formats of their own."""

from games.formats.en.formats import DATETIME_FORMAT

__all__ = ("DATETIME_FORMAT",)
