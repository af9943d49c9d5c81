package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
)

// ill is an answer with one finding of each state.
var ill = api.Health{State: api.StateFail, Findings: []api.Finding{
	{Check: "app", About: "waybill", State: api.StateOK, Says: "GitHub accepts the App's id and key"},
	{Check: "url", State: api.StateWarn, Says: "WAYBILL_PUBLIC_URL is not set", Off: "signing in", Do: "Set it"},
	{Check: "permission", About: "Packages (read)", State: api.StateFail, Says: "the App does not have it\x1b[2J",
		Off: "freight that waits for an image waits for ever (acme/deploy)", Do: "Set Packages to read",
		Link: "https://github.com/settings/apps/waybill/permissions"},
}}

func TestTheDoctorPrintsALineForEachFindingWithWhatToDo(t *testing.T) {
	code, out, errs := runs(t, nil, answers(map[string]any{"/api/v1/doctor": ill}), "doctor")
	require.Equal(t, int(codeRefused), code)
	require.Empty(t, errs)
	require.Equal(t, `ok   app waybill: GitHub accepts the App's id and key
warn url: WAYBILL_PUBLIC_URL is not set. Off until then: signing in. Do: Set it
FAIL permission Packages (read): the App does not have it[2J. Off until then: freight that waits for an image waits `+
		`for ever (acme/deploy). Do: Set Packages to read, at https://github.com/settings/apps/waybill/permissions
`, out)

	code, out, _ = runs(t, nil, answers(map[string]any{"/api/v1/doctor": ill}), "doctor", "--json")
	require.Equal(t, int(codeRefused), code)
	var h api.Health
	require.NoError(t, json.Unmarshal([]byte(out), &h))
	require.Equal(t, ill, h)

	uneasy := api.Health{State: api.StateWarn, Findings: ill.Findings[:2]}
	code, _, _ = runs(t, nil, answers(map[string]any{"/api/v1/doctor": uneasy}), "doctor")
	require.Zero(t, code, "a warning may be meant so")
}

// TestWithoutAServerTheDoctorLooksAtSettingsAndDatabase has nothing listen where the server should be.
func TestWithoutAServerTheDoctorLooksAtSettingsAndDatabase(t *testing.T) {
	doctor := func(env map[string]string, args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		env["WAYBILL_LISTEN"] = "127.0.0.1:1"
		look := func(name string) string { return env[name] }
		code := run(t.Context(), append([]string{"doctor"}, args...), look, &out, &errs)
		return code, out.String(), errs.String()
	}
	file := filepath.Join(t.TempDir(), "waybill.db")
	env := map[string]string{
		"GITHUB_APP_INTEGRATION_ID": "7", "GITHUB_APP_PRIVATE_KEY": "no key", "GITHUB_APP_WEBHOOK_SECRET": "s",
		"WAYBILL_DATABASE_URL": "sqlite://" + file,
	}
	code, out, _ := doctor(env)
	require.Equal(t, int(codeUnreachable), code)
	require.Contains(t, out, "FAIL server: http://127.0.0.1:1 cannot be reached")
	require.Contains(t, out, "Do: Start it with `waybill serve`")
	require.Contains(t, out, "FAIL settings: GITHUB_APP_PRIVATE_KEY is not in PEM")
	require.Contains(t, out, "warn database: ")
	require.NoFileExists(t, file, "nothing is made")

	made, _ := trailed(t)
	env["GITHUB_APP_PRIVATE_KEY"], env["WAYBILL_DATABASE_URL"] = someKey(t), "sqlite://"+made
	code, out, _ = doctor(env)
	require.Equal(t, int(codeUnreachable), code)
	require.Contains(t, out, "ok   settings: complete; the App's key can be read\n")
	require.Contains(t, out, "ok   database: sqlite://"+made+" can be read, pipelines: 1\n")

	code, out, errs := doctor(env, "--server", "http://127.0.0.1:1")
	require.Equal(t, int(codeUnreachable), code)
	require.Empty(t, out, "these settings are not those of another server")
	require.Contains(t, errs, "cannot be reached")
}
