package pages_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"waybill/internal/githubsim"
)

// hostile is harmful text that people may type: scripts, beacons, addresses that act, markup that escapes its place.
const hostile = `<script>alert(1)</script> <img src=x onerror=alert(1)> ![beacon](http://evil.example/x.png)
[click](javascript:alert(1)) <a href="JaVa&#09;Script:alert(2)" onclick="alert(3)">me</a> [data](data:text/html,x)

</div></article></main><form action=/-/as><button>yes</button></form>
<style>*{display:none}</style><base href=//evil.example>

<svg onload=alert(1)><iframe src=//evil.example></iframe><details open ontoggle=alert(1)><summary>s</summary>

` + "```mermaid\nflowchart LR\n  a[\"<img src=x onerror=alert(1)>\"]:::\"x --> b\n  click a \"javascript:alert(1)\"\n" +
	"```\n```mermaid\nflowchart LR\n  a[\"<img src=x onerror=alert(4)>\"] --> b\n  class a \"><script>\n```\n"

func TestT11HostileTextIsInertWhereverItIsShown(t *testing.T) {
	b := newBrowser(t)
	n, err := b.OpenPull(app, githubsim.PullSpec{
		Title: hostile[:60], Body: hostile, Head: "change", Author: "bob", Labels: []string{`"><script>alert(1)</script>`},
		Files: map[string]*string{"<b onclick=alert(1)>.md": githubsim.Text(hostile)},
	})
	require.NoError(t, err)
	_, err = b.Comment(app, n, "ann", hostile)
	require.NoError(t, err)
	require.NoError(t, b.Review(app, n, "ann", "COMMENTED", hostile))
	_, err = b.CreateCheckRun(app,
		githubsim.CheckSpec{Name: hostile[:40], SHA: "change", Conclusion: "failure", Title: hostile, Summary: hostile})
	require.NoError(t, err)
	require.NoError(t, b.CreateStatus(app, "change", "bob", hostile[:40], "failure", hostile[:60]))
	_, err = b.CreateDeployment(app, "change", "bob", hostile[:40])
	require.NoError(t, err)

	for _, path := range []string{
		"/", "/acme/app", "/acme/app/pull/1", "/acme/app/pull/1/checks", "/acme/app/pull/1/files", "/acme/app/commits/change",
		"/acme/app/commit/change", "/acme/app/blob/change/%3Cb%20onclick=alert(1)%3E.md",
	} {
		inert(t, path, b.see(path))
	}
	response, _ := b.send("GET", "/acme/app/pull/1", nil)
	policy := response.Header.Get("Content-Security-Policy")
	require.Contains(t, policy, "default-src 'none'")
	require.NotContains(t, policy, "unsafe")
	require.NotContains(t, policy, "img-src")
}

// inert parses a page as a browser does, and fails the test on active elements, event attributes and script links.
func inert(t *testing.T, path, page string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	scripts, mains := 0, 0
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		require.NotContains(t, []string{"img", "iframe", "svg", "style", "base", "object", "embed"}, n.Data, path)
		switch n.Data {
		case "script":
			scripts++
		case "main":
			mains++
		case "form":
			require.NotEmpty(t, attribute(n, "method"), "%s: a form that is none of ours", path)
		}
		for _, a := range n.Attr {
			require.False(t, strings.HasPrefix(a.Key, "on"), "%s: %s=%s", path, a.Key, a.Val)
			if a.Key == "href" {
				require.NotRegexp(t, `(?i)^\s*(java\s*script|data|vbscript):`, a.Val, path)
			}
		}
	}
	require.Equal(t, 1, scripts, path)
	require.Equal(t, 1, mains, path)
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
