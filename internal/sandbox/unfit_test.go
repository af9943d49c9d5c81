package sandbox

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/store"
)

// everyKind is a pipeline with a stage for each kind of change that rewrites a file.
const everyKind = `version: 1
comments: false
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  set: {from: api, set: {k/values.yaml: {tag: "${api.number}"}}}
  kustomize: {from: api, kustomize: {k/kustomization.yaml: {api: {newTag: "${api.number}"}}}}
  helm: {from: api, helm: {k/Chart.yaml: {api: "1.0.${api.number}"}}}
  json: {from: api, json: {k/app.json: {tag: "${api.number}"}}}
  replace: {from: api, replace: {k/app.env: {tag: "${api.number}"}}}
`

// kindFiles are the files of those stages, with the values to be replaced.
var kindFiles = map[promotion.StageName]struct{ path, content string }{
	"set":       {"k/values.yaml", "tag: none\n"},
	"kustomize": {"k/kustomization.yaml", "images:\n- name: api\n  newTag: none\n"},
	"helm":      {"k/Chart.yaml", "dependencies:\n- name: api\n  version: 0.0.1\n"},
	"json":      {"k/app.json", "{\"tag\": \"none\"}\n"},
	"replace":   {"k/app.env", "TAG=none # waybill: tag\n"},
}

// TestNoKindOfChangeWritesToAnythingButAFileOfTextT24: links, submodules, folders and binary files keep the promotion
// waiting with the reason, and nothing is written. An executable file stays executable.
func TestNoKindOfChangeWritesToAnythingButAFileOfTextT24(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ below, mode, content, why string }{
		"links":      {"", "120000", "../.github/waybill.yml", "it is a symbolic link"},
		"submodules": {"", "160000", strings.Repeat("1", 40), "it is a submodule"},
		"folders":    {"/file", "100644", "tag: none\n", "it is a folder"},
		"binaries":   {"", "100644", "tag: none\x00\n", "it is not text"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, everyKind)
			require.NoError(t, s.meet("bob"))
			for _, f := range kindFiles {
				_, err := s.github.PushEntry(home, "main", "bob", f.path+c.below, c.mode, c.content)
				require.NoError(t, err)
			}
			s.quiet()
			s.everyKindWaits(c.why)
		})
	}
	t.Run("executables", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, everyKind)
		require.NoError(t, s.meet("bob"))
		for _, f := range kindFiles {
			_, err := s.github.PushEntry(home, "main", "bob", f.path, "100755", f.content)
			require.NoError(t, err)
		}
		s.quiet()
		s.do("merge #1 by ann")
		for stage, f := range kindFiles {
			require.Contains(t, s.states(stage)[0], "succeeded", stage)
			mode, _, _ := s.github.Entry(home, "main", f.path)
			require.Equal(t, "100755", mode, stage)
			text, _ := s.github.File(home, "main", f.path)
			require.NotEqual(t, f.content, text)
		}
	})
}

// TestALinkOnTheWayToAFileIsNotFollowedT24: a link could lead a promotion to the files that protect the repository.
func TestALinkOnTheWayToAFileIsNotFollowedT24(t *testing.T) {
	t.Parallel()
	s := newSite(t, everyKind)
	require.NoError(t, s.meet("bob"))
	files := map[string]*string{}
	for _, f := range kindFiles {
		files[f.path], files["real/"+strings.TrimPrefix(f.path, "k/")] = nil, githubsim.Text(f.content)
	}
	_, err := s.github.PushFiles(home, "main", "bob", "Move", files)
	require.NoError(t, err)
	_, err = s.github.PushEntry(home, "main", "bob", "k", "120000", "real")
	require.NoError(t, err)
	s.quiet()
	s.everyKindWaits("it is not there")
}

// everyKindWaits merges a pull request and checks that its promotion waits in each stage for the given reason.
func (s *site) everyKindWaits(why string) {
	s.t.Helper()
	s.do("merge #1 by ann")
	head := s.github.Head(home, "main")
	for n := promotion.Number(1); n <= 5; n++ {
		p := s.promoted(n)
		require.Equal(s.t, promotion.Queued, p.State, p.Stage)
		require.Equal(s.t, promotion.Because(promotion.Unreadable, kindFiles[p.Stage].path).With(why), s.problem(n))
	}
	require.Empty(s.t, s.branches())
	require.Equal(s.t, head, s.github.Head(home, "main"))
}

