#!/usr/bin/env python3
"""Write the Homebrew formula and the Scoop manifest of a release.

    ./packaging/manifests.py VERSION CHECKSUMS DIR

CHECKSUMS is the checksum file of the release. Needs only Python.
"""

import json
import sys
from pathlib import Path

URL = "https://github.com/ragfaith/ragfaith"
SUMMARY = "Score how far RAG answers are supported by their retrieved contexts"
FORMULA = """\
class Ragfaith < Formula
  desc "{summary}"
  homepage "{url}"
  version "{version}"
  license "Apache-2.0"

{systems}
  def install
    bin.install "ragfaith"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/ragfaith.bash" => "ragfaith"
    zsh_completion.install "completions/ragfaith.zsh" => "_ragfaith"
    fish_completion.install "completions/ragfaith.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/ragfaith --version")
  end
end
"""


def archive(version: str, system: str, arch: str) -> str:
    """Return the name of an archive of the release."""
    return f"ragfaith_{version}_{system}_{arch}." + ("zip" if system == "windows" else "tar.gz")


def download(version: str, name: str) -> str:
    return f"{URL}/releases/download/v{version}/{name}"


def formula(version: str, checksums: dict[str, str]) -> str:
    systems = ""
    for block, system in (("on_macos", "darwin"), ("on_linux", "linux")):
        systems += f"  {block} do\n"
        for cpu, arch in (("on_arm", "arm64"), ("on_intel", "amd64")):
            name = archive(version, system, arch)
            systems += f'    {cpu} do\n      url "{download(version, name)}"\n      sha256 "{checksums[name]}"\n    end\n'
        systems += "  end\n"
    return FORMULA.format(summary=SUMMARY, url=URL, version=version, systems=systems)


def scoop(version: str, checksums: dict[str, str]) -> str:
    files = {key: archive(version, "windows", arch) for key, arch in (("64bit", "amd64"), ("arm64", "arm64"))}
    manifest = {
        "version": version,
        "description": SUMMARY,
        "homepage": URL,
        "license": "Apache-2.0",
        "architecture": {key: {"url": download(version, name), "hash": checksums[name]} for key, name in files.items()},
        "bin": "ragfaith.exe",
        "checkver": "github",
        "autoupdate": {
            "architecture": {key: {"url": download("$version", name.replace(version, "$version"))} for key, name in files.items()},
            "hash": {"url": "$baseurl/ragfaith_$version_checksums.txt"},
        },
    }
    return json.dumps(manifest, indent=4) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    number, directory = sys.argv[1], Path(sys.argv[3])
    sums = {name: digest for digest, name in map(str.split, Path(sys.argv[2]).read_text("ascii").splitlines())}
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "ragfaith.rb").write_text(formula(number, sums), "utf-8")
    (directory / "ragfaith.json").write_text(scoop(number, sums), "utf-8")
