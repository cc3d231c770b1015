"""Outgoing email: rows of the outbox are queued, checked, composed and sent.

An email is first a row, written in the transaction that is its reason (queue). A worker claims due
rows (outbox) and merges them where the reader wants that (claims), checks whether they still matter
(relevance), composes text, HTML and pictures (compose, message) and sends them (transport). What
differs between kinds of email is in kinds, one class each.
"""
