package githubsim

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"waybill/internal/githubsim/rest"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite CONFORMANCE.md")

// behaviour is a behaviour of GitHub with its source: GitHub's description ("OpenAPI"), its documentation ("docs:"),
// its recorded fixtures ("fixtures:"), a report ("issue:", "measured:"), or only memory ("unverified").
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

func TestEveryRowNamesAKnownSource(t *testing.T) {
	for _, a := range areas() {
		for _, row := range a.rows {
			kind, _, _ := strings.Cut(row.source, ":")
			require.Contains(t, []string{"OpenAPI", "docs", "fixtures", "issue", "measured", "unverified"}, kind, row.does)
		}
	}
}

func TestConformanceTableIsWrittenDown(t *testing.T) {
	var text strings.Builder
	total, unverified := 0, 0
	for _, a := range areas() {
		fmt.Fprintf(&text, "\n## %s\n\n| GitHub | known from |\n|---|---|\n", a.name)
		for _, row := range a.rows {
			total++
			if row.source == "unverified" {
				unverified++
			}
			fmt.Fprintf(&text, "| %s | %s |\n", row.does, row.source)
		}
	}
	want := fmt.Sprintf(conformanceHead, total, unverified) + text.String()
	if *update {
		require.NoError(t, os.WriteFile("CONFORMANCE.md", []byte(want), 0o644))
	}
	have, err := os.ReadFile("CONFORMANCE.md")
	require.NoError(t, err)
	require.Equal(t, want, string(have), "run: go test ./internal/githubsim -run TableIsWrittenDown -update")
}

const conformanceHead = `# GitHub's behaviour, as the simulator assumes it

For developers of the simulator. A test writes this page from the rows of ` + "`conformance_*_test.go`" +
	`, and proves each row
over HTTP against the simulator while GitHub's OpenAPI description and GraphQL schema check every exchange.

That proves that the simulator does what the table says. Whether GitHub does is as certain as the source:

- *OpenAPI*: GitHub's description;
- *docs*: the named page of its documentation, which need not have the wording of a message;
- *fixtures*: its recorded fixtures;
- *issue*, *measured*: a report by other people;
- *unverified*: memory alone.

%d rows, %d of them unverified.
`
