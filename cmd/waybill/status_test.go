package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"waybill/app/api"
)

// TestStatusReadsWellAtThreeInTheMorning renders each example, an answer of the API, and compares the text. With
// WAYBILL_UPDATE set it writes the texts instead.
func TestStatusReadsWellAtThreeInTheMorning(t *testing.T) {
	const file = "testdata/status.txtar"
	examples, err := txtar.ParseFile(file)
	require.NoError(t, err)
	for i := 0; i+1 < len(examples.Files); i += 2 {
		in, want := examples.Files[i], &examples.Files[i+1]
		var out bytes.Buffer
		p := &page{out: &out}
		switch {
		case strings.HasPrefix(in.Name, "list"):
			var all api.Pipelines
			strictly(t, in.Data, &all)
			p.list(all.Pipelines, noon)
		case strings.HasPrefix(in.Name, "stage"):
			var s api.StageDetail
			strictly(t, in.Data, &s)
			p.detail(s)
		default:
			var a api.Pipeline
			strictly(t, in.Data, &a)
			p.pipeline(a)
		}
		require.NoError(t, p.err)
		for line := range strings.Lines(out.String()) {
			require.True(t, len([]rune(strings.TrimSuffix(line, "\n"))) <= width || strings.Contains(line, "://"), line)
		}
		if os.Getenv("WAYBILL_UPDATE") != "" {
			want.Data = out.Bytes()
			continue
		}
		require.Equal(t, string(want.Data), out.String(), in.Name)
	}
	if os.Getenv("WAYBILL_UPDATE") != "" {
		require.NoError(t, os.WriteFile(file, txtar.Format(examples), 0o644))
	}
}

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func strictly(t *testing.T, text []byte, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(into))
}

func TestWhatPeopleTypedCannotWriteToTheTerminal(t *testing.T) {
	var out bytes.Buffer
	p := &page{out: &out, now: noon}
	p.line(0, bad, "a\x1b[2Jb\x07c\r\nd\u202ee\u200b")
	require.Equal(t, "a[2Jbc de\n", out.String())
	out.Reset()
	p.colour = true
	p.line(0, bad, "red")
	require.Equal(t, "\x1b[31;1mred\x1b[0m\n", out.String())
}

func TestTimesAreInUTC(t *testing.T) {
	p := &page{now: noon}
	at := noon.In(time.FixedZone("elsewhere", 13*60*60)) // where it is the next day
	require.Equal(t, "12:00:00 UTC", p.clock(at))
	require.Equal(t, "2026-03-03 12:00 UTC", p.clock(at.AddDate(0, 0, 1)))
	require.Equal(t, "in 1h (13:00:00 UTC)", p.in(at.Add(time.Hour)))
}

func TestDurationsAreBrief(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 59 * time.Second: "59s", 61 * time.Second: "1m", 2 * time.Hour: "2h", 61 * time.Minute: "1h1m",
		49 * time.Hour: "2d1h",
	} {
		require.Equal(t, want, brief(d))
	}
}

// runs runs a command line against a server with these answers.
func runs(
	t *testing.T, env map[string]string, handler http.HandlerFunc, args ...string,
) (code int, stdout, stderr string) {
	t.Helper()
	s := httptest.NewServer(handler)
	defer s.Close()
	var out, errs bytes.Buffer
	code = run(t.Context(), append(args, "--server", s.URL), func(name string) string { return env[name] }, &out, &errs)
	return code, out.String(), errs.String()
}

// serves returns a client of a server with these answers.
func serves(t *testing.T, handler http.HandlerFunc) *server {
	t.Helper()
	at := httptest.NewServer(handler)
	t.Cleanup(at.Close)
	return must((&remote{address: at.URL}).server(func(string) string { return "" }))
}

// answers returns a handler that answers requests by their paths, and other requests as the API does.
func answers(paths map[string]any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer, ok := paths[r.URL.Path]
		if !ok {
			answer = api.Problem{Status: http.StatusNotFound, Detail: "there is no such thing"}
			w.WriteHeader(http.StatusNotFound)
		}
		_ = json.NewEncoder(w).Encode(answer)
	}
}

