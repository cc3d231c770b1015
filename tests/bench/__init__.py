"""`make bench`: how fast the parts are, each beside something to compare it with in the same run.

rules times the engines alone, in whole games and fixed positions, moves a POST over HTTP beside a
bare view, outbox the mails beside plain smtplib, inbound reads spoilt replies (`inbound --mutants
100000` is the long run) and ends at the first that does what it must not. Everything runs on
servers of its own in a temporary folder, on loopback only, a bounded number of times. Prints
tables; times are judged by nobody.
"""
