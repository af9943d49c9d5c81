package sandbox

import (
	"fmt"
	"strings"
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

// notes are in docs/old.md.
const notes = "Notes that are long enough to be known again under another name.\n"

// pushed is what somebody pushes to the branch of a promotion: files, and after them an executable.
type pushed struct {
	files      map[string]*string
	executable string // its path
	content    string
}

// push pushes it as bob.
func (h pushed) push(s *site, branch string) error {
	if h.executable != "" {
		_, err := s.github.PushEntry(home, branch, "bob", h.executable, "100755", h.content)
		return err
	}
	_, err := s.github.PushFiles(home, branch, "bob", "By hand", h.files)
	return err
}

// TestAMergeOfWhatOthersPushedIsComparedWithThePlanF14: a head that others made counts if it has exactly what was
// planned; whatever else it has fails the promotion.
func TestAMergeOfWhatOthersPushedIsComparedWithThePlanF14(t *testing.T) {
	t.Parallel()
	many := map[string]*string{}
	for i := range 3000 {
		many[fmt.Sprintf("many/%d", i)] = githubsim.Text("x")
	}
	text := githubsim.Text
	for name, c := range map[string]struct {
		push    []pushed
		foreign []string
	}{
		"the same by another hand": {
			push: []pushed{{files: map[string]*string{"by-hand.txt": text("x")}},
				{files: map[string]*string{"by-hand.txt": nil}}}},
		"another file": {
			push: []pushed{{files: map[string]*string{"by-hand.txt": text("x")}}}, foreign: []string{"by-hand.txt"}},
		"another value": {
			push: []pushed{{files: map[string]*string{"dev.yaml": text("tag: mine\n")}}}, foreign: []string{"dev.yaml"}},
		"no file any more": {
			push: []pushed{{files: map[string]*string{"dev.yaml": nil}}}, foreign: []string{"dev.yaml"}},
		"another mode": {
			push: []pushed{{executable: "dev.yaml", content: "tag: 1\n"}}, foreign: []string{"dev.yaml"}},
		"another name": {
			push:    []pushed{{files: map[string]*string{"docs/old.md": nil, "docs/new.md": text(notes)}}},
			foreign: []string{"docs/new.md", "docs/old.md"}},
		"a file in the folder": {
			push:    []pushed{{files: map[string]*string{"copied/more.txt": text("x")}}},
			foreign: []string{"copied", "copied/more.txt"}},
		"more than GitHub lists": {push: []pushed{{files: many}}, foreign: []string{"more files than GitHub lists"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, byPeople)
			s.mergedWith(c.push)
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

// TestAMergeOfAWholeBranchIsComparedWithTheFreightF14: what others pushed counts if the branch has the freight's tree.
func TestAMergeOfAWholeBranchIsComparedWithTheFreightF14(t *testing.T) {
	t.Parallel()
	manual := strings.Replace(environments, "branch: env/staging", "merge: manual, branch: env/staging", 1)
	more, none := map[string]*string{"more.txt": githubsim.Text("x")}, map[string]*string{"more.txt": nil}

	same := newSite(t, manual)
	same.mergedWith([]pushed{{files: more}, {files: none}})
	require.Equal(t, []string{"p1 app#1 staging verifying"}, same.states("staging"))

	other := newSite(t, manual)
	other.mergedWith([]pushed{{files: more}})
	p := other.promoted(1)
	require.Equal(t, promotion.NotPlanned, p.Reason.Code)
	require.Equal(t, []string{"everything"}, p.Reason.Args)
}

// mergedWith has bob merge the first promotion's pull request after what he pushes to its branch.
func (s *site) mergedWith(pushes []pushed) {
	s.t.Helper()
	require.NoError(s.t, s.meet("bob"))
	_, err := s.github.PushFiles(home, "main", "bob", "Notes", map[string]*string{"docs/old.md": githubsim.Text(notes)})
	require.NoError(s.t, err)
	s.do("merge #1 by ann")
	for _, each := range pushes {
		require.NoError(s.t, each.push(s, s.branches()[0]))
		s.quiet()
	}
	s.do("merge p1 by bob")
}