func TestAPipelineOrStageThatIsNotThereIsAnsweredWithWhatWasProbablyMeant(t *testing.T) {
	all := api.Pipelines{
		Pipelines: []api.PipelineHead{{Repo: "acme/deploy", StageNames: []string{"dev", "prod"}}, {Repo: "acme/web"}},
	}
	server := answers(map[string]any{"/api/v1/pipelines": all})
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"status", "acme/deplo"}, 1,
			"there is no pipeline of acme/deplo that you may read; did you mean acme/deploy?"},
		{[]string{"status", "acme/deploy", "prd"}, 1, "acme/deploy has no stage prd; did you mean prod?"},
		{[]string{"status", "dev"}, 2, "which pipeline? there is acme/deploy, acme/web"},
		{[]string{"status", "a/b/c"}, 2, `"a/b/c" is not a repository: name it as owner/name`},
		{[]string{"resync"}, 2, "which pipeline? there is acme/deploy, acme/web"},
		{[]string{"resync", "globex/x"}, 1,
			"there is no pipeline of globex/x that you may read; there is acme/deploy, acme/web"},
	} {
		code, _, stderr := runs(t, nil, server, c.args...)
		require.Equal(t, c.code, code, c.args)
		require.Equal(t, "waybill: "+c.want+"\n", stderr)
	}
	code, stdout, _ := runs(t, nil, server, "status", "--json")
	require.Zero(t, code)
	require.JSONEq(t, string(must(json.Marshal(all))), stdout)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestATokenGoesWhereItBelongsAndIsNeverPrinted(t *testing.T) { // T36
	var sent string
	refuses := func(w http.ResponseWriter, r *http.Request) {
		sent = r.Header.Get("Authorization")
		w.WriteHeader(http.StatusUnauthorized)
		_ = json.NewEncoder(w).Encode(api.Problem{
			Status: http.StatusUnauthorized, Detail: "no: " + api.SendToken})
	}
	const makes = "; who runs the server makes tokens by `waybill token new`\n"
	file := t.TempDir() + "/token"
	require.NoError(t, os.WriteFile(file, []byte("wb_hush-file\n"), 0o600))
	for _, c := range []struct {
		env        map[string]string
		args       []string
		sent, want string
	}{
		{nil, nil, "", "waybill: no: set WAYBILL_API_TOKEN, or use --token-file" + makes},
		{map[string]string{"WAYBILL_API_TOKEN": " wb_hush "}, nil, "Bearer wb_hush",
			"waybill: no: correct WAYBILL_API_TOKEN, or the file of --token-file" + makes},
		{map[string]string{"WAYBILL_API_TOKEN": "wb_hush"}, []string{"--token-file", file}, "Bearer wb_hush-file",
			"waybill: no: correct WAYBILL_API_TOKEN, or the file of --token-file" + makes},
		{map[string]string{"WAYBILL_API_TOKEN_FILE": file}, nil, "Bearer wb_hush-file",
			"waybill: no: correct WAYBILL_API_TOKEN, or the file of --token-file" + makes},
		{map[string]string{"WAYBILL_API_TOKEN_FILE": "/none"}, []string{"--token-file", file}, "Bearer wb_hush-file",
			"waybill: no: correct WAYBILL_API_TOKEN, or the file of --token-file" + makes},
	} {
		code, stdout, stderr := runs(t, c.env, refuses, append([]string{"status"}, c.args...)...)
		require.Equal(t, 4, code)
		require.Empty(t, stdout)
		require.Equal(t, c.want, stderr)
		require.Equal(t, c.sent, sent)
	}
	moved := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://localhost:1/elsewhere", http.StatusFound)
	}
	_, _, stderr := runs(t, map[string]string{"WAYBILL_API_TOKEN": "wb_hush"}, moved, "status")
	require.Contains(t, stderr, "answered 302 Found: is that the address of a Waybill", "redirects are not followed")
}

func TestTheServerIsFoundByFlagOrEnvironment(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		flag string
		want string
	}{
		{nil, "", "http://127.0.0.1:8080"},
		{map[string]string{"WAYBILL_LISTEN": ":9000"}, "", "http://127.0.0.1:9000"},
		{map[string]string{"WAYBILL_LISTEN": "[::]:9000"}, "", "http://127.0.0.1:9000"},
		{map[string]string{"WAYBILL_LISTEN": "10.0.0.1:9000"}, "", "http://10.0.0.1:9000"},
		{map[string]string{"WAYBILL_LISTEN": ":9000", "WAYBILL_PUBLIC_URL": "https://waybill.example/"}, "",
			"https://waybill.example"},
		{map[string]string{"WAYBILL_PUBLIC_URL": "https://waybill.example/"}, "https://other.example/at/",
			"https://other.example/at"},
	} {
		r := remote{address: c.flag}
		s, err := r.server(func(name string) string { return c.env[name] })
		require.NoError(t, err)
		require.Equal(t, c.want, s.base.String())
	}
	for _, address := range []string{"waybill.example", "ftp://x", "https://me:secret@x", "https://"} {
		r := remote{address: address}
		_, err := r.server(func(string) string { return "" })
		require.ErrorContains(t, err, "--server must be a URL such as https://waybill.example.com")
		require.NotContains(t, err.Error(), "secret")
	}
	token := func(name string) string { return map[string]string{"WAYBILL_API_TOKEN": "wb_hush"}[name] }
	for address, may := range map[string]bool{
		"http://10.0.0.1": false, "http://example.com": false, "http://localhost.example.com": false,
		"http://localhost": true, "http://[::1]:80": true, "http://127.0.0.9:1": true, "https://example.com": true,
	} {
		r := remote{address: address}
		_, err := r.server(token)
		require.Equal(t, may, err == nil, address)
	}
}
