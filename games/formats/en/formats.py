"""The 24-hour clock, as in all texts of the site; Django's English has "6:44 p.m."."""

DATE_FORMAT = "j M Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = "Y-m-d H:i T"  # the desk; see zoned in games/templatetags/when.py
