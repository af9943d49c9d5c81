package sandbox

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/internal/githubsim"
	"waybill/promotion"
)

// TestNobodyFindsOutAboutARepositoryOfSomebodyElseT22 has another tenant name repositories of acme, which is served and
// private, and of nobody: the answer, the requests that it costs and who pays for them are the same, at once and at
// every later resync. What happens at acme starts nothing there. A pipeline file may name a repository in each of these
// ways.
func TestNobodyFindsOutAboutARepositoryOfSomebodyElseT22(t *testing.T) {
	t.Parallel()
	const own = "  dev: {from: w, set: {dev.yaml: {tag: \"${w.number}\"}}}\n"
	for way, pipeline := range map[string]string{
		"pull requests": "  w: {pull-requests: {repo: REPO, branch: main}}\nstages:\n" + own,
		"pushes": "  w: {pushes: {repo: REPO, branch: main}}\nstages:\n" +
			strings.Replace(own, "number", "commit", 1),
		"releases": "  w: {releases: {repo: REPO}}\nstages:\n" + strings.Replace(own, "number", "version", 1),
		"tags":     "  w: {tags: {repo: REPO}}\nstages:\n" + strings.Replace(own, "number", "version", 1),
		"reports":  "  w: {reports: {repo: REPO}}\nstages:\n" + strings.Replace(own, "number", "version", 1),
		"files": "  w: {pull-requests: {branch: main}}\nstages:\n" +
			strings.Replace(own, "from: w", "from: w, files: {repo: REPO}", 1),
	} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			nobodyFindsOut(t, "version: 1\nwarehouses:\n"+pipeline)
		})
	}
}

// nobodyFindsOut plays a pipeline file that names REPO.
func nobodyFindsOut(t *testing.T, pipeline string) {
	s := newSite(t, oneStage)
	const tenant = "mallory/x"
	require.NoError(t, s.github.CreateOrg("mallory"))
	require.NoError(t, s.github.CreateRepo(tenant, map[string]string{"dev.yaml": "tag: none\n"}))
	_, err := s.github.InstallApp("mallory", tenant)
	require.NoError(t, err)
	s.quiet()
	requests := func() (all []string) {
		for _, r := range s.github.Requests() {
			status := r.Status
			if strings.Contains(r.Path, "/app/") && status == http.StatusNotModified {
				status = http.StatusOK // the App signs a new token each second, and here a 304 is for one token only
			}
			all = append(all, fmt.Sprintf("%s %s %d", r.Method, r.Path, status))
		}
		s.github.ForgetRequests()
		slices.Sort(all) // installations are looked at side by side
		return all
	}
	type answer struct{ said, cost, later, busy string }
	var answers []answer
	for _, repo := range []string{"acme/warm-up", "acme/deploy", "acme/no-such-repo", "nobody-here/deploy"} {
		s.do("wait 11h") // all regular work is done at once, so that only the answer is counted
		requests()
		sha, err := s.github.PushFiles(tenant, "main", "admin", "x", map[string]*string{
			".github/waybill.yml": githubsim.Text(strings.ReplaceAll(pipeline, "REPO", repo)),
		})
		require.NoError(t, err)
		s.quiet()
		var a answer
		a.cost = strings.Join(requests(), "\n")
		require.NotContains(t, a.cost, "acme")
		require.NotContains(t, a.cost, "nobody-here")
		for _, c := range s.github.CheckRuns(tenant, sha) {
			a.said += strings.ReplaceAll(c.Conclusion+" "+c.Summary, repo, "REPO")
		}
		require.Contains(t, a.said, "REPO is not open to mallory/x")
		_, err = s.github.PushFiles(home, "main", "admin", "x", map[string]*string{
			".github/waybill.yml": githubsim.Text(oneStage + "# for " + repo + "\n"),
		})
		require.NoError(t, err)
		s.quiet()
		for _, r := range requests() {
			if strings.Contains(r, "mallory") {
				a.busy += r + "\n"
			}
		}
		require.NoError(t, s.program.Resync(s.ctx))
		a.later = strings.Join(requests(), "\n")
		answers = append(answers, a)
	}
	for _, a := range answers[1:] {
		require.NotEmpty(t, a.cost)
		require.Equal(t, answers[1], a)
		require.Empty(t, a.busy)
	}
}

