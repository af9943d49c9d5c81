package health

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/gh"
	"waybill/handlers"
)

var updateDocs = flag.Bool("update-docs", false, "write the tables of docs/github.md anew")

// TestThePageOnGitHubHasTheTables checks the tables of permissions and events in docs/github.md.
func TestThePageOnGitHubHasTheTables(t *testing.T) {
	const file = "../../docs/github.md"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	page := string(text)
	for name, table := range map[string]string{"permissions": permissionTable(), "events": eventTable()} {
		begin, end := "<!-- "+name+": make docs -->\n", "<!-- end of "+name+" -->\n"
		head, rest, found := strings.Cut(page, begin)
		require.True(t, found, name)
		_, tail, found := strings.Cut(rest, end)
		require.True(t, found, name)
		page = head + begin + table + end + tail
	}
	if *updateDocs {
		require.NoError(t, os.WriteFile(file, []byte(page), 0o644))
		text = []byte(page)
	}
	require.Equal(t, page, string(text), "docs/github.md is out of date: run make docs")
}

func permissionTable() string {
	var b strings.Builder
	b.WriteString("| permission | level | why | without it |\n|---|---|---|---|\n")
	for _, n := range Permissions {
		level := map[string]string{"read": "read", "write": "read and write"}[n.Level]
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", n.Title(), level, n.Why, n.Off)
	}
	return b.String()
}

func eventTable() string {
	all := slices.Concat(Events, offered)
	slices.SortFunc(all, func(a, b Need) int { return strings.Compare(a.Name, b.Name) })
	titles := map[string]string{}
	for _, n := range Permissions {
		titles[n.Name] = n.Title()
	}
	var b strings.Builder
	b.WriteString("| event | offered with | what it tells | without it |\n|---|---|---|---|\n")
	for _, n := range all {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", n.Name, titles[n.With], n.Why, n.Off)
	}
	return b.String()
}

// TestTheTableHasEachEventThatIsTaken compares the table with the events that the webhook takes.
func TestTheTableHasEachEventThatIsTaken(t *testing.T) {
	var all []string
	for _, n := range slices.Concat(Events, offered) {
		all = append(all, n.Name)
		if n.With != "" {
			require.True(t, slices.ContainsFunc(Permissions, func(p Need) bool { return p.Name == n.With }), n.Name)
		}
	}
	slices.Sort(all)
	require.Equal(t, handlers.Events(), all)
}

// TestTheTableHasEachPermissionThatATokenHas compares the table with the permissions that Waybill asks for with each
// token for work in a repository. The others have tokens of their own, or come with no request.
func TestTheTableHasEachPermissionThatATokenHas(t *testing.T) {
	text, err := json.Marshal(gh.Needed())
	require.NoError(t, err)
	asked, listed := map[string]string{}, map[string]string{}
	require.NoError(t, json.Unmarshal(text, &asked))
	for _, n := range Permissions {
		if asked[n.Name] != "" {
			listed[n.Name] = n.Level
		}
		require.Equal(t, n.permission(), gh.Grant{Name: n.Name, Level: n.Level}.String(), "both name it in one way")
	}
	require.Equal(t, asked, listed)
}
