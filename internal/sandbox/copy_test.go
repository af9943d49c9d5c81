package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/promotion/drift"
	"waybill/store"

	"github.com/stretchr/testify/require"
)

// copying is a pipeline whose stage copies a folder of the home repository from the freight's commit.
const copying = `version: 1
comments: false
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, copy: {deploy/dev: {from: src, warehouse: api}}}
`

// abroad is a pipeline whose stage copies a folder of another repository.
const abroad = `version: 1
comments: false
warehouses:
  api: {pull-requests: {repo: acme/api, branch: main, paths: [k8s/**]}}
stages:
  dev: {from: api, copy: {deploy/dev: {from: k8s, warehouse: api}}}
`

// source is the repository of the warehouse in abroad.
const source = "acme/api"

// equal requires that two folders are the same tree in Git, modes included.
func (s *site) equal(repo, folder, copied string) {
	s.t.Helper()
	_, is, found := s.github.Entry(home, "main", copied)
	require.True(s.t, found, copied)
	_, want, found := s.github.Entry(repo, "main", folder)
	require.True(s.t, found, folder)
	require.Equal(s.t, want, is, "%s of %s and %s", folder, repo, copied)
}

// odd holds files that a careless copy would change.
var odd = map[string]*string{
	"empty": githubsim.Text(""), "no newline": githubsim.Text("a: b"), "windows.ini": githubsim.Text("a\r\nb\r\n"),
	"deep/er/bom.txt": githubsim.Text("\ufeffkind: x\n"), "ünïcode.txt": githubsim.Text("ä\u2028ö \U0001F680\n"),
	"tabs": githubsim.Text("\t\n \n\n"),
}

func (s *site) pushInto(repo, folder string, files map[string]*string) {
	s.t.Helper()
	require.NoError(s.t, s.meet("bob"))
	all := map[string]*string{}
	for name, content := range files {
		all[folder+"/"+name] = content
	}
	_, err := s.github.PushFiles(repo, "main", "bob", "Push", all)
	require.NoError(s.t, err)
	s.quiet()
}

// TestACopyIsExactAndChangesNothingBesideIt copies odd files, a binary, and a file that is executable on both sides.
func TestACopyIsExactAndChangesNothingBesideIt(t *testing.T) {
	t.Parallel()
	s := newSite(t,
		copying+"-- deploy/dev.yaml --\nbeside\n-- deploy/dev/gone/x --\ngone\n-- deploy/develop/x --\nbeside\n")
	s.pushInto(home, "src", odd)
	s.pushInto(home, "src", map[string]*string{"logo.png": githubsim.Text("\x89PNG\x00\xff\xfe")})
	for _, folder := range []string{"src", "deploy/dev"} {
		_, err := s.github.PushEntry(home, "main", "bob", folder+"/run", "100755", "#!/bin/"+folder+"\n")
		require.NoError(t, err)
	}
	s.do("merge #1 by ann")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
	s.equal(home, "src", "deploy/dev")
	mode, _, _ := s.github.Entry(home, "main", "deploy/dev/run")
	require.Equal(t, "100755", mode)
	for path, want := range map[string]string{"deploy/dev.yaml": "beside\n", "deploy/develop/x": "beside\n"} {
		is, _ := s.github.File(home, "main", path)
		require.Equal(t, want, is)
	}
	require.Contains(t, s.pull(1).Body, "deploy/dev/gone/x")

	s.pushInto(home, "src", map[string]*string{"empty": nil, "deep/er/bom.txt": nil})
	s.do("merge #2 by ann")
	s.equal(home, "src", "deploy/dev")
	s.do("comment #2 by ann: /rollback dev")
	is, found := s.github.File(home, "main", "deploy/dev/deep/er/bom.txt")
	require.True(t, found)
	require.Equal(t, *odd["deep/er/bom.txt"], is)
	_, found = s.github.File(home, "main", "deploy/dev/change-2")
	require.False(t, found, "it came with the second freight")
}

// TestACopyFromAnotherRepositoryIsExact checks that Waybill reads only the files that the stage's repository lacks.
func TestACopyFromAnotherRepositoryIsExact(t *testing.T) {
	t.Parallel()
	s := newSite(t, abroad+"-- deploy/dev/gone --\ngone\n")
	s.pushInto(home, "deploy/dev", map[string]*string{"moved": odd["no newline"]})
	s.pushInto(source, "k8s", odd)
	s.do("merge acme/api#1 by ann")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
	s.equal(source, "k8s", "deploy/dev")

	s.github.ForgetRequests()
	s.do("merge acme/api#2 by ann")
	s.equal(source, "k8s", "deploy/dev")
	s.atMost(intake + hop + 4) // the folder's place, two lists of files, one read of the new file
}