// TestNamesOfOthersAreLookedUpWithinBoundsT22 has another tenant allow ever new repositories of acme, whose
// installation pays for the questions which ones they are.
func TestNamesOfOthersAreLookedUpWithinBoundsT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	const tenant = "mallory/x"
	require.NoError(t, s.github.CreateOrg("mallory"))
	require.NoError(t, s.github.CreateRepo(tenant, map[string]string{"README.md": "x\n"}))
	_, err := s.github.InstallApp("mallory", tenant)
	require.NoError(t, err)
	s.quiet()
	s.github.ForgetRequests()
	for round := range 2 {
		file := "version: 1\nallow:\n"
		for i := range 200 {
			file += fmt.Sprintf("- acme/x%d-%d\n", round, i)
		}
		s.allowAs(tenant, file)
		s.allowAs(tenant, file+"# again\n")
	}
	asked := 0
	for _, r := range s.github.Requests() {
		if strings.Contains(r.Path, "/repos/acme/x") {
			asked++
		}
	}
	require.Equal(t, 300, asked)
}

// TestTheListOfPipelinesNamesNoneThatItsReaderMayNotReadT22 has a person without any rights, a token for one pipeline
// and a workflow of somebody else go through the list one by one. Where the next page begins is a pipeline that they
// may not read, and neither the cursor nor one of their own making tells them of it.
func TestTheListOfPipelinesNamesNoneThatItsReaderMayNotReadT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	for _, tenant := range []string{"mallory", "zeus"} {
		repo := tenant + "/x"
		require.NoError(t, s.github.CreateOrg(tenant))
		files := map[string]string{"dev.yaml": "tag: none\n", ".github/waybill.yml": oneStage}
		require.NoError(t, s.github.CreateRepo(repo, files))
		_, err := s.github.InstallApp(tenant, repo)
		require.NoError(t, err)
	}
	s.quiet()
	token := s.withTokens(api.Token{Name: "zeus", Repos: []promotion.Repo{"zeus/x"}})[0]
	require.NoError(t, s.meet("eve"))
	for _, repo := range []string{home, "mallory/x", "zeus/x"} {
		require.NoError(t, s.github.SetPermission(repo, "eve", "none"))
	}
	s.quiet()
	s.github.SignInAs("eve")
	eve := s.browser()
	require.Equal(t, http.StatusOK, s.visit(eve, "GET", s.program.url+api.SignInPath+"?back=/api/v1/me").status)
	workflow, err := s.github.WorkflowToken(githubsim.WorkflowRun{
		Repo: "mallory/x", Workflow: "build.yml", Audience: s.program.url, Ref: "refs/heads/main", Event: "push",
	})
	require.NoError(t, err)
	for who, ask := range map[string]func(path string) answer{
		"a person":      func(path string) answer { return s.visit(eve, "GET", s.program.url+path) },
		"another token": func(path string) answer { return s.api(token, "GET", path) },
		"a workflow":    func(path string) answer { return s.api(workflow, "GET", path) },
	} {
		var seen []string
		pages := 1
		for cursor := ""; ; pages++ {
			a := ask("/api/v1/pipelines?limit=1&cursor=" + cursor)
			require.Equal(t, http.StatusOK, a.status, "%s: %s", who, a.body)
			var page api.Pipelines
			require.NoError(t, json.Unmarshal([]byte(a.body), &page))
			for _, p := range page.Pipelines {
				seen = append(seen, p.Repo)
			}
			if cursor = page.Next; cursor == "" {
				break
			}
			plain, err := base64.RawURLEncoding.DecodeString(cursor)
			require.NoError(t, err, who)
			for _, name := range []string{home, "mallory/x"} {
				require.NotContains(t, string(plain), name, who)
			}
		}
		require.Equal(t, 3, pages, who)
		forged := base64.RawURLEncoding.EncodeToString([]byte(`"acme/a"`))
		require.Equal(t, http.StatusBadRequest, ask("/api/v1/pipelines?limit=1&cursor="+forged).status,
			"%s: what stands behind a name would tell of the names", who)
		want := []string(nil)
		if who == "another token" {
			want = []string{"zeus/x"}
		}
		require.Equal(t, want, seen, who)
	}
}
