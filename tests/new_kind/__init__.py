"""A kind of email that the service does not have: see tests/test_new_mail_kind.py."""
