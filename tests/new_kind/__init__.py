"""A kind of email that the service does not have: see tests/mail/test_new_kind.py."""
