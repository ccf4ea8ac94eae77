#!/bin/sh
# Builds the container image around a ragfaith binary, with buildah, from the Dockerfile:
# its build stage is replaced by a directory.
#
#	./packaging/image.sh VERSION ARCH BINARY FILE
#
# ARCH is that of Go. FILE is an OCI archive, which podman and skopeo read.
set -eu
cd "$(dirname "$0")/.."
version=$1 arch=$2 binary=$3 file=$4
tmp=$(mktemp -d "${TMPDIR:-/tmp}/ragfaith-image.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/etc/ssl/certs" "$tmp/out" "$tmp/rootfs/tmp" "$tmp/rootfs/cache" "$tmp/rootfs/data"
chmod 1777 "$tmp"/rootfs/*
cp /etc/ssl/certs/ca-certificates.crt "$tmp/etc/ssl/certs/"
cp "$binary" "$tmp/out/ragfaith"
image=localhost/ragfaith:$version-$arch
buildah build --quiet --isolation chroot --build-context "build=$tmp" --arch "$arch" \
	--timestamp "$(git log -1 --format=%ct)" --tag "$image" .
buildah push --quiet "$image" "oci-archive:$file:ragfaith:$version"
buildah rmi "$image" >/dev/null
