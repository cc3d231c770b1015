"""Build the image and run docker-compose.yml with a real engine: `make test-containers`.

Without an engine, each command runs in namespaces instead (tests/site/test_compose_commands.py),
and the first line of the output says so.
"""

import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from atlantis_site import installer

BASE_DIR = Path(__file__).resolve().parents[2]
PROJECT = "atlantis-by-mail-test"
BUILD_SECONDS, START_SECONDS = 1800, 300


def engine() -> str | None:
    """Return docker or podman, if it has compose and its daemon answers."""
    for program in ("docker", "podman"):
        if shutil.which(program) and all(
            subprocess.run(
                [program, *words], capture_output=True, timeout=30, check=False
            ).returncode
            == 0
            for words in (["info"], ["compose", "version"])
        ):
            return program
    return None


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def main() -> int:
    """Return the exit status of whichever ran."""
    program = engine()
    if program is None:
        print(
            "NO CONTAINER ENGINE: the image is NOT built. Its commands run in namespaces instead.",
            flush=True,
        )
        tests = ["tests/site/test_compose_commands.py", "tests/site/test_containers.py"]
        command = [sys.executable, "-m", "pytest", "-p", "no:randomly", *tests]
        return subprocess.run(command, cwd=BASE_DIR, check=False).returncode
    port = free_port()
    folder = BASE_DIR / "secrets"
    was_there = folder.exists()
    installer.make_secrets(folder)
    if not was_there:
        (folder / "email_url").write_text("smtp://mail.example.org:25\n")
    variables = {
        "PORT": str(port),
        "MAIL_PORT": str(free_port()),
        "MAIL_REPLY_DOMAIN": "reply.example.org",
        "SWEEP_SECONDS": "1",
    }
    with tempfile.NamedTemporaryFile("w", suffix=".env") as file:
        file.write("".join(f"{name}={value}\n" for name, value in variables.items()))
        file.flush()
        compose = [program, "compose", "-p", PROJECT, "--env-file", file.name]
        compose += ["--profile", "replies"]
        try:
            run([*compose, "build"], BUILD_SECONDS)
            run([*compose, "up", "--detach", "--wait", "--wait-timeout", "240"], START_SECONDS)
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=30) as answer:
                print(answer.read().decode())
        except (subprocess.SubprocessError, OSError) as error:
            print(f"FAILED: {error}", flush=True)
            subprocess.run(
                [*compose, "logs", "--tail", "40"], cwd=BASE_DIR, timeout=60, check=False
            )
            return 1
        finally:
            run([*compose, "down", "--volumes", "--timeout", "20"], START_SECONDS)
            if not was_there:
                shutil.rmtree(folder)
    print("The image was built, and all containers are healthy.")
    return 0


def run(command: list[str], seconds: float) -> None:
    subprocess.run(command, cwd=BASE_DIR, timeout=seconds, check=True)


if __name__ == "__main__":
    sys.exit(main())
