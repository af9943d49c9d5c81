package sandbox

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/promotion"
)

var updateDocs = flag.Bool("update-docs", false, "write docs/api.md anew")

const apiIntro = `# The API

For programs that read Waybill's state or give commands, and for people who write them: routes, types and
authentication. ` + "`" + `make docs` + "`" + ` makes this page from the routes and types of package ` +
	"`" + `app/api` + "`" + `, and from the answers of a
whole Waybill.

- Answers are JSON. Waybill only ever adds fields; those that the tables call optional may be missing. Times are RFC
  3339 in UTC.
- Lists take ` + "`" + `limit` + "`" + ` (1 to 100, default 20) and ` + "`" + `cursor` + "`" + `, which is the ` +
	"`" + `next` + "`" + ` of the page before. That of the
  list of pipelines is sealed, and good until ` + "`" + `GITHUB_APP_WEBHOOK_SECRET` + "`" + ` changes.
- An error is a *Problem* (RFC 9457) with a ` +
	"`" + `detail` + "`" + ` that names the mistake and the remedy: 400, 401 (who are you?),
  403, 404 (not there, or not yours to read), 405, 429 (you have had your share), 503. After the last two try again,
  when ` + "`" + `Retry-After` + "`" + ` says.
- An answer to a ` + "`" + `GET` + "`" + ` has an ` + "`" + `ETag` + "`" +
	`. A client that keeps the answer and sends its tag in ` + "`" + `If-None-Match` + "`" + ` gets 304 without
  a body while the answer would say the same; its ` + "`" + `at` + "`" +
	` does not matter. Rights are checked as always.
- ` + "`" + `GET /api/v1/openapi.json` + "`" + ` describes all this for programs. A test holds the answers to it.

## Who may

Every route needs to know who asks; an unknown caller learns nothing. Only the sandbox lets everybody read.

- **A token** in ` + "`" + `Authorization: Bearer wb_...` + "`" + `. ` + "`" + `waybill token new NAME` +
	"`" + ` makes one, and a line for the server's
  ` + "`" + `WAYBILL_API_TOKENS_FILE` +
	"`" + `, which has only its hash. The file has mode 0600 or 0640 and is read again when it changes;
  while it cannot be used, no token is accepted.

  ` + "```" + `
  laptop  scope=read     sha256=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
  ci      scope=operate  sha256=60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752` +
	`  repos=acme/deploy  until=2027-01-31
  ` + "```" + `
  A name in ` + "`repos=`" +
	` means the repository that had it when the server first saw it there, which is at the first request
  with any token after the file has changed, or at the first use of the name if the pipeline is newer. The token does
  not open another repository that takes the name later, nor the same one under another name: the log or
  ` + "`waybill doctor`" + ` says so. Make another token then, or correct the name.

  With ` + "`" + `as=583231:ann` + "`" + ` (` +
	"`" + `--as` + "`" + `) its bearer also gives commands, as that person and with their rights on GitHub at that
  moment. Give such a token to that person only.
- **A workflow run**, which can only report freight: the token that GitHub Actions gives a job with ` +
	"`" + `id-token: write` + "`" + ` is
  enough, and Waybill needs no secret in the repository. It counts for warehouses with ` + "`" + `reports` +
	"`" + ` of that very
  repository, which [name](warehouses.md#reports) the branches, tags, workflow and environment. Its audience must be
  ` + "`" + `WAYBILL_OIDC_AUDIENCE` + "`" + ` (default ` + "`" + `WAYBILL_PUBLIC_URL` + "`" + `), its issuer ` +
	"`" + `WAYBILL_OIDC_ISSUER` + "`" + ` (default that of the
  configured GitHub). While the issuer does not answer, the answer is 503.
- **A person** who has signed in at ` + "`" + `/auth/github` +
	"`" + ` in a browser, for as long as GitHub says that they may read the home
  repository (` + "`" +
	`operate` + "`" + `: write to it). Waybill keeps GitHub's answer for five minutes; without an answer no one may. A
  session lasts 12 hours. Sign-in needs ` + "`" + `GITHUB_OAUTH_CLIENT_ID` +
	"`" + `, ` + "`" + `GITHUB_OAUTH_CLIENT_SECRET` + "`" + ` and ` + "`" + `WAYBILL_PUBLIC_URL` + "`" + `,
  and the App's callback URL must be ` + "`" + `<public URL>` + api.CallbackPath + `` + "`" + `.

## Events

` + "`" + `GET .../events` +
	"`" + ` never ends: it sends each new line of the audit trail as a server-sent event whose id is the line's
number. A client that reconnects with ` + "`" +
	`Last-Event-ID` + "`" + ` misses no event and receives none twice; browsers and most clients
do so automatically. Comments keep a silent connection alive. At most 64 clients may listen at a time, 8 of them with
one token or as one person. Where all places are taken, the caller who has most makes room for one who has fewer, and
the owner whose pipelines have most listeners for another owner.

`

