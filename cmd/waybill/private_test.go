package main

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestATokenThatOthersMayReadIsNotSent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte("wb_hush\n"), 0o600))
	require.NoError(t, os.Chmod(file, 0o644))
	asked := func(http.ResponseWriter, *http.Request) { t.Error("sent") }
	code, _, stderr := runs(t, nil, asked, "status", "--token-file", file)
	require.Equal(t, 1, code)
	require.Equal(t, "waybill: read the token of --token-file: others may use "+file+" (mode 0644): run chmod 600 on it, "+
		"or 640 if its group is to read it\n", stderr)
}

func TestATokenThatCannotBeReadIsNamedWithItsSetting(t *testing.T) {
	asked := func(http.ResponseWriter, *http.Request) { t.Error("sent") }
	code, _, stderr := runs(t, map[string]string{"WAYBILL_API_TOKEN_FILE": "/none"}, asked, "status")
	require.Equal(t, 1, code)
	require.Equal(t, "waybill: read the token of WAYBILL_API_TOKEN_FILE: open /none: no such file or directory\n", stderr)
	code, _, stderr = runs(t, map[string]string{"WAYBILL_API_TOKEN_FILE": "/none", "WAYBILL_API_TOKEN": "wb_hush"}, asked,
		"status")
	require.Equal(t, int(codeMisused), code)
	require.Equal(t, "waybill: WAYBILL_API_TOKEN and WAYBILL_API_TOKEN_FILE=/none are both set: remove one of them\n",
		stderr)
}

func TestNoTokenIsAddedToAFileThatTheServerWouldRefuse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	require.NoError(t, os.WriteFile(file, []byte("# ours\n"), 0o600))
	require.NoError(t, os.Chmod(file, 0o644))
	code, out, stderr := makesToken(t, "a", "--file", file)
	require.Equal(t, 1, code)
	require.Empty(t, out)
	require.Contains(t, stderr, "run chmod 600 on it")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "# ours\n", string(text))
}

// someKey returns a new private key in PEM.
func someKey(t *testing.T) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{
		Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key),
	}))
}

func TestCommandsThatOpenTheDatabaseTakeItsURLFromAFile(t *testing.T) {
	database, _ := trailed(t)
	file := filepath.Join(t.TempDir(), "url")
	require.NoError(t, os.WriteFile(file, []byte("sqlite://"+database+"\n"), 0o600))
	var out, errs bytes.Buffer
	look := func(name string) string { return map[string]string{"WAYBILL_DATABASE_URL_FILE": file}[name] }
	require.Zero(t, run(t.Context(), []string{"export"}, look, &out, &errs), errs.String())
	require.Contains(t, out.String(), "about none")

	require.NoError(t, os.Remove(file))
	require.Equal(t, 1, run(t.Context(), []string{"export"}, look, &out, &errs))
	require.Equal(t, "waybill: WAYBILL_DATABASE_URL_FILE="+file+" cannot be used: no such file or directory\n",
		errs.String())
}

func TestTheServerWarnsOfSettingsThatOthersMayRead(t *testing.T) {
	environment := map[string]string{
		"GITHUB_APP_INTEGRATION_ID": "1", "GITHUB_APP_WEBHOOK_SECRET": "hush", "GITHUB_APP_PRIVATE_KEY": someKey(t),
		"WAYBILL_DATABASE_URL": "sqlite://" + filepath.Join(t.TempDir(), "none", "waybill.db"), // where the start ends
	}
	file := filepath.Join(t.TempDir(), "waybill.env")
	for mode, warned := range map[os.FileMode]bool{0o644: true, 0o640: false, 0o600: false} {
		require.NoError(t, os.WriteFile(file, []byte("WAYBILL_LOG_LEVEL=info\n"), 0o600))
		require.NoError(t, os.Chmod(file, mode))
		var out, errs bytes.Buffer
		code := run(t.Context(), []string{"serve", "--config", file}, func(name string) string { return environment[name] },
			&out, &errs)
		require.Equal(t, 1, code)
		require.Contains(t, errs.String(), "does not exist: create it")
		if warned {
			require.Contains(t, errs.String(), "--config: others may use "+file+" (mode 0644): run chmod 600 on it")
		} else {
			require.NotContains(t, errs.String(), "chmod")
		}
	}
}
