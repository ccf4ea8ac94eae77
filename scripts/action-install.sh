#!/usr/bin/env bash
# Installs ragfaith and adds it to the PATH of the job: the first step of action.yml.
# Runs on Linux, macOS (which has bash 3.2) and Windows.
#
# INPUT_VERSION   v1.2.3, source, installed, or empty
# INPUT_RELEASES  URL of the releases
# ACTION_REF      tag, branch or commit by which the workflow refers to the action
# ACTION_PATH     directory with the source of the action
set -euo pipefail

fail() {
	echo "::error title=ragfaith::${1//[$'\r\n']/ }" # on one line, so that the message can't contain another workflow command
	exit 1
}

# sha256 FILE prints the checksum of a file.
sha256() {
	if command -v sha256sum >/dev/null; then
		sha256sum <"$1" | cut -d ' ' -f 1
	else
		shasum -a 256 <"$1" | cut -d ' ' -f 1
	fi
}

# fetch URL FILE downloads a file and prints the HTTP status, or 000 without a response.
fetch() {
	curl --silent --show-error --location --retry 3 --connect-timeout 30 --output "$2" --write-out '%{http_code}' -- "$1" || true
}

# build REASON PACKAGE builds ragfaith from source. REASON is why it must be built.
build() {
	command -v go >/dev/null || fail "$1, and Go is not installed: add a step with actions/setup-go"
	shift
	CGO_ENABLED=0 GOBIN=$bin go install -trimpath -ldflags=-s "$@"
}

release='^v?([0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?)$'
version=${INPUT_VERSION:-}
if [ -z "$version" ]; then
	version=source
	if [[ ${ACTION_REF:-} =~ $release ]]; then
		version=$ACTION_REF
	fi
fi

if [ "$version" = installed ]; then
	command -v ragfaith >/dev/null || fail "version: installed, but ragfaith is not on the PATH"
	exit 0
fi

tmp=$(mktemp -d "${RUNNER_TEMP:-/tmp}/ragfaith.XXXXXX")
bin=$tmp/bin
mkdir "$bin"
if [ "$version" = source ]; then
	(cd "$ACTION_PATH" && build "ragfaith is built from source" ./cmd/ragfaith)
elif [[ $version =~ $release ]]; then
	number=${BASH_REMATCH[1]}
	case ${RUNNER_OS:-}-${RUNNER_ARCH:-} in
	Linux-X64) platform=linux_amd64 ;;
	Linux-ARM64) platform=linux_arm64 ;;
	macOS-X64) platform=darwin_amd64 ;;
	macOS-ARM64) platform=darwin_arm64 ;;
	Windows-X64) platform=windows_amd64 ;;
	Windows-ARM64) platform=windows_arm64 ;;
	*) platform='' ;;
	esac
	archive=ragfaith_${number}_$platform.tar.gz
	url=${INPUT_RELEASES%/}/v$number
	status=404
	if [ -n "$platform" ]; then
		status=$(fetch "$url/$archive" "$tmp/archive")
	fi
	case $status in
	200)
		# Verify the archive before anything in it is executed.
		[ "$(fetch "$url/ragfaith_${number}_checksums.txt" "$tmp/checksums")" = 200 ] || fail "$url/ragfaith_${number}_checksums.txt: download failed"
		want=$(awk -v name="$archive" '$2 == name { print $1 }' "$tmp/checksums")
		[ -n "$want" ] && [ "$(sha256 "$tmp/archive")" = "$want" ] || fail "$archive: checksum mismatch"
		(cd "$tmp" && tar -xzf archive) # GNU tar would read the D: of a Windows path as a host
		mv "$tmp"/ragfaith "$bin/" 2>/dev/null || mv "$tmp"/ragfaith.exe "$bin/"
		;;
	404)
		echo "ragfaith $number has no binary for ${RUNNER_OS:-this system} ${RUNNER_ARCH:-}; building from source"
		build "ragfaith $number has no binary for this machine" "github.com/ragfaith/ragfaith/cmd/ragfaith@v$number"
		;;
	*) fail "$url/$archive: status $status" ;;
	esac
else
	# Do not print the value, which could contain a workflow command.
	fail "version: want v1.2.3, source or installed"
fi
"$bin/ragfaith" version
if command -v cygpath >/dev/null; then
	bin=$(cygpath -w "$bin")
fi
echo "$bin" >>"$GITHUB_PATH"
