"""Runs the tests that the Rust client `ticketing` 0.3.0 is published with.

usage: their_tests.py FOLDER

The crate comes from its registry through cargo into FOLDER, is compared with a
pinned hash, and is built there. Its tests connect to 127.0.0.1:5225 and to
nothing else, so our server runs there, with --wait-zero=block, as one of them
expects.
"""

import hashlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys

from ticketd import Server

NAME, VERSION = "ticketing", "0.3.0"
SHA256 = "a683d63e7bb0fa1211f28e9c45237a1bd4f8e5192629b1baee8bac040a062a2e"
TESTS = ("nc_example_simple_test", "nc_bench_test", "nc_bank_test")
PORT = 5225

CARGO_TOML = f"""[package]
name = "fetch"
version = "0.0.0"
edition = "2024"
[lib]
path = "lib.rs"
[dependencies]
{NAME} = "={VERSION}"
"""


def fetch(folder: pathlib.Path) -> pathlib.Path:
    """Lets cargo download the crate and returns the folder of its source."""
    project = folder / "fetch"
    project.mkdir(parents=True, exist_ok=True)
    (project / "Cargo.toml").write_text(CARGO_TOML)
    (project / "lib.rs").touch()
    metadata = json.loads(cargo("metadata", "--format-version=1", cwd=project, stdout=subprocess.PIPE))
    manifest = next(p["manifest_path"] for p in metadata["packages"] if (p["name"], p["version"]) == (NAME, VERSION))
    source = pathlib.Path(manifest).parent
    # cargo keeps registry/src/INDEX/NAME beside registry/cache/INDEX/NAME.crate
    crate = source.parents[2] / "cache" / source.parent.name / f"{NAME}-{VERSION}.crate"
    if hashlib.sha256(crate.read_bytes()).hexdigest() != SHA256:
        sys.exit(f"{crate} is not the crate that was pinned")
    return source


def unpack(source: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """Copies the source, since cargo runs only the tests of a package of ours."""
    copy = folder / "crate"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(source, copy)
    return copy


def cargo(*arguments: str, cwd: pathlib.Path, **options) -> bytes:
    target = cwd.parent / "target"
    environment = os.environ | {
        "NO_COLOR": "1",
        "CARGO_TARGET_DIR": str(target),
        # Their profile takes minutes to link, and tests nothing of ours.
        "CARGO_PROFILE_RELEASE_LTO": "off",
        "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
    }
    return subprocess.run(["cargo", *arguments], cwd=cwd, env=environment, check=True, **options).stdout


def need_port() -> None:
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind(("127.0.0.1", PORT))
        except OSError as err:
            sys.exit(f"the Rust client's tests want our server on 127.0.0.1:{PORT}, and that port is taken: {err}")


def main(folder: pathlib.Path) -> None:
    need_port()
    crate = unpack(fetch(folder), folder)
    test = ["test", "--release", "--locked", "--features=tracing", *(f"--test={name}" for name in TESTS)]
    cargo(*test, "--no-run", cwd=crate)
    for durable in (False, True):
        print("-- with a store" if durable else "-- in memory", flush=True)
        with Server("--wait-zero=block", durable=durable, port=PORT):
            cargo(*test, "--", "--nocapture", cwd=crate)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
