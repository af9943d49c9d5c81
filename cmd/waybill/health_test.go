package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHealthAsksTheServerOnThisMachine(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			http.Error(w, "the database is gone", http.StatusServiceUnavailable)
		}
	}))
	_, port, _ := strings.Cut(server.Listener.Addr().String(), ":")
	ask := func(args ...string) (code int, errs string) {
		var stderr bytes.Buffer
		code = run(t.Context(), append([]string{"health"}, args...), func(name string) string {
			return map[string]string{
				"WAYBILL_LISTEN": "0.0.0.0:" + port, "WAYBILL_PUBLIC_URL": "https://elsewhere.example",
			}[name]
		}, &stderr, &stderr)
		return code, stderr.String()
	}
	code, errs := ask()
	require.Zero(t, code, errs)
	code, errs = ask("--ready")
	require.Equal(t, int(codeRefused), code)
	require.Contains(t, errs, "the database is gone")
	server.Close()
	code, _ = ask()
	require.Equal(t, int(codeUnreachable), code)
}
