# syntax=docker/dockerfile:1
# The tags say what the images are, the digests which ones: change both together.
FROM --platform=$BUILDPLATFORM golang:1.26@sha256:3aff6657219a4d9c14e27fb1d8976c49c29fddb70ba835014f477e1c70636647 AS build
# go.mod names the toolchain, and its checksum is in the database of checksums.
ENV GOTOOLCHAIN=auto
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -tags nosandbox -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /waybill ./cmd/waybill && mkdir /data

FROM gcr.io/distroless/static-debian12:nonroot@sha256:d093aa3e30dbadd3efe1310db061a14da60299baff8450a17fe0ccc514a16639
COPY --from=build /waybill /waybill
COPY --from=build --chown=nonroot:nonroot /data /data
USER 65532:65532
ENV WAYBILL_LISTEN=0.0.0.0:8080
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["/waybill", "health"]
ENTRYPOINT ["/waybill"]
CMD ["serve"]
