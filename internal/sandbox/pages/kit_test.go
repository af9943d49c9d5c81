package pages_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/internal/sandbox/pages"
)

// browser shows the pages of a simulated GitHub with a repository acme/app. ann maintains it, bob writes and eve reads.
type browser struct {
	*testing.T
	*githubsim.Server
	ci *ci
	as string
}

type ci struct{ waits atomic.Bool }

func (c *ci) Waits() bool         { return c.waits.Load() }
func (c *ci) SetWaits(waits bool) { c.waits.Store(waits) }

const app = "acme/app"

func newBrowser(t *testing.T, change ...func(*pages.Sandbox)) *browser {
	t.Helper()
	github, err := githubsim.Start(githubsim.Options{Unchecked: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, github.Close()) })
	require.NoError(t, github.CreateOrg("acme"))
	require.NoError(t, github.SetBasePermission("acme", "read"))
	require.NoError(t, github.CreateRepo(app, map[string]string{"README.md": "# app\n", "deploy/dev.yaml": "tag: v1\n"}))
	for login, level := range map[string]string{"ann": "maintain", "bob": "write", "eve": "read"} {
		require.NoError(t, github.CreateUser(login, "acme"))
		require.NoError(t, github.SetPermission(app, login, level))
	}
	b := &browser{T: t, Server: github, ci: &ci{}, as: "ann"}
	of := pages.Sandbox{
		GitHub: github, Waybill: "http://127.0.0.1:1", Home: app, CI: b.ci,
		People: []pages.Person{
			{Login: "ann", About: "maintains"}, {Login: "bob", About: "writes"}, {Login: "eve", About: "reads"},
		},
		Tries: []pages.Try{{Text: "Merge it", Link: "/acme/app/pull/1"}},
	}
	for _, one := range change {
		one(&of)
	}
	github.ShowPages(pages.New(of))
	return b
}

// open opens a pull request that changes a file.
func (b *browser) open(title string) int {
	b.Helper()
	n, err := b.OpenPull(app, githubsim.PullSpec{
		Title: title, Head: "change", Author: "bob",
		Files: map[string]*string{"deploy/dev.yaml": githubsim.Text("tag: v2\n")},
	})
	require.NoError(b, err)
	return n
}

// send sends a request as the user in b.as.
func (b *browser) send(method, path string, form url.Values, change ...func(*http.Request)) (*http.Response, string) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), method, b.URL()+path, strings.NewReader(form.Encode()))
	require.NoError(b, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.AddCookie(&http.Cookie{Name: "waybill-sandbox-as", Value: b.as})
	for _, one := range change {
		one(request)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(b, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(b, err)
	require.NoError(b, response.Body.Close())
	return response, string(body)
}

// see opens a page.
func (b *browser) see(path string) string {
	b.Helper()
	response, body := b.send("GET", path, nil)
	require.Equal(b, http.StatusOK, response.StatusCode, "%s: %s", path, body)
	return body
}

// submit sends a form that is accepted, and returns the address of its redirect.
func (b *browser) submit(path string, fields ...string) string {
	b.Helper()
	response, body := b.send("POST", path, values(fields))
	require.Equal(b, http.StatusSeeOther, response.StatusCode, "%s: %s", path, body)
	return response.Header.Get("Location")
}

// refused sends a form that is refused, and returns the page with the reason.
func (b *browser) refused(path string, fields ...string) string {
	b.Helper()
	response, body := b.send("POST", path, values(fields))
	require.Equal(b, http.StatusUnprocessableEntity, response.StatusCode, path)
	return body
}

func values(fields []string) url.Values {
	form := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return form
}
