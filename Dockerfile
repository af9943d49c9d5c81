# syntax=docker/dockerfile:1
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=
RUN CGO_ENABLED=0 go build -tags nosandbox -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /waybill ./cmd/waybill && mkdir /data

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /waybill /waybill
COPY --from=build --chown=nonroot:nonroot /data /data
ENV WAYBILL_LISTEN=0.0.0.0:8080
WORKDIR /data
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["/waybill"]
CMD ["serve"]
