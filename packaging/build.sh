#!/bin/sh
# Builds the packages with a ragfaith binary: a Python wheel, an npm package, and for
# Linux .deb, .rpm and, if buildah is installed, a container image. The same input gives
# the same bytes.
#
#	./packaging/build.sh VERSION OS ARCH BINARY DIR
#
# OS and ARCH are those of Go. scripts/release-files.sh must have written build/release.
# Unless NFPM is the path of a binary, nfpm is downloaded as a Go module and built.
set -eu
cd "$(dirname "$0")/.."
version=$1 os=$2 arch=$3 binary=$4 dir=$5
mkdir -p "$dir"
./packaging/wheel.py "$version" "$os" "$arch" "$binary" "$dir"
./packaging/npm/build.py "$version" "$os" "$arch" "$binary" "$dir"
if [ "$os" = linux ]; then
	SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
	export SOURCE_DATE_EPOCH VERSION="$version" ARCH="$arch" BINARY="$binary"
	for format in deb rpm; do
		${NFPM:-env GOFLAGS= CGO_ENABLED=0 go run github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.0} \
			package --config packaging/nfpm.yaml --packager $format --target "$dir/ragfaith_${version}_linux_$arch.$format"
	done
	if command -v buildah >/dev/null; then
		./packaging/image.sh "$version" "$arch" "$binary" "$dir/ragfaith_${version}_linux_$arch.image.tar"
	fi
fi
