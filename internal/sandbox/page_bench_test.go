package sandbox

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/internal/story"
)

// BenchmarkBoard measures the page of a pipeline of 500 stages, which one freight is on its way to, from the request to
// the last byte.
func BenchmarkBoard(b *testing.B) {
	n := 500
	if testing.Short() {
		n = 50
	}
	s, err := story.Parse(b.Name(), []byte("-- .github/waybill.yml --\n"+
		wide(n, `commit: direct, set: {all.yaml: {s%d: "${api.short}"}}`, oneFile(n))+"-- story --\n"))
	require.NoError(b, err)
	w, err := NewWorld(context.Background(), s, b.TempDir(), nil)
	require.NoError(b, err)
	defer func() { require.NoError(b, w.Close()) }()
	token, secret, err := api.NewToken(api.Token{Name: "reader"})
	require.NoError(b, err)
	w.tokens = filepath.Join(b.TempDir(), "tokens")
	require.NoError(b, os.WriteFile(w.tokens, []byte(token.Line()+"\n"), 0o600))
	require.NoError(b, w.restart(b.Context()))
	parsed, err := story.Parse(b.Name(), []byte("-- story --\n> merge #1 by ann\n"))
	require.NoError(b, err)
	_, err = w.Do(b.Context(), parsed.Steps[0].Happening)
	require.NoError(b, err)
	for b.Loop() {
		request, err := http.NewRequest(http.MethodGet, w.program.url+boardPath, nil)
		require.NoError(b, err)
		request.Header.Set("Authorization", "Bearer "+secret)
		response, err := http.DefaultClient.Do(request)
		require.NoError(b, err)
		size, err := io.Copy(io.Discard, response.Body)
		require.NoError(b, err)
		response.Body.Close()
		require.Equal(b, http.StatusOK, response.StatusCode)
		b.ReportMetric(float64(size)/1024, "KB")
	}
}
