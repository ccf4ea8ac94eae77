# A binary and the certificates to reach a language model with: no shell, no
# packages, no root. docs/ci.md says how it is run.
ARG GO=docker.io/library/golang:1.26-bookworm
FROM ${GO} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags=-s -o /out/ragfaith ./cmd/ragfaith
# Folders that 65532 and any other user may write to.
RUN mkdir -p /root-of-image/tmp /root-of-image/cache /root-of-image/data && chmod 1777 /root-of-image/*

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /root-of-image/ /
COPY --from=build /out/ragfaith /ragfaith
COPY LICENSE /LICENSE
ENV XDG_CACHE_HOME=/cache HOME=/cache
USER 65532:65532
WORKDIR /data
ENTRYPOINT ["/ragfaith"]
