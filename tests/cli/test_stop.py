"""Signals that come before the server is ready for them."""

import signal
import subprocess
import sys
import time
from pathlib import Path

SECONDS = 60.0


def test_a_server_told_to_stop_while_it_makes_its_database_ends_with_0(socket_dir: Path) -> None:
    socket_dir.chmod(0o711)  # as root, the account PostgreSQL steps down to must get through
    data = socket_dir / "data"
    command = [sys.executable, "-m", "tenure_server", "serve", "--data-dir", str(data)]
    server = subprocess.Popen([*command, "--listen", f"unix:{socket_dir}/t.sock"], stderr=subprocess.PIPE)
    end = time.monotonic() + SECONDS
    while not list(data.glob("cluster*")) and server.poll() is None and time.monotonic() < end:
        time.sleep(0.005)

    server.send_signal(signal.SIGTERM)
    _, said = server.communicate(timeout=SECONDS)

    assert (server.returncode, b"Traceback" in said) == (0, False)
    assert not (data / "cluster" / "postmaster.pid").exists()
