"""A second check of records, which shares no code with `games`.

Written from docs/specifications (record.md, log.md, events.md) and the pages of the rules, in the
plainest way, with the standard library alone. `record` checks lines, digests and the table;
`atlantis` and `escape` work out what each move leads to.
"""