// TestTheDescriptionOfTheAPIIsThatOfTheProgram compares docs/api.md with the routes, the types and the answers of the
// program.
func TestTheDescriptionOfTheAPIIsThatOfTheProgram(t *testing.T) {
	const file = "../../docs/api.md"
	s := newSite(t, strings.Replace(strings.Replace(oneStage, "stages:", "  image: {reports: {}}\nstages:", 1),
		"verify: [smoke]}", `verify: [smoke]}
  prod: {from: api, after: {all: [dev], soak: 1h}, set: {prod.yaml: {tag: "${api.short}"}}}`, 1))
	s.hearsOnce()
	require.NoError(t, s.meet("ann"))
	s.quiet()
	token := s.withTokens(api.Token{
		Name: "docs", Scope: api.Operate, As: promotion.Actor{ID: s.github.AccountID("ann"), Login: "ann"},
	})[0]
	s.do("merge #1 by ann", "check smoke success on dev", "wait 90m", "merge #2 by bob",
		"comment #2 by ann: /hold prod until the demo is over")
	described := s.description(token)
	var b strings.Builder
	b.WriteString(apiIntro + "## Routes\n\n")
	for _, r := range api.Routes {
		s.describe(&b, described, token, r)
	}
	b.WriteString("## Types\n\n")
	seen := map[reflect.Type]bool{reflect.TypeFor[time.Time](): true}
	for _, r := range api.Routes {
		if r.Takes != nil {
			tables(&b, reflect.TypeOf(r.Takes), seen)
		}
		tables(&b, reflect.TypeOf(r.Answers), seen)
	}
	tables(&b, reflect.TypeFor[api.Problem](), seen)
	if *updateDocs {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	have, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, b.String(), string(have), "run `make docs`")
}

// describe writes the section about a route, with an example.
func (s *site) describe(b *strings.Builder, described *openapi3.T, token string, r api.Route) {
	body := ""
	if r.Takes != nil {
		body = r.Body
	}
	fmt.Fprintf(b, "### `%s %s`\n\n%s\n\n", r.Method, r.Path, lines(usage(r)))
	example := strings.NewReplacer("{owner}/{repo}", home, "{stage}", "prod", "{number}", "1").Replace(r.Path)
	machine := strings.HasSuffix(example, "/doctor") // its answer is that of this machine
	if machine || strings.HasSuffix(example, "/events") || strings.Contains(example, "{") {
		return
	}
	if r.Asks != "" {
		example += "?" + r.Asks
	}
	a := s.api(token, r.Method, example, strings.ReplaceAll(body, "{commit}", s.github.Head(home, "main")))
	require.Contains(s.t, []int{http.StatusOK, http.StatusCreated}, a.status, a.body)
	answers := described.Paths.Find(r.Path).GetOperation(r.Method).Responses.Status(a.status).Value
	var value any
	require.NoError(s.t, json.Unmarshal([]byte(a.body), &value))
	require.NoError(s.t, answers.Content.Get("application/json").Schema.Value.VisitJSON(value), "openapi.json: %s", r.Path)
	if strings.HasSuffix(r.Path, "/openapi.json") {
		return // it is long
	}
	fmt.Fprintf(b, "<details><summary>example</summary>\n\n```json\n%s```\n</details>\n\n", s.neutral(a.body))
}

// description reads the description of the API that the program answers with, as programs do. In the test every field
// of an answer must be described.
func (s *site) description(token string) *openapi3.T {
	s.t.Helper()
	loaded, err := openapi3.NewLoader().LoadFromData([]byte(s.api(token, "GET", "/api/v1/openapi.json").body))
	require.NoError(s.t, err)
	require.NoError(s.t, loaded.Validate(s.ctx))
	for name, schema := range loaded.Components.Schemas {
		require.NotEmpty(s.t, schema.Value.Properties, name)
		schema.Value.AdditionalProperties.Has = new(false)
	}
	return loaded
}