// problem returns why a promotion cannot be planned.
func (s *site) problem(n promotion.Number) (why promotion.Reason) {
	s.t.Helper()
	s.view(func(tx *store.Tx, pipeline int64) error {
		a, err := tx.Attempts.Of(pipeline, n)
		require.NotNil(s.t, a.Plan)
		why = a.Plan.Problem
		return err
	})
	return why
}

// TestAPromotionThatWaitsForAFileGoesOnWithTheNextPushOrResync: the stage hosts nothing, so that nothing
// else has its file read.
func TestAPromotionThatWaitsForAFileGoesOnWithTheNextPushOrResync(t *testing.T) {
	t.Parallel()
	for name, heals := range map[string][]string{"push": nil, "resync": {"lose webhooks", "resync"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, `version: 1
comments: false
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, dispatch: {workflow: deploy.yml}}
`)
			s.do("merge #1 by ann")
			require.Equal(t, []string{"p1 api#1 dev queued"}, s.states("dev"))
			tries := s.plans(1)
			s.do("push README.md by bob", "resync", "resync", "wait 12h")
			require.Equal(t, []string{"p1 api#1 dev queued"}, s.states("dev"))
			require.LessOrEqual(t, s.plans(1), tries+2, "it is looked at again, but not in a loop")
			if heals != nil {
				s.do(heals[0])
			}
			text := "run-name: ${{ inputs.waybill }}\non: {workflow_dispatch: {inputs: {waybill: {}}}}\n"
			_, err := s.github.PushFiles(home, "main", "ann", "Add it",
				map[string]*string{".github/workflows/deploy.yml": githubsim.Text(text)})
			require.NoError(t, err)
			s.quiet()
			if heals != nil {
				s.do(heals[1:]...)
			}
			require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
		})
	}
}

// plans returns how often a promotion was planned.
func (s *site) plans(n promotion.Number) (rounds int) {
	s.t.Helper()
	s.view(func(tx *store.Tx, pipeline int64) error {
		a, err := tx.Attempts.Of(pipeline, n)
		rounds = a.Plan.Round
		return err
	})
	return rounds
}

// TestAPromotionChangesTheFilesThatItsStageDeclaresAndNoOtherT24 lists the files that each commit changed.
func TestAPromotionChangesTheFilesThatItsStageDeclaresAndNoOtherT24(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(everyKind, "stages:\n",
		"stages:\n  copy: {from: api, copy: {k/copied: {from: src, warehouse: api}}}\n", 1))
	s.do("merge #1 by ann")
	for n := promotion.Number(1); n <= 6; n++ {
		p := s.promoted(n)
		require.Equal(t, promotion.Succeeded, p.State, p.Stage)
		changes, err := s.github.CommitChanges(home, string(p.MergeSHA))
		require.NoError(t, err)
		require.Len(t, changes, 1)
		want := kindFiles[p.Stage].path
		if p.Stage == "copy" {
			want = "k/copied/change-1"
		}
		require.Equal(t, want, changes[0].Path)
	}
}

// TestWhenOneOfSeveralFilesCannotBeChangedNoneIsF8F34: the stage makes no partial change, and other stages' promotions
// go on.
func TestWhenOneOfSeveralFilesCannotBeChangedNoneIsF8F34(t *testing.T) {
	t.Parallel()
	s := newSite(t, `version: 1
comments: false
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev:
    from: api
    set: {a.yaml: {tag: "${api.number}"}, b.yaml: {tag: "${api.number}"}}
    copy: {c: {from: src, warehouse: api}}
  qa: {from: api, set: {qa.yaml: {tag: "${api.number}"}}}
`)
	s.do("merge #1 by ann")
	_, err := s.github.PushFiles(home, "main", "ann", "Lose it", map[string]*string{"b.yaml": nil})
	require.NoError(t, err)
	s.quiet()
	s.do("merge #2 by ann")
	// The numbers depend on the order in which the two stages are decided.
	require.Equal(t, []string{"api#1 dev succeeded", "api#2 dev queued"}, withoutNumbers(s.states("dev")))
	require.Equal(t, []string{"api#1 qa succeeded", "api#2 qa succeeded"}, withoutNumbers(s.states("qa")))
	require.Equal(t, "1", s.hosts("a.yaml"))
	require.NotContains(t, s.github.Files(home, "main"), "c/change-2")

	_, err = s.github.PushFiles(home, "main", "ann", "Bring it back",
		map[string]*string{"b.yaml": githubsim.Text("tag: none\n")})
	require.NoError(t, err)
	s.quiet()
	require.Equal(t, []string{"api#1 dev succeeded", "api#2 dev succeeded"}, withoutNumbers(s.states("dev")))
	require.Equal(t, "2", s.hosts("b.yaml"))
}