// TestAHundredAndFiftyFilesAreCopiedWithTwoReadings counts the requests that copy many files from another repository.
func TestAHundredAndFiftyFilesAreCopiedWithTwoReadings(t *testing.T) {
	t.Parallel()
	s := newSite(t, abroad)
	many := map[string]*string{}
	for i := range 150 {
		many[fmt.Sprintf("app-%03d.yaml", i)] = githubsim.Text(fmt.Sprintf("n: %d\n", i))
	}
	s.pushInto(source, "k8s", many)
	s.github.ForgetRequests()
	s.do("merge acme/api#1 by ann")
	s.equal(source, "k8s", "deploy/dev")
	s.atMost(intake + hop + 8) // as above, one read more, and the requests that only the first promotion makes
}

// TestWhatIsNoTextIsNotCopiedFromAnotherRepositoryT24 checks that the promotion waits and names the file.
func TestWhatIsNoTextIsNotCopiedFromAnotherRepositoryT24(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ content, why string }{
		"a picture": {"\x89PNG\x00\xff\xfe", "it is not text"},
		"a pointer of Git LFS": {"version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("1", 64) +
			"\nsize 12345\n", "it is a pointer of Git LFS, whose content is in another repository"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, abroad+"-- deploy/dev/old --\nold\n")
			s.pushInto(source, "k8s", map[string]*string{"logo.png": githubsim.Text(c.content)})
			before := s.github.Head(home, "main")
			s.do("merge acme/api#1 by ann")
			require.Equal(t, promotion.Queued, s.promoted(1).State)
			why := s.problem(1)
			require.Equal(t, "unreadable deploy/dev/logo.png", string(why.Code)+" "+why.Arg(0))
			require.Contains(t, why.Detail, c.why)
			require.Equal(t, before, s.github.Head(home, "main"))
			require.Empty(t, s.branches())
		})
	}
}

// TestLinksSubmodulesAndNewExecutablesAreNotCopiedT24 checks that each keeps the promotion waiting with a reason, and
// that Waybill writes nothing.
func TestLinksSubmodulesAndNewExecutablesAreNotCopiedT24(t *testing.T) {
	t.Parallel()
	const where = " where a folder should be"
	deeper := strings.Replace(copying, "deploy/dev:", "deploy/dev/m:", 1)
	for name, c := range map[string]struct{ pipeline, path, mode, content, why string }{
		"a link":                 {copying, "src/link", "120000", "../../../etc/passwd", "it is a symbolic link"},
		"a link that would go":   {copying, "deploy/dev/link", "120000", "../x", "it is a symbolic link"},
		"a submodule":            {copying, "src/module", "160000", strings.Repeat("1", 40), "it is a submodule"},
		"a new executable":       {copying, "src/run", "100755", "#!/bin/sh\n", "it is executable where it is copied from"},
		"owners":                 {copying, "src/CODEOWNERS", "100644", "* @eve\n", "CODEOWNERS is never changed"},
		"attributes of Git":      {copying, "src/x/.gitattributes", "100644", "* -text\n", "what Git keeps for itself"},
		"a link for the folder":  {copying, "deploy/dev", "120000", "../x", "it is a symbolic link" + where},
		"a file for the folder":  {copying, "deploy/dev", "100644", "x", "it is a file" + where},
		"a link on the way":      {deeper, "deploy/dev", "120000", "../x", "it is a symbolic link" + where},
		"a submodule on the way": {deeper, "deploy/dev", "160000", strings.Repeat("1", 40), "it is a submodule" + where},
		"a file on the way":      {deeper, "deploy/dev", "100644", "x", "it is a file" + where},
		"a link far up":          {deeper, "deploy", "120000", "../x", "it is a symbolic link" + where},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, c.pipeline)
			require.NoError(t, s.meet("bob"))
			s.pushInto(home, "src", map[string]*string{"a": githubsim.Text("a\n")})
			_, err := s.github.PushEntry(home, "main", "bob", c.path, c.mode, c.content)
			require.NoError(t, err)
			s.quiet()
			s.do("merge #1 by ann")
			require.Equal(t, promotion.Queued, s.promoted(1).State)
			require.Equal(t, promotion.Unreadable, s.problem(1).Code)
			require.Contains(t, s.problem(1).Detail, c.why)
			require.Equal(t, strings.Replace(c.path, "src/", "deploy/dev/", 1), s.problem(1).Arg(0))
			require.Empty(t, s.branches())
		})
	}
}