// usage returns a paragraph about a route: its purpose, its answer, the scope it needs and the body it takes.
func usage(r api.Route) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s ", r.Says)
	if answers := reflect.TypeOf(r.Answers); answers.Kind() == reflect.Struct {
		fmt.Fprintf(&b, "Answers a [%s](#%s). ", answers.Name(), strings.ToLower(answers.Name()))
	}
	fmt.Fprintf(&b, "Needs `%s`", r.Needs)
	switch {
	case r.At == api.Everywhere:
		b.WriteString(", of a token without `repos`")
	case r.At == api.OnePipeline:
		b.WriteString(" on the pipeline")
	}
	if r.Workflows {
		b.WriteString(", or a run of a workflow")
	}
	if r.Query != "" {
		fmt.Fprintf(&b, ". Parameters: `%s`", strings.ReplaceAll(r.Query, ", ", "`, `"))
	}
	if r.Asks != "" {
		fmt.Fprintf(&b, ", such as `%s`", r.Asks)
	}
	if r.Takes != nil {
		fmt.Fprintf(&b, ". Takes a [%s](#%s), such as `%s`", reflect.TypeOf(r.Takes).Name(),
			strings.ToLower(reflect.TypeOf(r.Takes).Name()), strings.ReplaceAll(r.Body, "{commit}", "4e8ae88..."))
	}
	return b.String() + "."
}

// unbroken matches a word, and treats spaces in code as part of the word.
var unbroken = regexp.MustCompile("(?:`[^`]*`|[^ `])+")

// lines breaks a paragraph into lines of at most 120 columns.
func lines(text string) string {
	var b strings.Builder
	column := 0
	for _, word := range unbroken.FindAllString(text, -1) {
		switch {
		case column == 0:
		case column+1+len(word) > 120:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

// hexadecimal matches commits and other names that differ between runs or machines.
var hexadecimal = regexp.MustCompile(`"[0-9a-f]{32,40}"`)

func (s *site) neutral(body string) string {
	body = strings.ReplaceAll(body, s.github.URL(), "https://github.com")
	return hexadecimal.ReplaceAllStringFunc(body, func(string) string { return `"4e8ae88..."` })
}

// tables writes a table of the fields of a type, and then of each type among them.
func tables(b *strings.Builder, t reflect.Type, seen map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	fmt.Fprintf(b, "### %s\n\n| field | type | |\n|---|---|---|\n", t.Name())
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		kind := kindOf(f.Type)
		if options == "omitempty" {
			kind += ", optional"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, kind, f.Tag.Get("doc"))
	}
	b.WriteString("\n")
	for _, f := range reflect.VisibleFields(t) {
		if !f.Anonymous && f.IsExported() {
			tables(b, f.Type, seen)
		}
	}
}

// kindOf returns the name of a field's type in JSON.
func kindOf(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "time"
	case t == reflect.TypeFor[json.RawMessage]():
		return "JSON"
	case t.Kind() == reflect.Pointer:
		return kindOf(t.Elem())
	case t.Kind() == reflect.Slice:
		return "list of " + kindOf(t.Elem())
	case t.Kind() == reflect.Struct:
		return fmt.Sprintf("[%s](#%s)", t.Name(), strings.ToLower(t.Name()))
	case t.Kind() == reflect.Bool:
		return "boolean"
	case t.Kind() == reflect.String:
		return "string"
	}
	return "number"
}

// TestEveryFieldOfTheAPIIsDescribed requires a description of every field, so that the tables are complete.
func TestEveryFieldOfTheAPIIsDescribed(t *testing.T) {
	seen := map[reflect.Type]bool{}
	requireDescribed(t, reflect.TypeFor[api.Problem](), seen)
	for _, r := range api.Routes {
		require.NotEmpty(t, r.Says, r.Path)
		requireDescribed(t, reflect.TypeOf(r.Answers), seen)
	}
	require.Greater(t, len(seen), 20)
}

// requireDescribed requires a description of the fields of a type, and of the types of these.
func requireDescribed(t *testing.T, of reflect.Type, seen map[reflect.Type]bool) {
	switch of.Kind() {
	case reflect.Slice, reflect.Pointer, reflect.Map:
		requireDescribed(t, of.Elem(), seen)
		return
	case reflect.Struct:
	default:
		return
	}
	if seen[of] || of == reflect.TypeFor[time.Time]() {
		return
	}
	seen[of] = true
	for _, f := range reflect.VisibleFields(of) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		require.NotEmpty(t, f.Tag.Get("doc"), "%s.%s", of, f.Name)
		require.Regexp(t, `^[a-z][A-Za-z0-9]*(,omitempty)?$`, f.Tag.Get("json"), "%s.%s", of, f.Name)
		requireDescribed(t, f.Type, seen)
	}
}
