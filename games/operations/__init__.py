"""Whether the service works, and what to do if not: one list of findings.

`/readyz`, `/metrics`, `check_site`, `check_mail`, the moderators' first page and their daily email
read it. Each fact has one query and one sentence.
"""
