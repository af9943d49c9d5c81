package handlers_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/handlers"
	"waybill/promotion"
)

// pushed is a push of two commits to the default branch.
var pushed = obj{
	"ref": "refs/heads/main", "before": "p0", "after": "p2", "created": false, "deleted": false, "forced": false,
	"commits": []obj{
		{"id": "p1", "timestamp": "2011-01-01T00:00:00Z", "added": []string{"b", "a"}, "modified": []string{"c"},
			"removed": []string{}},
		{"id": "p2", "timestamp": "2011-01-01T00:00:00Z", "added": []string{}, "modified": []string{"a"},
			"removed": []string{"d"}},
	},
}

// move returns the single branch move in a push.
func move(t *testing.T, about obj) *handlers.Push {
	t.Helper()
	got := decode(t, "push", about)
	require.Len(t, handlers.All[handlers.Push](got), 1)
	return handlers.First[handlers.Push](got)
}

func TestAPushTellsEveryPathOnce(t *testing.T) {
	require.Equal(t, told(
		&handlers.Push{
			Push: promotion.Push{
				Repo: "acme/deploy", Branch: "main", Before: "p0", After: "p2", At: noon, Paths: []string{"a", "b", "c", "d"},
			},
			OnDefault: []string{"a", "b", "c", "d"}, Moved: []string{"a", "b", "d"},
		},
		&handlers.Bump{Branch: "main"},
	), decode(t, "push", pushed))
}

func TestAPushOfOursLetsNothingBeMerged(t *testing.T) {
	got := decode(t, "push", pushed.with(obj{"sender": waybill}))
	require.True(t, got.Ours)
	require.Empty(t, handlers.All[handlers.Bump](got))
}

func TestAPushToTheDefaultBranchTellsWhatComesAndGoes(t *testing.T) {
	require.Equal(t, []string{"a", "b", "d"}, move(t, pushed).Moved, "c was changed")
	require.Empty(t, move(t, pushed.with(obj{"ref": "refs/heads/other"})).Moved)
}

func TestAPushThatDoesNotTellAllItsPathsSaysSo(t *testing.T) {
	commits := func(n int) []obj {
		all := []obj{{"id": "p2", "added": []string{"a"}}}
		for len(all) < n {
			all = append(all, obj{"id": fmt.Sprint("c", len(all))})
		}
		return all
	}
	for _, row := range []struct {
		name    string
		change  obj
		unknown bool
	}{
		{"19 commits", obj{"commits": commits(19)}, false},
		{"20 commits, all that older servers list", obj{"commits": commits(20)}, true},
		{"21 commits", obj{"commits": commits(21)}, false},
		{"2,047 commits", obj{"commits": commits(2047)}, false},
		{"2,048 commits, all that GitHub lists", obj{"commits": commits(2048)}, true},
		{"no commits", obj{"commits": []obj{}}, true},
		{"the head is not among them", obj{"after": "p9"}, true},
		{"forced: commits are gone", obj{"forced": true}, true},
		{"a new branch", obj{"created": true, "before": "0000000000000000000000000000000000000000"}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := move(t, pushed.with(row.change))
			require.Equal(t, row.unknown, got.PathsUnknown)
			require.Equal(t, row.unknown, got.ConfigTouched, "what is not known may be our files")
		})
	}
}

func TestAPushToTheDefaultBranchMayTouchOurFiles(t *testing.T) {
	for _, row := range []struct {
		branch, kind, path string
		touched            bool
	}{
		{"main", "modified", ".github/waybill.yml", true},
		{"main", "removed", ".github/waybill.yml", true},
		{"main", "added", ".github/waybill.policy.yml", true},
		{"main", "added", ".github/waybill.policy.yaml", true}, // it is refused
		{"main", "added", ".github/workflows/waybill.yml", false},
		{"main", "added", "sub/.github/waybill.yml", false},
		{"feature", "modified", ".github/waybill.yml", false},
	} {
		t.Run(row.branch+" "+row.kind+" "+row.path, func(t *testing.T) {
			got := move(t,
				pushed.with(obj{"ref": "refs/heads/" + row.branch, "commits": []obj{{"id": "p2", row.kind: []string{row.path}}}}))
			require.Equal(t, row.touched, got.ConfigTouched)
			require.Equal(t, []string{row.path}, got.Paths)
		})
	}
}

func TestAPushOfATagTellsWhichTag(t *testing.T) {
	require.Equal(t, told(&handlers.TagPushed{Tag: "v1"}),
		decode(t, "push", pushed.with(obj{"ref": "refs/tags/v1"})))
	require.Equal(t, told(), decode(t, "push", pushed.with(obj{"ref": "refs/tags/v1", "deleted": true})))
}

func TestADeletedBranchTellsNothing(t *testing.T) {
	require.Equal(t, told(),
		decode(t, "push", pushed.with(obj{"ref": "refs/heads/waybill/dev/api-142/12", "deleted": true})))
}
