package app

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
)

func TestAPanicEndsOneRequestAndItsTextGoesToTheLogOnly(t *testing.T) {
	var log bytes.Buffer
	routes := guarded(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/bug" {
			panic("index of the bug")
		}
	}), zerolog.New(&log), false)
	ask := func(path string) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		routes.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		return answer
	}
	answer := ask("/bug")
	require.Equal(t, http.StatusInternalServerError, answer.Code)
	require.NotContains(t, answer.Body.String(), "index of the bug")
	require.Contains(t, log.String(), "index of the bug")
	require.Equal(t, http.StatusOK, ask("/").Code, "the others go on")
}

// TestBrowsersAreToldToInsistOnTLS where people come that way.
func TestBrowsersAreToldToInsistOnTLS(t *testing.T) {
	for secure, want := range map[bool]string{true: "max-age=31536000", false: ""} {
		answer := httptest.NewRecorder()
		routes := guarded(http.NotFoundHandler(), zerolog.Nop(), secure)
		routes.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
		require.Equal(t, want, answer.Header().Get("Strict-Transport-Security"))
	}
}
