package gh

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var updateDocs = flag.Bool("update-docs", false, "write docs/refusals.md anew")

// TestTheListOfRefusalsIsTheTable checks that docs/refusals.md equals the table.
func TestTheListOfRefusalsIsTheTable(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Refusals

For administrators, and for people who read GitHub's words in a check run or an answer: the meaning of a refusal of
GitHub's to Waybill. ` + "`make docs` makes this page from `app/gh/refusals.go`" + `.

GitHub often refuses a request and accepts the same one a minute later. So the first row of the second table that
matches a refusal decides, and a refusal that matches none is *passing*.

| class | what Waybill does |
|---|---|
`)
	for _, c := range classes {
		fmt.Fprintf(&b, "| %s | %s |\n", c.class, c.does)
	}
	b.WriteString("\n| request | status | type | words | class | source |\n|---|---|---|---|---|---|\n")
	// One is not documented by GitHub, the other is told from the permissions of the token.
	known := map[Class]bool{ClassUnlisted: true, ClassLacking: true}
	for _, row := range refusals {
		status := fmt.Sprint(row.Status)
		switch {
		case row.Status == 0:
			status = ""
		case row.Status < 10:
			status += "xx"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", quoted(row.At), status, quoted(row.Type), row.Text, row.Class,
			cmp.Or(row.Source, "?"))
		require.NotEmpty(t, row.Source)
		known[row.Class] = true
	}
	for _, c := range classes {
		require.True(t, known[c.class], "no row says %s", c.class)
		require.NotEmpty(t, meanings[c.class])
	}
	require.Len(t, classes, len(meanings))
	const file = "../../docs/refusals.md"
	if *updateDocs {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	is, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, b.String(), string(is), "docs/refusals.md is out of date: run make docs")
}

func quoted(code string) string {
	if code == "" {
		return ""
	}
	return "`" + code + "`"
}

// classes describes Waybill's reaction to each class.
var classes = []struct {
	class Class
	does  string
}{
	{ClassPassing, "tries again, with longer and longer delays"},
	{ClassLookAgain, "looks at what is there now, and goes on from that; then as above"},
	{ClassTooMuch, "asks for less at once"},
	{ClassSlow, "tries again, and asks for less at once"},
	{ClassThrottled, "makes no content in the installation for 2 minutes, then for 5, 15 and 60 if GitHub still says so"},
	{ClassLimited, "asks nothing for the installation until GitHub's limit is over"},
	{ClassTrouble, "tries again, with longer and longer delays, as long as it takes"},
	{ClassNoAccess, "waits until the App has access again"},
	{ClassLacking, "waits until the permission is granted, and names it"},
	{ClassNotFound, "takes the answer: it is not there"},
	{ClassUnlisted, "takes another way, or says that GitHub does not list it all"},
	{ClassQueued, "hands a pull request to the merge queue of the branch; a direct commit fails"},
	{ClassRuled, "waits until the rule lets the pull request be merged; a direct commit fails"},
	{ClassFinal, "fails at once, with GitHub's words"},
}

// TestEveryRowDecidesSomething checks that each row decides its own example, so that no earlier row hides it.
func TestEveryRowDecidesSomething(t *testing.T) {
	for i, row := range refusals {
		seen := row
		seen.At = strings.ReplaceAll(row.At, "*", "1")
		if row.Status > 0 && row.Status < 10 {
			seen.Status = row.Status*100 + 7
		}
		for _, earlier := range refusals[:i] {
			require.False(t, earlier.matches(seen), "%+v hides %+v", earlier, row)
		}
		require.True(t, row.matches(seen), "%+v", row)
		require.Equal(t, row.Class, meaningOf(seen))
	}
	require.Equal(t, ClassPassing, meaningOf(refusal{At: "PUT pulls/1/merge", Status: 418, Text: "unheard of"}))
}
