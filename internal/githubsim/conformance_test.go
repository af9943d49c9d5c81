package githubsim

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"waybill/internal/githubsim/rest"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite CONFORMANCE.md")

// behaviour is a behaviour of GitHub with what is known of it: "documented: " and a page of its documentation,
// "reported: " and the thread of whoever has seen it, "measured: " with date and host, or "assumed". GitHub's OpenAPI
// description tells shapes only, and is no source. After ", play " comes the name of the play that finds out.
type behaviour struct {
	does   string
	source string
	prove  func(k *kit)
}

type area struct {
	name string
	rows []behaviour
}

func areas() []area {
	return []area{
		{"authentication", authenticationRows()},
		{"repositories and contents", contentRows()},
		{"references and objects", gitRows()},
		{"pull requests", pullRows()},
		{"merging", mergeRows()},
		{"rules of branches", ruleRows()},
		{"checks, statuses, deployments", checkRows()},
		{"issues, comments, labels, people", issueRows()},
		{"GraphQL", graphQLRows()},
		{"limits, paging, caching", limitRows()},
		{"webhooks", webhookRows()},
		{"outages", outageRows()},
	}
}

// TestConformance tests every row over HTTP with the checks against GitHub's description, and then that every route of
// the simulator was used.
func TestConformance(t *testing.T) {
	tried := &routeSet{used: map[string]bool{}}
	t.Run("rows", func(t *testing.T) {
		for _, a := range areas() {
			for _, row := range a.rows {
				t.Run(a.name+"/"+row.does, func(t *testing.T) {
					k := newKit(t)
					defer tried.add(k.Server)
					row.prove(k)
				})
			}
		}
	})
	if t.Failed() || testing.Short() || flag.Lookup("test.run").Value.String() != "" {
		return
	}
	var untried []string
	for _, name := range rest.Operations() {
		if !tried.used[name] {
			untried = append(untried, name)
		}
	}
	require.Empty(t, untried, "routes that no row uses with success")
}

// routeSet collects the routes that were answered with success.
type routeSet struct {
	mu   sync.Mutex
	used map[string]bool
}

func (set *routeSet) add(s *Server) {
	set.mu.Lock()
	defer set.mu.Unlock()
	for _, r := range s.Requests() {
		if r.Status < 400 {
			set.used[r.Method+" "+r.Route] = true
		}
	}
}

// Sources that several rows share.
const (
	fidelity   = "reported: https://github.com/pome-sh/digital-twins"
	docsServer = "documented: enterprise-server@3.16/"
	fixtures   = "reported: https://github.com/octokit/fixtures/tree/main/scenarios/api.github.com/"
)

// evidence returns the class of a row's source, and the cell of the table that says where it is known from.
func (b behaviour) evidence() (class, cell string) {
	source, play, _ := strings.Cut(b.source, ", play ")
	class, where, _ := strings.Cut(source, ": ")
	cell = class
	switch issue := thread().FindStringSubmatch(where); {
	case class == "documented":
		cell += fmt.Sprintf(": [%s](https://docs.github.com/en/%s)", where[strings.LastIndexByte(where, '/')+1:], where)
	case issue != nil:
		cell += fmt.Sprintf(": [%s](https://github.com/%s/issues/%s)", where, issue[1], issue[2])
	case strings.HasPrefix(where, "https://"):
		cell += fmt.Sprintf(": [%s](%s)", strings.TrimPrefix(where, "https://github.com/"), where)
	case where != "":
		cell += ": " + where
	}
	if play != "" {
		cell += "; played: `" + play + "`"
	}
	return class, cell
}

var thread = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)#([0-9]+)$`)
})

// TestEveryRowHasEvidence: a page, a thread, a date and a host, or the word that there is none.
func TestEveryRowHasEvidence(t *testing.T) {
	forms := map[string]string{
		"documented": `^documented: [a-z0-9./@-]+(#[a-z_0-9-]+)?$`,
		"reported":   `^reported: ([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+#[0-9]+|https://[^ ]+)$`,
		"measured":   `^measured: [0-9]{4}-[0-9]{2}-[0-9]{2}, [a-z0-9.-]+$`,
		"assumed":    `^assumed$`,
	}
	for _, a := range areas() {
		for _, row := range a.rows {
			class, _ := row.evidence()
			source, _, _ := strings.Cut(row.source, ", play ")
			require.Contains(t, forms, class, row.does)
			require.Regexp(t, forms[class], source, row.does)
		}
	}
}

// conformanceHead is what the page says before the tables, with places for the numbers of rows.
//
//go:embed testdata/conformance.md
var conformanceHead string

func TestConformanceTableIsWrittenDown(t *testing.T) {
	var text strings.Builder
	count := map[string]int{}
	played := 0
	for _, a := range areas() {
		fmt.Fprintf(&text, "\n## %s\n\n| GitHub | evidence |\n|---|---|\n", a.name)
		for _, row := range a.rows {
			class, cell := row.evidence()
			count[class]++
			if class == "assumed" && strings.Contains(cell, "played") {
				played++
			}
			fmt.Fprintf(&text, "| %s | %s |\n", row.does, cell)
		}
	}
	want := fmt.Sprintf(conformanceHead, count["documented"], count["reported"], count["measured"], count["assumed"],
		played) + text.String()
	if *update {
		require.NoError(t, os.WriteFile("CONFORMANCE.md", []byte(want), 0o644))
	}
	have, err := os.ReadFile("CONFORMANCE.md")
	require.NoError(t, err)
	require.Equal(t, want, string(have), "run: go test ./internal/githubsim -run TableIsWrittenDown -update")
}
