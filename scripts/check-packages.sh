#!/usr/bin/env bash
# Builds the packages for this machine (Linux) and installs each into a temporary
# directory: the wheel, the npm package, .deb, .rpm and the container image. It also runs
# the examples in Python, and checks the names of the packages for other platforms.
#
#	./scripts/check-packages.sh
#
# Needs Go and Python. Checks that need other programs are skipped, with a message, if
# apt-get can't install them.
set -euo pipefail
cd "$(dirname "$0")/.."
version=1.2.3-rc.4
arch=$(go env GOARCH)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/ragfaith-packages.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
packages=$tmp/packages

# has COMMAND [PACKAGE]: installs the Debian package of a missing command, as root.
has() {
	command -v "$1" >/dev/null && return
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		apt-get install -qqy --no-install-recommends "${2:-$1}" >/dev/null 2>&1 || { apt-get update -qq && apt-get install -qqy --no-install-recommends "${2:-$1}"; } >/dev/null 2>&1 || true
	fi
	command -v "$1" >/dev/null || { echo "skipped: $1 not found" && false; }
}

# expect TEXT COMMAND...: fails unless the command exits with 0 and prints TEXT.
expect() {
	local text=$1 out
	shift
	out=$("$@" 2>&1) && [[ $out == *"$text"* ]] || { echo "$*: want $text, got: $out" && exit 1; }
}

echo '== build'
CGO_ENABLED=0 go build -trimpath -ldflags="-s -X main.release=$version" -o "$tmp/bin/ragfaith" ./cmd/ragfaith
size=$(stat -c %s "$tmp/bin/ragfaith")
echo "binary: $size bytes"
[ "$size" -le 75000000 ] || { echo 'the binary has more than 75 MB: is a dependency new, or dead code elimination disabled?' && exit 1; }
./scripts/release-files.sh build/release "$tmp/bin/ragfaith"
export STORAGE_DRIVER=vfs CONTAINERS_STORAGE_CONF=$tmp/storage.conf
printf '[storage]\ndriver = "vfs"\ngraphroot = "%s/graph"\nrunroot = "%s/run"\n' "$tmp" "$tmp" >"$CONTAINERS_STORAGE_CONF"
has buildah || true
./packaging/npm/build.py "$version" "$packages"
./packaging/build.sh "$version" linux "$arch" "$tmp/bin/ragfaith" "$packages"

