#!/usr/bin/env bash
# The first step of action.yml: puts a ragfaith onto the PATH of the job. It runs
# on Linux, macOS (whose bash is 3.2) and Windows.
#
# INPUT_VERSION   v1.2.3, source, installed, or empty
# INPUT_RELEASES  the address that releases lie under
# ACTION_REF      what the workflow named the action by: a tag, a branch, a commit
# ACTION_PATH     the source of the action
set -euo pipefail

fail() {
	echo "::error title=ragfaith::${1//[$'\r\n']/ }" # on one line, so that nothing in it is a command of its own
	exit 1
}

# sha256 prints the digest of a file.
sha256() {
	if command -v sha256sum >/dev/null; then
		sha256sum <"$1" | cut -d ' ' -f 1
	else
		shasum -a 256 <"$1" | cut -d ' ' -f 1
	fi
}

# fetch URL FILE prints the status of the answer, 000 where there was none.
fetch() {
	curl --silent --show-error --location --retry 3 --connect-timeout 30 --output "$2" --write-out '%{http_code}' -- "$1" || true
}

# build makes the program of a module, or of a folder in the current one.
build() {
	command -v go >/dev/null || fail "$1, and there is no Go here to build it with: add a step with actions/setup-go"
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
	command -v ragfaith >/dev/null || fail "version is installed, and there is no ragfaith on the PATH"
	exit 0
fi

tmp=$(mktemp -d "${RUNNER_TEMP:-/tmp}/ragfaith.XXXXXX")
bin=$tmp/bin
mkdir "$bin"
if [ "$version" = source ]; then
	(cd "$ACTION_PATH" && build "the action was named by no release" ./cmd/ragfaith)
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
	from=${INPUT_RELEASES%/}/v$number
	status=404
	if [ -n "$platform" ]; then
		status=$(fetch "$from/$archive" "$tmp/archive")
	fi
	case $status in
	200)
		# What is not the file that the release speaks of is never run.
		[ "$(fetch "$from/ragfaith_${number}_checksums.txt" "$tmp/checksums")" = 200 ] || fail "the checksums of $number can't be had"
		want=$(awk -v name="$archive" '$2 == name { print $1 }' "$tmp/checksums")
		[ -n "$want" ] && [ "$(sha256 "$tmp/archive")" = "$want" ] || fail "$archive has not the checksum that its release gives"
		(cd "$tmp" && tar -xzf archive) # GNU tar takes the D: of a path of Windows for a host
		mv "$tmp"/ragfaith "$bin/" 2>/dev/null || mv "$tmp"/ragfaith.exe "$bin/"
		;;
	404)
		echo "There is no $number for ${RUNNER_OS:-this system} ${RUNNER_ARCH:-}: it is built."
		build "there is no $number for this machine" "github.com/ragfaith/ragfaith/cmd/ragfaith@v$number"
		;;
	*) fail "$from/$archive: status $status" ;;
	esac
else
	# It is not repeated: it could be a command to GitHub.
	fail "version: want v1.2.3, source or installed"
fi
"$bin/ragfaith" version
if command -v cygpath >/dev/null; then
	bin=$(cygpath -w "$bin")
fi
echo "$bin" >>"$GITHUB_PATH"
