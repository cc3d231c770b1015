"""Helpers that tests of several folders share.

The site as its readers see it:
    pages, forms, acts, accounts, signed_in, turn_links, moderators, url_walk,
    trials, unnoticed, languages, translation_style
Emails and notifications:
    emails, every_mail, outbox_workers, smtp_sink, push_sink, name_server
Replies:
    replies, signed_replies, reply_costs, email_only_player, quoting, samples, poisonous_emails,
    pattern_costs, webhooks, letters
Games, and worlds that differ in secrets alone:
    bots, game_seeds, escape_games, escape_answers, indistinguishable_games, atlantis_plans,
    atlantis_differing_secrets, escape_differing_secrets
Moves and records, for the rules alone:
    sentences, tampering, two_checks, record_damage, record_fuzz
The database:
    copies, shared_rows, roles, rolled_back, verification, replication, pgbouncer
Processes and the machine:
    processes, warm_processes, process_tree, forked_work, children, fronts, slow_clients,
    default_timeout, unix_sockets, load_runs, compose_file, containers, debian_programs
Longer runs:
    lengths, resumable

`tests/factories.py` makes people, tables and moves; `tests/fixtures` has the people of all tests.
"""
