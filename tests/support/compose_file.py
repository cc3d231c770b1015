"""docker-compose.yml as a dictionary, and its services."""

from typing import Any

import yaml

from atlantis_site.supervisor.stack import BASE_DIR

COMPOSE: dict[str, Any] = yaml.safe_load((BASE_DIR / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = sorted(name for name, service in SERVICES.items() if "build" in service)
# Of the processes that stay, with worker, bots and beat apart.
COMMANDS = {name: tuple(SERVICES[name]["command"]) for name in OURS if name != "migrate"}
