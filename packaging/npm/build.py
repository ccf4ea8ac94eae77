#!/usr/bin/env python3
"""Build the npm package with a ragfaith binary, or the one that depends on them all.

    ./packaging/npm/build.py VERSION OS ARCH BINARY DIR
    ./packaging/npm/build.py VERSION DIR

OS and ARCH are those of Go. The same input gives the same bytes. Needs only Python.
"""

import gzip
import io
import json
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PLATFORMS = {
    "linux/amd64": ("linux", "x64"),
    "linux/arm64": ("linux", "arm64"),
    "darwin/amd64": ("darwin", "x64"),
    "darwin/arm64": ("darwin", "arm64"),
    "windows/amd64": ("win32", "x64"),
    "windows/arm64": ("win32", "arm64"),
}


def package(name: str, version: str, **fields: object) -> dict[str, object]:
    """Return a package.json."""
    return {
        "name": name,
        "version": version,
        "description": "Score how far RAG answers are supported by their retrieved contexts",
        "license": "Apache-2.0",
        "repository": {"type": "git", "url": "git+https://github.com/ragfaith/ragfaith.git"},
        "keywords": ["rag", "evaluation", "faithfulness", "hallucination", "llm"],
        "publishConfig": {"access": "public"},
        **fields,
    }


def write(out: Path, manifest: dict[str, object], files: dict[str, bytes]) -> Path:
    """Write a package as npm pack names it and return its path."""
    out.mkdir(parents=True, exist_ok=True)
    path = out / "{name}-{version}.tgz".format(**manifest).replace("@", "").replace("/", "-")
    files = {"package.json": (json.dumps(manifest, indent=2) + "\n").encode(), **files}
    with path.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as zipped, tarfile.open(fileobj=zipped, mode="w") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo("package/" + name)
            entry.size, entry.mode = len(content), 0o755 if name.startswith("bin/") else 0o644
            tar.addfile(entry, io.BytesIO(content))
    return path


def platform_package(version: str, platform: str, binary: Path, out: Path) -> Path:
    """Write the package with a binary, which npm installs only where it runs."""
    system, cpu = PLATFORMS[platform]
    command = "bin/ragfaith.exe" if system == "win32" else "bin/ragfaith"
    manifest = package(f"@ragfaith/{system}-{cpu}", version, os=[system], cpu=[cpu], preferUnplugged=True)
    files = {
        "README.md": b"The ragfaith binary for one platform. Install the package ragfaith instead.\n",
        "LICENSE": (ROOT / "LICENSE").read_bytes(),
        # scripts/release-files.sh writes the notices.
        "THIRD_PARTY_NOTICES.md": (ROOT / "build/release/THIRD_PARTY_NOTICES.md").read_bytes(),
        command: binary.read_bytes(),
    }
    return write(out, manifest, files)


def main_package(version: str, out: Path) -> Path:
    """Write the package with the command that runs the binary."""
    dependencies = {f"@ragfaith/{system}-{cpu}": version for system, cpu in PLATFORMS.values()}
    manifest = package("ragfaith", version, bin={"ragfaith": "bin/ragfaith.js"}, engines={"node": ">=16"}, optionalDependencies=dependencies)
    files = {
        "README.md": (ROOT / "README.md").read_bytes(),
        "LICENSE": (ROOT / "LICENSE").read_bytes(),
        "bin/ragfaith.js": (HERE / "ragfaith.js").read_bytes(),
    }
    return write(out, manifest, files)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(main_package(sys.argv[1], Path(sys.argv[2])))
    elif len(sys.argv) == 6:
        number, system, arch, binary, directory = sys.argv[1:]
        print(platform_package(number, f"{system}/{arch}", Path(binary), Path(directory)))
    else:
        sys.exit(__doc__)
