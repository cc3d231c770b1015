#!/bin/sh
# Dump the database, check the dump, and delete old dumps. Run it every night: docs/running-in-production.md.
# A dump with a date in its name is complete: until it was checked, its name ends in .part.
set -eu
umask 077
cd "$(dirname "$0")/.."
FOLDER=${FOLDER:-/var/backups/atlantis}
KEEP_DAYS=${KEEP_DAYS:-14}
DATABASE=${DATABASE:-atlantis}
# How to run a program of PostgreSQL and manage.py; the defaults are those of docker-compose.yml.
POSTGRES=${POSTGRES:-docker compose exec -T postgres env PGUSER=postgres}
MANAGE=${MANAGE:-docker compose exec -T web python manage.py}

mkdir -p "$FOLDER"
dump=$FOLDER/atlantis-$(date +%F-%H%M).dump
$POSTGRES pg_dump --format=custom "$DATABASE" > "$dump.part"
$POSTGRES pg_restore --list < "$dump.part" > /dev/null
mv "$dump.part" "$dump"
$MANAGE note_backup
find "$FOLDER" -name 'atlantis-*.dump*' -mtime "+$KEEP_DAYS" -delete