echo '== Python'
python3 -m venv "$tmp/venv"
pip() { "$tmp/venv/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }
wheel=$(echo "$packages"/*.whl)
pip install "${wheel}[pandas]" pandas-stubs mypy pytest nbclient ipykernel uv
expect "ragfaith $version (" "$tmp/venv/bin/ragfaith" --version
expect "ragfaith $version (" "$tmp/venv/bin/uv" tool run --quiet --no-config --cache-dir "$tmp/uv" --from "$wheel" ragfaith --version
expect Success "$tmp/venv/bin/mypy" --strict --cache-dir "$tmp/mypy" packaging/python/ragfaith
cp -r packaging/python/test_ragfaith.py examples/python "$tmp"
"$tmp/venv/bin/pytest" -q -p no:cacheprovider "$tmp/test_ragfaith.py" "$tmp/python"
"$tmp/venv/bin/jupyter" execute "$tmp/python/faithfulness.ipynb" 2>"$tmp/log" || { cat "$tmp/log" && exit 1; }
python3 -m venv "$tmp/checkout"
"$tmp/checkout/bin/python" -m pip install --quiet --disable-pip-version-check ./packaging/python
expect ragfaith "$tmp/checkout/bin/ragfaith" --version
# The wheels for other platforms, with a stand-in for the binary.
echo binary >"$tmp/binary"
for target in linux/amd64:musllinux_1_1_x86_64 linux/arm64:manylinux_2_17_aarch64 darwin/amd64:macosx_12_0_x86_64 darwin/arm64:macosx_12_0_arm64 windows/amd64:win_amd64 windows/arm64:win_arm64; do
	platform=${target%:*}
	other=$(./packaging/wheel.py "$version" "${platform%/*}" "${platform#*/}" "$tmp/binary" "$tmp/other")
	pip install --no-deps --only-binary :all: --platform "${target#*:}" --target "$tmp/$platform" "$other"
	cmp -s "$tmp/binary" "$tmp/$platform/bin/"ragfaith* || { echo "$other has no binary" && exit 1; }
done

echo '== npm'
if has npm; then
	mkdir "$tmp/npm"
	(
		cd "$tmp/npm"
		npm install --silent --no-audit --no-fund --offline "$packages"/ragfaith-linux-*.tgz "$packages/ragfaith-$version.tgz"
		expect "ragfaith $version (" node_modules/.bin/ragfaith --version
		code=0
		node_modules/.bin/ragfaith --unknown 2>/dev/null || code=$?
		[ $code = 2 ] || { echo "exit code $code, want 2" && exit 1; }
		# A signal to the script reaches the command, which has opened its output and
		# waits for its input.
		mkfifo pipe
		node_modules/.bin/ragfaith score - --output rows.jsonl <pipe 2>log &
		exec 3>pipe
		for _ in $(seq 600); do
			[ -e rows.jsonl.part ] && break
			sleep 0.1
		done
		kill -TERM $!
		code=0
		wait $! || code=$?
		[ $code = 130 ] || { echo "exit code $code after SIGTERM, want 130" && cat log && exit 1; }
		rm -r node_modules/@ragfaith
		! node_modules/.bin/ragfaith 2>log
		grep -q 'the package @ragfaith/linux-.* is not installed' log
	)
fi

echo '== deb'
if [ "$(id -u)" != 0 ]; then
	echo 'skipped: dpkg needs root to install into a directory'
elif has dpkg; then
	root=$tmp/deb
	mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
	touch "$root/var/lib/dpkg/status"
	packager() { dpkg --root="$root" --log=/dev/null --force-script-chrootless "$@" >/dev/null; }
	packager --install "$packages"/*.deb
	expect "ragfaith $version (" "$root/usr/bin/ragfaith" --version
	for file in man/man1/ragfaith-score.1 doc/ragfaith/copyright doc/ragfaith/THIRD_PARTY_NOTICES.md bash-completion/completions/ragfaith; do
		[ -s "$root/usr/share/$file" ] || { echo "the .deb has no $file" && exit 1; }
	done
	packager --remove ragfaith
	[ ! -e "$root/usr/bin/ragfaith" ] || { echo 'the .deb does not remove its files' && exit 1; }
fi

echo '== rpm'
if [ "$(id -u)" != 0 ]; then
	echo 'skipped: rpm needs root to install into a directory'
elif has rpm; then
	mkdir "$tmp/rpm"
	rpm --root "$tmp/rpm" --nodeps --install "$packages"/*.rpm 2>/dev/null
	expect "ragfaith $version (" "$tmp/rpm/usr/bin/ragfaith" --version
	[ -s "$tmp/rpm/usr/share/licenses/ragfaith/LICENSE" ] || { echo 'the .rpm has no licence' && exit 1; }
	rpm --root "$tmp/rpm" --erase ragfaith 2>/dev/null
	[ ! -e "$tmp/rpm/usr/bin/ragfaith" ] || { echo 'the .rpm does not remove its files' && exit 1; }
fi

echo '== image'
if has buildah; then
	container=$(buildah from --quiet "oci-archive:$(echo "$packages"/*.image.tar)")
	in_image() { buildah run --isolation chroot --user 65532 --volume "$PWD/testdata:/data:ro" "$container" -- "$@"; }
	expect "ragfaith $version (" in_image /ragfaith --version
	expect 'scored 59' in_image /ragfaith score rows.jsonl --to none
	# It is not root, and has certificates and a writable /tmp.
	expect '65532:65532' buildah inspect --format '{{.OCIv1.Config.User}}' "$container"
	if files=$(buildah mount "$container" 2>/dev/null); then
		[ -s "$files/etc/ssl/certs/ca-certificates.crt" ] && [ "$(stat -c %a "$files/tmp")" = 1777 ] || { echo 'the image lacks certificates or /tmp' && exit 1; }
	fi
	buildah rm "$container" >/dev/null
fi

echo '== Homebrew and Scoop'
for os in linux_amd64.tar.gz linux_arm64.tar.gz darwin_amd64.tar.gz darwin_arm64.tar.gz windows_amd64.zip windows_arm64.zip; do
	echo "$(sha256sum <"$tmp/binary" | cut -d ' ' -f 1)  ragfaith_${version}_$os"
done >"$tmp/checksums.txt"
./packaging/manifests.py "$version" "$tmp/checksums.txt" "$tmp/manifests"
python3 -m json.tool "$tmp/manifests/ragfaith.json" >/dev/null
if has ruby; then
	expect 'Syntax OK' ruby -c "$tmp/manifests/ragfaith.rb"
fi
echo 'packages: ok'
