"""Starts and ends bin/ticketd for the interop tests."""

import json
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

BINARY = pathlib.Path(__file__).parents[1] / "bin" / "ticketd"
START_LIMIT_S = 20
STOP_LIMIT_S = 5


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on at this moment."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    """One ticketd on 127.0.0.1. Its store, if it has one, is a temporary
    folder that lives as long as the Server, over kills and restarts."""

    def __init__(self, *flags: str, durable: bool = False, port: int = 0):
        self.addr = f"127.0.0.1:{port or free_port()}"
        self.http = f"127.0.0.1:{free_port()}"
        self.dir = tempfile.mkdtemp(prefix="ticketd-interop-")
        store = ["--data-dir", f"{self.dir}/data"] if durable else ["--memory"]
        self.command = [BINARY, "serve", "--listen", self.addr, "--http", self.http, *store, *flags]
        self.process: subprocess.Popen | None = None

    def __enter__(self) -> "Server":
        self.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        try:
            self.stop()
        finally:
            shutil.rmtree(self.dir, ignore_errors=True)

    def start(self) -> None:
        """Starts the server and returns once it says that it is ready."""
        with open(f"{self.dir}/log", "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)
        deadline = time.monotonic() + START_LIMIT_S
        while not self._ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.process.kill()
                raise RuntimeError(f"ticketd did not become ready: {self.command}\n{self.log()}")
            time.sleep(0.02)

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """SIGTERM; anything but a clean and timely exit is an error."""
        if self.process.poll() is not None:
            raise RuntimeError(f"ticketd ended by itself with {self.process.returncode}\n{self.log()}")
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        if code != 0:
            raise RuntimeError(f"ticketd exited with {code} after SIGTERM\n{self.log()}")

    def status(self) -> dict:
        """The server's own account of itself."""
        with urllib.request.urlopen(f"http://{self.http}/status", timeout=5) as answer:
            return json.load(answer)

    def log(self) -> str:
        return pathlib.Path(f"{self.dir}/log").read_text(errors="replace")[-4000:]

    def _ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://{self.http}/readyz", timeout=1) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False
