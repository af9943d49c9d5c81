package wireless

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestARequestIsAnsweredByAHandler(t *testing.T) {
	client := http.Client{Transport: Transport{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		switch r.URL.Path {
		case "/echo":
			w.Header().Set("X-Host", r.Host)
			w.WriteHeader(http.StatusTeapot)
			_, err = w.Write(body)
			require.NoError(t, err)
		case "/lost":
			panic(http.ErrAbortHandler)
		case "/bug":
			panic("a bug")
		}
	})}}
	answer, err := client.Post("http://nobody.invalid/echo?x=1", "text/plain", strings.NewReader("hello"))
	require.NoError(t, err)
	said, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusTeapot, answer.StatusCode)
	require.Equal(t, "nobody.invalid", answer.Header.Get("X-Host"))
	require.Equal(t, "hello", string(said))

	answer, err = client.Get("http://nobody.invalid/silent")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	_, err = client.Get("http://nobody.invalid/lost")
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.PanicsWithValue(t, "a bug", func() { _, _ = client.Get("http://nobody.invalid/bug") })
}
