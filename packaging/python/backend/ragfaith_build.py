"""Build the wheel of a checkout: pip install ./packaging/python. Needs Go."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "packaging"))


def build_wheel(directory, config_settings=None, metadata_directory=None):
    """Build the command and the wheel around it, and return its name."""
    import wheel

    def go(*arguments):
        return subprocess.run(["go", *arguments], cwd=ROOT, env={**os.environ, "CGO_ENABLED": "0"}, check=True, stdout=subprocess.PIPE, text=True).stdout.split()

    system, arch, suffix = (go("env", "GOOS") + go("env", "GOARCH") + go("env", "GOEXE") + [""])[:3]
    binary = ROOT / f"build/python/ragfaith{suffix}"
    go("build", "-trimpath", "-ldflags=-s", "-o", str(binary), "./cmd/ragfaith")
    notices = ROOT / "build/release/THIRD_PARTY_NOTICES.md"
    if not notices.exists():
        notices = None  # for packages that are distributed
    return wheel.build("0.0.0-dev", f"{system}/{arch}", binary, notices, Path(directory)).name
