package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

// byPeople is a stage whose pull requests people merge, with a file and a copied folder.
const byPeople = `version: 1
comments: false
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev:
    from: api
    merge: manual
    set: {dev.yaml: {tag: "${api.number}"}}
    copy: {copied: {from: src, warehouse: api}}
`

// TestAMergeOfWhatOthersPushedIsComparedWithThePlanF14: a head that others made counts if it has exactly what was
// planned; whatever else it has fails the promotion.
func TestAMergeOfWhatOthersPushedIsComparedWithThePlanF14(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		push    []map[string]*string
		foreign []string
	}{
		"the same by another hand": {
			push: []map[string]*string{{"by-hand.txt": githubsim.Text("x")}, {"by-hand.txt": nil}}},
		"another file": {
			push: []map[string]*string{{"by-hand.txt": githubsim.Text("x")}}, foreign: []string{"by-hand.txt"}},
		"another value": {
			push: []map[string]*string{{"dev.yaml": githubsim.Text("tag: mine\n")}}, foreign: []string{"dev.yaml"}},
		"a file in the folder": {
			push:    []map[string]*string{{"copied/more.txt": githubsim.Text("x")}},
			foreign: []string{"copied", "copied/more.txt"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, byPeople)
			s.do("merge #1 by ann")
			require.NoError(t, s.meet("bob"))
			for _, files := range c.push {
				_, err := s.github.PushFiles(home, s.branches()[0], "bob", "By hand", files)
				require.NoError(t, err)
				s.quiet()
			}
			s.do("merge p1 by bob")
			if c.foreign == nil {
				require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
				return
			}
			p := s.promoted(1)
			require.Equal(t, promotion.Failed, p.State)
			require.Equal(t, promotion.NotPlanned, p.Reason.Code)
			require.Equal(t, c.foreign, p.Reason.Args)
			require.Contains(t, p.Reason.URL, "/files")
		})
	}
}
