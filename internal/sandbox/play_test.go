package sandbox_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/sandbox"
)

// pages collects the sandbox's output and ends the sandbox once it contains a text.
type pages struct {
	text  strings.Builder
	until string
	end   func()
}

func (p *pages) Write(b []byte) (int, error) {
	p.text.Write(b)
	if strings.Contains(p.text.String(), p.until) {
		p.end()
	}
	return len(b), nil
}

func TestTheSandboxPromotesByItselfAndLeavesNothingBehind(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	connect := filepath.Join(folder, "connect.json")
	var described struct{ PrivateKey string }
	told := &pages{until: "dev        api#142  succeeded after ", end: func() {
		text, err := os.ReadFile(connect)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &described))
		cancel()
	}}
	require.NoError(t, sandbox.Play(ctx, told, sandbox.Settings{Connect: connect}))
	require.Contains(t, described.PrivateKey, "RSA PRIVATE KEY")
	require.Regexp(t, `dev        api#142  succeeded after \d+s +http://127.0.0.1:\d+/acme/deploy/pull/1\n`,
		told.text.String())
	require.Equal(t, 1, strings.Count(told.text.String(), "  dev  "), "a line for a promotion")
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
}