// TestWhatIsCopiedFromAStageIsWhatCameThereWithTheFreight checks that the copy does not contain bob's later push.
func TestWhatIsCopiedFromAStageIsWhatCameThereWithTheFreight(t *testing.T) {
	t.Parallel()
	s := newSite(t, `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev/tag.yaml: {tag: "${api.number}"}}}
  prod: {from: api, after: dev, copy: {prod: {from: dev, stage: dev}}, merge: manual}
-- dev/base.yaml --
replicas: 1
`)
	s.do("merge #1 by ann", "push dev/base.yaml by bob", "merge p2 by bob")
	is, _ := s.github.File(home, "main", "prod/base.yaml")
	require.Equal(t, "replicas: 1\n", is)
	is, _ = s.github.File(home, "main", "prod/tag.yaml")
	require.Equal(t, "tag: \"1\"\n", is)

	s.do("comment #1 by ann: /plan prod")
	answer := s.told(1)[len(s.told(1))-1].Body
	require.Contains(t, answer, "Nothing would change")
	s.do("push prod/more.yaml by bob", "comment #1 by ann: /plan prod")
	answer = s.told(1)[len(s.told(1))-1].Body
	for _, part := range []string{"prod/", "every file", "come or go", "prod/more.yaml"} {
		require.Contains(t, answer, part)
	}
	s.view(func(tx *store.Tx, pipeline int64) error {
		hosted, err := tx.Deployments.Hosted(pipeline)
		require.NoError(t, err)
		require.Equal(t, "prod/ is not what promotion 2 copied; pushed by bob", drift.Reason(&hosted[1]).Detail)
		return nil
	})
}

// TestAFreightThatHasNeverBeenWhereItIsCopiedFromIsNotCopied admits freight past the stage whose files it copies.
func TestAFreightThatHasNeverBeenWhereItIsCopiedFromIsNotCopied(t *testing.T) {
	t.Parallel()
	s := newSite(t, `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev/tag.yaml: {tag: "${api.number}"}}, merge: manual}
  prod: {from: api, after: dev, copy: {prod: {from: dev, stage: dev}}}
-- .github/waybill.policy.yml --
version: 1
automatic: ["*"]
may: {admit: [{permission: write}]}
`)
	s.do("merge #1 by ann", "comment #1 by bob: /admit api#1 prod --because \"it burns\"")
	require.Equal(t, []string{"p2 api#1 prod queued"}, s.states("prod"))
	require.Equal(t, "api#1 has never been in dev, from where it is copied", s.problem(2).Detail)
}

// TestACopyIsMadeOnceWhateverIsLostF2F20 loses the answer to each request of a copy from another repository, or has
// GitHub answer it with 502.
func TestACopyIsMadeOnceWhateverIsLostF2F20(t *testing.T) {
	t.Parallel()
	all := []githubsim.Route{
		{Field: "repository"}, {Method: http.MethodGet, Path: "/repos/{owner}/{repo}/git/trees/{tree_sha}"},
		{Method: http.MethodPost, Path: "/repos/{owner}/{repo}/git/trees"},
		{Method: http.MethodPost, Path: "/repos/{owner}/{repo}/git/commits"}, {Field: "createPullRequest"},
	}
	for name, fault := range map[string]githubsim.Fault{
		"lost": {LoseReply: true}, "not heard": {Status: http.StatusBadGateway},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, abroad+"-- deploy/dev/gone --\ngone\n")
			s.pushInto(source, "k8s", odd)
			for _, route := range all {
				for nth := range 3 {
					s.github.Faults().FailNext(route, githubsim.Fault{LoseReply: fault.LoseReply, Status: fault.Status, Nth: 1 + nth})
				}
			}
			s.do("merge acme/api#1 by ann", "wait 1h")
			s.github.Faults().Clear()
			s.do("wait 10m")
			require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
			require.Equal(t, []string{"Promote api#1 to dev: merged"}, s.ours())
			s.equal(source, "k8s", "deploy/dev")
		})
	}
}
