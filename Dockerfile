# An image with the static binary and CA certificates, without a shell or packages.
# It runs as an unprivileged user; docs/ci.md has examples.
ARG GO=docker.io/library/golang:1.26-bookworm
FROM ${GO} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -X main.release=$VERSION" -o /out/ragfaith ./cmd/ragfaith
# Directories that any user can write to, in case the container runs as another one.
RUN mkdir -p /rootfs/tmp /rootfs/cache /rootfs/data && chmod 1777 /rootfs/*

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /rootfs/ /
COPY --from=build /out/ragfaith /ragfaith
COPY LICENSE /LICENSE
ENV XDG_CACHE_HOME=/cache HOME=/cache
USER 65532:65532
WORKDIR /data
ENTRYPOINT ["/ragfaith"]
