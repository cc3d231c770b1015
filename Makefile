# `make play` starts the service on this machine, `make test` checks everything.
# PYTHON chooses another Python (3.11 to 3.13), PORT another port for `make play`.

PYTHON ?= python3
BIN := .venv/bin
TEMPLATES = --target-version 5.2 $$(find templates -name '*.html')
# For commands that load the settings but connect to no server.
UNCONNECTED := SECRET_KEY=unused DATABASE_URL=postgresql:///unused BROKER_URL=redis://unused

.PHONY: play setup secrets test test-long test-containers chaos load simulate fuzz-records fuzz-rules plans check format audit audit-images bench lock local-environment test-environment programs

play:
	@$(PYTHON) atlantis_site/preflight.py
	@$(PYTHON) atlantis_site/environment.py local
	@$(BIN)/python -m atlantis_site.supervisor

test: check programs
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

# The long forms of tests: whole games in the browser, 300 moves under kill -9, more examples. The aim is
# a quarter of an hour on two processors.
test-long: programs
	TEST_LENGTH=long $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder -m long \
	    --timeout 1800

# Asks for host name and mail server, writes .env and secrets/, prints DNS records, starts the containers and
# checks them. What is there stays, so it can be run until all is well.
setup:
	@$(PYTHON) -m atlantis_site.installer

# Keys and passwords for docker-compose.yml, one file each in secrets/; what is there stays.
secrets:
	@$(PYTHON) -m atlantis_site.installer secrets

# Builds the image and runs compose; without an engine, runs each command in namespaces.
test-containers: test-environment
	$(BIN)/python -m tests.programs.containers

# Kills, stops, slow clients, a full disk, a failing mail server and a stepped clock while people play:
# half an hour at most, then a table. CHAOS="--minutes 10 --fault 'kill worker'" for less.
chaos: programs
	$(BIN)/python -m tests.load --faults $(CHAOS)

# How many people this machine carries: the busiest hour of more and more of them, over the whole service.
# Ten minutes at most, then a table. LOAD="--players 5000 --minutes 1" for one number of people.
load: test-environment
	$(BIN)/python -m tests.load $(LOAD)

# Years of correspondence play under one injected clock: people in 30 time zones, holidays, outages and
# moderators. An hour at most, then a table; the next run continues. SIMULATE="--minutes 10" for less.
simulate: test-environment
	$(BIN)/python -m tests.simulate $(SIMULATE)

# 20,000 changed records per game for the check of records. A run that was stopped continues.
fuzz-records: local-environment
	$(BIN)/python -m tests.support.record_fuzz

# Random positions, sentences and records: pages against the form, and both checks of records. An hour
# at most, then a table; the next run continues. FUZZ="--minutes 10" for less.
fuzz-rules: test-environment
	$(BIN)/python -m tests.programs.fuzz_rules $(FUZZ)

# How often plans for the next turn of Atlantis fit, and how many days a game of four takes with them:
# bots, and people under deadlines. About a minute; PLANS="--games 10" for less.
plans: test-environment
	$(BIN)/python -m tests.programs.plans $(PLANS)

check: test-environment
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	@if [ -x $(BIN)/biome ]; then $(BIN)/biome check; \
	else echo "CSS and JavaScript were NOT checked: biome has no wheel for this machine."; fi
	$(BIN)/djade --check $(TEMPLATES)
	$(BIN)/djlint --quiet --lint templates
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(UNCONNECTED) $(BIN)/python -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run
	SECRET_KEY="$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(60))')" \
	DATABASE_URL=postgresql:///unused BROKER_URL=redis://unused SITE_URL=https://games.example.org \
	EMAIL_URL=smtp://unused \
	    $(BIN)/python manage.py check --deploy --fail-level WARNING

format: test-environment
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	$(BIN)/biome check --write
	$(BIN)/djade $(TEMPLATES)

# Known vulnerabilities of the locked packages. Needs the network, so it is not part of `make test`.
audit: test-environment
	$(BIN)/pip-audit --strict --disable-pip --require-hashes -r requirements-test.lock

# Known vulnerabilities, with a fix, of the images that Dockerfile and docker-compose.yml name. Needs Docker.
GRYPE := anchore/grype:v0.118.0@sha256:8a93fc48da96bd6ec5981279d099b69de11541dc68fdf222fb9161f8ff284af7
audit-images:
	for image in $$(grep -hoE '[a-z/]+:[^ ]+@sha256:[0-9a-f]{64}' Dockerfile docker-compose.yml | sort -u); do \
	    docker run --rm $(GRYPE) --only-fixed --fail-on high $$image || exit 1; \
	done

# In about five minutes; without `--short` everything takes about half an hour.
bench: test-environment
	$(BIN)/python -m tests.bench --short --write var/bench.md

# Chromium and Debian's programs that tests need.
programs: test-environment
	@$(BIN)/python -m tests.support.debian_programs
	@$(BIN)/python -m tests.browser.chromium

local-environment:
	@$(PYTHON) atlantis_site/environment.py local

test-environment:
	@$(PYTHON) atlantis_site/environment.py test

# Locks with hashes, for every Python and platform; test first, the others within it.
LOCK := uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
    --no-emit-index-url --no-emit-find-links --python-version 3.11 pyproject.toml
lock:
	$(LOCK) --extra local --extra test -o requirements-test.lock
	$(LOCK) --extra local -c requirements-test.lock -o requirements-local.lock
	$(LOCK) -c requirements-test.lock -o requirements.lock