// withoutNumbers returns states of promotions without their numbers.
func withoutNumbers(states []string) []string {
	all := make([]string, len(states))
	for i, s := range states {
		_, all[i], _ = strings.Cut(s, " ")
	}
	return all
}

// TestAnOutageWhileFilesAreReadDecidesNothingF8 has GitHub fail each kind of read for an hour.
func TestAnOutageWhileFilesAreReadDecidesNothingF8(t *testing.T) {
	t.Parallel()
	for name, route := range map[string]githubsim.Route{
		"contents":          {Field: "repository"},
		"lists of a folder": {Method: http.MethodGet, Path: "/repos/{owner}/{repo}/git/trees/{tree_sha}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, abroad)
			s.github.Faults().FailNext(route, githubsim.Fault{Status: http.StatusBadGateway, Times: -1})
			s.do("merge acme/api#1 by ann", "wait 1h")
			require.Equal(t, []string{"p1 api#1 dev queued"}, s.states("dev"))
			s.github.Faults().Clear()
			s.do("wait 5m")
			require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
			s.equal(source, "k8s", "deploy/dev")
		})
	}
}

// TestARepositoryThatTheAppCannotReachForAWhileIsWaitedForF34 copies a folder of it once it can be reached again.
func TestARepositoryThatTheAppCannotReachForAWhileIsWaitedForF34(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(abroad, "warehouse: api}}}",
		"warehouse: api}}, approvals: 0, freeze: [{cron: \"0 9 5 1 *\", for: 1h}]}", 1))
	s.do("merge acme/api#1 by ann")
	require.NoError(t, s.github.ReachRepo(source, false))
	s.quiet()
	s.do("wait 2h")
	require.Equal(t, []string{"p1 api#1 dev queued"}, s.states("dev"))
	require.NoError(t, s.github.ReachRepo(source, true))
	s.quiet()
	s.do("wait 10m")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
}

// TestTwoApplicationsOnOneBranchLeaveEachOtherAloneF17: each stage replaces a folder of its own, and both pull requests
// are open at once.
func TestTwoApplicationsOnOneBranchLeaveEachOtherAloneF17(t *testing.T) {
	t.Parallel()
	s := newSite(t, `version: 1
comments: false
warehouses:
  api: {pull-requests: {branch: main, paths: [api/**]}}
  web: {pull-requests: {branch: main, paths: [web/**]}}
stages:
  api-prod: {from: api, copy: {apps/api: {from: api, warehouse: api}}, merge: manual}
  web-prod: {from: web, copy: {apps/web: {from: web, warehouse: web}}, merge: manual}
-- apps/api/old --
old
-- apps/web/old --
old
-- apps/shop/values.yaml --
beside
`)
	require.NoError(t, s.meet("bob"))
	for n, folder := range []string{"api", "web"} {
		number, err := s.github.OpenPull(home, githubsim.PullSpec{
			Number: n + 1, Title: folder, Head: folder, Author: "bob",
			Files: map[string]*string{folder + "/new": githubsim.Text("new\n")},
		})
		require.NoError(t, err)
		_, err = s.github.MergePull(home, number, "bob", "squash")
		require.NoError(t, err)
		s.quiet()
	}
	require.Len(t, s.ours(), 2)
	s.do("merge p1 by bob", "merge p2 by bob")
	files := slices.DeleteFunc(s.github.Files(home, "main"), func(f string) bool { return !strings.HasPrefix(f, "apps/") })
	require.Equal(t, []string{"apps/api/new", "apps/shop/values.yaml", "apps/web/new"}, files)
}

// TestACopyThatConflictsIsMadeAnewFromTheNewBaseF16: pushes outside the folder are kept, and the folder is an exact
// copy.
func TestACopyThatConflictsIsMadeAnewFromTheNewBaseF16(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(copying, "warehouse: api}}}", "warehouse: api}}, merge: manual}", 1)+
		"-- src/app --\nv2\n-- deploy/dev/app --\nv1\n-- README.md --\nread me\n")
	s.do("merge #1 by ann")
	first := s.pull(1).HeadSHA
	s.do("push deploy/dev/app README.md by bob", "wait 1m")
	require.NotEqual(t, first, s.pull(1).HeadSHA)
	s.do("merge p1 by bob")
	s.equal(home, "src", "deploy/dev")
	text, _ := s.github.File(home, "main", "README.md")
	require.Contains(t, text, "# by-bob-1")
}
