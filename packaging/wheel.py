#!/usr/bin/env python3
"""Build a Python wheel around a ragfaith binary.

    ./packaging/wheel.py VERSION OS ARCH BINARY DIR

OS and ARCH are those of Go. The same input gives the same bytes. Needs only Python.
"""

from __future__ import annotations

import base64
import hashlib
import re
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
URL = "https://github.com/ragfaith/ragfaith"
PLATFORMS = {
    # The Linux binary is static, so it runs with any C library.
    "linux/amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}
METADATA = """\
Metadata-Version: 2.4
Name: ragfaith
Version: {version}
Summary: Score how far RAG answers are supported by their retrieved contexts
Keywords: rag,evaluation,faithfulness,groundedness,hallucination,llm
License-Expression: Apache-2.0
License-File: LICENSE
License-File: THIRD_PARTY_NOTICES.md
Classifier: Development Status :: 4 - Beta
Classifier: Environment :: Console
Classifier: Intended Audience :: Developers
Classifier: Operating System :: MacOS
Classifier: Operating System :: Microsoft :: Windows
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Go
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence
Classifier: Topic :: Software Development :: Testing
Classifier: Typing :: Typed
Requires-Python: >=3.9
Provides-Extra: pandas
Requires-Dist: pandas>=1.5; extra == "pandas"
Project-URL: Source, {url}
Project-URL: Documentation, {url}/blob/{ref}/docs/python.md
Project-URL: Changelog, {url}/blob/{ref}/CHANGELOG.md
Description-Content-Type: text/markdown

{readme}"""


def python_version(version: str) -> str:
    """Return a semantic version in the form of PEP 440."""
    number, _, suffix = version.partition("-")
    if m := re.fullmatch(r"(alpha|beta|rc)\.?(\d+)", suffix):
        return number + {"alpha": "a", "beta": "b", "rc": "rc"}[m[1]] + m[2]
    return number + ("+" + re.sub(r"[^a-z0-9]+", ".", suffix.lower()) if suffix else "")


def readme(ref: str) -> str:
    """Return the README with absolute links."""
    text = (ROOT / "README.md").read_text("utf-8")
    text = re.sub(r"(!\[[^]]*\]\()(?!https?:)", rf"\1{URL}/raw/{ref}/", text)
    return re.sub(r"(\]\()(?!https?:|#)", rf"\1{URL}/blob/{ref}/", text)


def build(version: str, platform: str, binary: Path, notices: Path | None, out: Path) -> Path:
    """Write the wheel for a platform and return its path. Without notices, it can't be distributed."""
    ref = "main" if "-" in version and "rc" not in version else "v" + version
    version = python_version(version)
    tag = PLATFORMS[platform]
    name = f"ragfaith-{version}"
    info = f"{name}.dist-info"
    command = "ragfaith.exe" if platform.startswith("windows/") else "ragfaith"
    files = {f"ragfaith/{p.name}": p.read_bytes() for p in sorted((ROOT / "packaging/python/ragfaith").glob("*.py*")) if p.is_file()}
    files[f"{name}.data/scripts/{command}"] = binary.read_bytes()
    files[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    metadata = METADATA.format(version=version, url=URL, ref=ref, readme=readme(ref))
    if notices:
        files[f"{info}/licenses/THIRD_PARTY_NOTICES.md"] = notices.read_bytes()
    else:
        metadata = metadata.replace("License-File: THIRD_PARTY_NOTICES.md\n", "")
    files[f"{info}/METADATA"] = metadata.encode()
    files[f"{info}/entry_points.txt"] = b"[pytest11]\nragfaith = ragfaith._pytest\n"
    tags = "".join(f"Tag: py3-none-{t}\n" for t in tag.split("."))
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: ragfaith\nRoot-Is-Purelib: false\n{tags}".encode()
    record = ""
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    out.mkdir(parents=True, exist_ok=True)
    wheel = out / f"{name}-py3-none-{tag}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # Unix, on every system
            entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return wheel


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    number, system, arch, binary, directory = sys.argv[1:]
    # scripts/release-files.sh writes the notices.
    print(build(number, f"{system}/{arch}", Path(binary), ROOT / "build/release/THIRD_PARTY_NOTICES.md", Path(directory)))
