package pipelines

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/promotion"
	"waybill/store"
)

// TestThePipelinesOfAnOwnerHaveABudgetTogether has an owner whose pipelines, each within its own budget, have nearly
// all values that they may have together, and adds files of the owner and of another one.
func TestThePipelinesOfAnOwnerHaveABudgetTogether(t *testing.T) {
	text := "version: 1\nwarehouses: {api: {pull-requests: {branch: main}}}\nstages:\n"
	for i := range 20 {
		text += fmt.Sprintf("  s%d: {from: api, set: {f%d.yaml: {a: '${api.short}'}}}\n", i, i)
	}
	r := New(ServerPolicy{}, 0)
	for id := range int64(3) {
		row := store.PipelineRow{ID: id, Repo: promotion.Repo(fmt.Sprint("acme/r", id))}
		r.Put(row, &promotion.Pipeline{Home: row.Repo, Values: OwnerValues/3 - 4})
	}
	load := func(id int64, repo promotion.Repo) string {
		p, problems := r.Load(store.PipelineRow{ID: id, Repo: repo, Config: []byte(text)})
		require.Greater(t, p.Values, 40)
		return problems.Errors().String()
	}
	require.Regexp(t, `^\.github/waybill\.yml:1:1: the pipelines of acme together have more than 3000000 values, paths `+
		`and names of checks: this one has \d+, the others 2999988; use fewer stages, `, load(7, "acme/more"))
	require.Empty(t, load(2, "acme/r2"), "it takes the place of the one before")
	require.Empty(t, load(7, "globex/more"), "of another owner")
	require.Empty(t, load(7, "acme-too/more"), "of another owner")
	p, err := r.Compiled(store.PipelineRow{ID: 8, Repo: "acme/before", Config: []byte(text)})
	require.NoError(t, err, "it is in force already")
	require.Less(t, strings.Count(text, "\n"), p.Values)
}

func TestWhatWasFoundIsReadAsThisVersionAndTheOneBeforeWriteIt(t *testing.T) {
	globs := map[string][]string{"clusters/*/": {"clusters/a"}, "x/*": nil}
	for text, found := range map[string]config.Found{
		"":  {},
		"{": {},
		`{"clusters/*/":["clusters/a"],"x/*":null}`: {Globs: globs},
		`{"globs":{"clusters/*/":["clusters/a"],"x/*":null},"parts":{"p":"x"},"partsTree":"t"}`: {
			Globs: globs, Parts: map[string]string{"p": "x"}, PartsTree: "t",
		},
		`{"partsTree":"t"}`:                     {PartsTree: "t"},
		`{"partsTree":"t","overlooked":["p/"]}`: {PartsTree: "t", Overlooked: []string{"p/"}},
	} {
		require.Equal(t, found, FoundIn(store.PipelineRow{Found: []byte(text)}), text)
	}
}
