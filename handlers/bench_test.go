package handlers_test

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-github/v60/github"
	"github.com/palantir/go-githubapp/githubapp"
	"github.com/stretchr/testify/require"

	"waybill/handlers"
)

// BenchmarkHook measures the door alone: 64 connections that post signed deliveries of 10 KB to a server on loopback.
// The clients run in the same process, so that only the ratios mean something.
func BenchmarkHook(b *testing.B) {
	ours, err := handlers.GitHub(handlers.Options{Secret: secret, Inbox: oblivion{}})
	require.NoError(b, err)
	for _, server := range []struct {
		name    string
		handler http.Handler
	}{
		{"read and HMAC only", http.HandlerFunc(readAndVerify)},
		{"waybill", ours},
		{"go-githubapp", githubapp.NewEventDispatcher([]githubapp.EventHandler{parsing{}}, secret, githubapp.WithScheduler(githubapp.AsyncScheduler()))},
	} {
		b.Run(server.name, func(b *testing.B) { benchmarkHook(b, server.handler) })
	}
}

func benchmarkHook(b *testing.B, handler http.Handler) {
	server := httptest.NewServer(handler)
	defer server.Close()
	request := delivery10KB()
	b.SetParallelism(64 / runtime.GOMAXPROCS(0))
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			b.Error(err)
			return
		}
		defer conn.Close()
		answers := bufio.NewReader(conn)
		for pb.Next() {
			if err := post(conn, answers, request); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "deliveries/s")
}

// post sends a request as it is, and reads the answer without making a response of it.
func post(conn io.Writer, answers *bufio.Reader, request []byte) error {
	if _, err := conn.Write(request); err != nil {
		return err
	}
	status, err := answers.ReadSlice('\n')
	if err != nil {
		return err
	}
	if !strings.HasPrefix(string(status), "HTTP/1.1 20") {
		return fmt.Errorf("answered %s", status)
	}
	for length := 0; ; {
		line, err := answers.ReadSlice('\n')
		if err != nil {
			return err
		}
		if value, is := strings.CutPrefix(string(line), "Content-Length: "); is {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return err
			}
		}
		if len(line) == 2 {
			_, err := answers.Discard(length)
			return err
		}
	}
}

// delivery10KB is a signed check_run of 10 KB, the way GitHub sends it.
func delivery10KB() []byte {
	body := `{"action":"completed","check_run":{"id":1,"name":"smoke","output":{"summary":"` + strings.Repeat("all is well; ", 300) +
		`"},"links":[` + strings.Repeat(`{"url":"https://api.github.com/repos/acme/deploy/check-runs/1"},`, 90) +
		`{}]},"repository":{"id":1,"full_name":"acme/deploy"},"installation":{"id":1}}`
	return fmt.Appendf(nil, "POST /api/github/hook HTTP/1.1\r\nHost: waybill\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"+
		"X-GitHub-Event: check_run\r\nX-GitHub-Delivery: 72d3162e-cc78-11e3-81ab-4c9367dc0958\r\nX-Hub-Signature-256: %s\r\n\r\n%s",
		len(body), sign(secret, body), body)
}

// readAndVerify is the least that any webhook must do.
func readAndVerify(w http.ResponseWriter, r *http.Request) {
	body := make([]byte, r.ContentLength)
	if _, err := io.ReadFull(r.Body, body); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	given, _ := hex.DecodeString(strings.TrimPrefix(r.Header.Get("X-Hub-Signature-256"), "sha256="))
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	if !hmac.Equal(given, mac.Sum(nil)) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// oblivion is an inbox that forgets.
type oblivion struct{}

func (oblivion) Accept(context.Context, handlers.Delivery) (bool, error) { return true, nil }

// parsing is what an App on go-githubapp's own schedulers does at least.
type parsing struct{}

func (parsing) Handles() []string { return []string{"check_run"} }

func (parsing) Handle(_ context.Context, event, _ string, payload []byte) error {
	_, err := github.ParseWebHook(event, payload)
	return err
}
