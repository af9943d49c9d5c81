package gh

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

func TestMergedPullsAreThoseSinceATime(t *testing.T) {
	k := newKit(t)
	merge := func(title string) {
		number, err := k.OpenPull(repo,
			githubsim.PullSpec{Author: "ann", Title: title, Files: map[string]*string{"x": githubsim.Text(title)}})
		require.NoError(t, err)
		_, err = k.MergePull(repo, number, "ann", "squash")
		require.NoError(t, err)
		k.clock.Advance(time.Minute)
	}
	merge("before")
	since := k.clock.Now()
	merge("first")
	merge("second")
	number, err := k.OpenPull(repo, githubsim.PullSpec{Author: "ann", Files: map[string]*string{"y": githubsim.Text("y")}})
	require.NoError(t, err)
	require.NoError(t, k.ClosePull(repo, number, "ann"))
	_, err = k.Server.Comment(repo, 1, "ann", "an old one that was updated")
	require.NoError(t, err)

	merged, err := k.client.Pulls.MergedInto(t.Context(), "main", since)
	require.NoError(t, err)
	require.Len(t, merged, 2)
	newest := merged[0]
	require.Equal(t, "second", newest.Title)
	require.Equal(t, since.Add(time.Minute), newest.MergedAt)
	require.Equal(t, promotion.Login("ann"), newest.Author.Login)
	require.Equal(t, promotion.SHA(k.Head(repo, "main")), newest.MergeSHA)
	require.Equal(t, promotion.Repo(repo), newest.HeadRepo)
	require.Equal(t, "main", newest.Base)
}

func TestMergedPullsAreAllListedAndNoneThatIsOlderF44(t *testing.T) {
	var items []string
	for i := range 250 { // the newest first, one a minute
		at := noon.Add(-time.Duration(i) * time.Minute).Format(time.RFC3339)
		items = append(items, fmt.Sprintf(`{"number": %d, "merged_at": %q, "updated_at": %q, "merge_commit_sha": "c", `+
			`"labels": [{"name": "ship"}]}`, 250-i, at, at))
	}
	pages := 0
	c := clientOf(t, paged("[%s]", items, &pages))
	merged, err := c.Pulls.MergedInto(t.Context(), "main", noon.Add(-100*time.Minute))
	require.NoError(t, err)
	require.Len(t, merged, 101)
	require.Equal(t, 150, merged[100].Number)
	require.Equal(t, []string{"ship"}, merged[0].Labels)
	require.Equal(t, 1+2, pages, "the first digests; and what is older is not asked for")
	pages = 0
	merged, err = c.Pulls.MergedInto(t.Context(), "main", noon.Add(-time.Minute))
	require.NoError(t, err)
	require.Len(t, merged, 2)
	require.Equal(t, 1, pages, "mostly the digests are enough")
}

func TestAnUnchangedListCostsNothing(t *testing.T) {
	k := newKit(t)
	number, err := k.OpenPull(repo, githubsim.PullSpec{Author: "ann", Files: map[string]*string{"x": githubsim.Text("x")}})
	require.NoError(t, err)
	_, err = k.MergePull(repo, number, "ann", "squash")
	require.NoError(t, err)
	first, err := k.client.Pulls.MergedInto(t.Context(), "main", noon)
	require.NoError(t, err)
	again, err := k.client.Pulls.MergedInto(t.Context(), "main", noon)
	require.NoError(t, err)
	require.Equal(t, first, again)
	requests := k.Requests()
	require.Equal(t, 304, requests[len(requests)-1].Status)
}

func TestWhatHasChangedIsNeverServedFromMemory(t *testing.T) {
	k := newKit(t)
	opened, _ := k.opened()
	pull, err := k.client.Pulls.Read(t.Context(), opened.Pull)
	require.NoError(t, err)
	require.Equal(t, promotion.PullOpen, pull.State)
	_, err = k.MergePull(repo, opened.Pull, "ann", "squash")
	require.NoError(t, err)
	// within the minute in which GitHub declares the answer fresh
	pull, err = k.client.Pulls.Read(t.Context(), opened.Pull)
	require.NoError(t, err)
	require.Equal(t, promotion.PullMerged, pull.State)
}

func TestEveryFileOfAPullRequestIsListedF44(t *testing.T) {
	k := newKit(t)
	changed := map[string]*string{}
	for i := range 101 {
		changed[fmt.Sprintf("src/%03d.go", i)] = githubsim.Text(fmt.Sprint(i))
	}
	number, err := k.OpenPull(repo, githubsim.PullSpec{Author: "ann", Files: changed})
	require.NoError(t, err)
	files, err := k.client.Pulls.Files(t.Context(), number)
	require.NoError(t, err)
	require.Len(t, files.Paths, 101)
	require.Contains(t, files.Paths, "src/100.go")
}

func TestOfAPullRequestGitHubListsSoManyFiles(t *testing.T) {
	items := make([]string, mostPullFiles)
	for i := range items {
		items[i] = fmt.Sprintf(`{"filename": "f%d"}`, i)
	}
	pages := 0
	files, err := clientOf(t, paged("[%s]", items, &pages)).Pulls.Files(t.Context(), 1)
	require.NoError(t, err)
	require.True(t, files.More)
	files, err = clientOf(t, paged("[%s]", items[1:], &pages)).Pulls.Files(t.Context(), 1)
	require.NoError(t, err)
	require.Len(t, files.Paths, mostPullFiles-1)
	require.False(t, files.More)
}

func TestACommitThatChangesMoreThanIsListedIsComparedTreeByTree(t *testing.T) {
	c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.Contains(r.URL.Path, "/compare/"):
			fmt.Fprintf(w, `{"status": "ahead", "files": [{"filename": "f"}%s]}`,
				strings.Repeat(`,{"filename": "f"}`, mostCompared-1))
		case strings.HasSuffix(r.URL.Path, "/trees/c0"):
			fmt.Fprint(w, `{"tree": [{"path": "same", "mode": "100644", "type": "blob", "sha": "1"}, {"path": "gone", "type": `+
				`"blob", "sha": "2"}, {"path": "run", "mode": "100644", "type": "blob", "sha": "3"}]}`)
		default:
			fmt.Fprint(w, `{"tree": [{"path": "same", "mode": "100644", "type": "blob", "sha": "1"}, {"path": "dir", "type": `+
				`"tree", "sha": "9"}, {"path": "dir/new", "type": "blob", "sha": "4"}, {"path": "run", "mode": "100755", "type": `+
				`"blob", "sha": "3"}]}`)
		}
	})
	paths, err := c.Commits.ChangedPaths(t.Context(), "c0", "c1")
	require.NoError(t, err)
	require.Equal(t, []string{"dir/new", "gone", "run"}, paths)
}

func TestATreeThatIsNotAllListedIsNotCompared(t *testing.T) {
	c := clientOf(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"status": "diverged", "truncated": true}`)
	})
	_, err := c.Commits.ChangedPaths(t.Context(), "c0", "c1")
	require.ErrorIs(t, err, ErrRefused)
}

func TestThePullRequestOfABranchIsTheOpenOneElseTheNewest(t *testing.T) {
	ours := `{"ref": "waybill/x", "repo": {"full_name": "acme/app"}}`
	fork := `{"ref": "waybill/x", "repo": {"full_name": "mallory/app"}}`
	for list, want := range map[string]int{
		`{"number": 4, "state": "open", "head": ` + fork + `}, {"number": 3, "state": "closed", "head": ` + ours +
			`}, {"number": 2, "state": "open", "head": ` + ours + `}`: 2,
		`{"number": 3, "state": "closed", "head": ` + ours + `}, {"number": 2, "state": "closed", "head": ` + ours + `}`: 3,
		`{"number": 4, "state": "open", "head": ` + fork + `}`:                                                           0,
	} {
		c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
			number, one := strings.CutPrefix(r.URL.Path, "/repos/acme/app/pulls/")
			if !one {
				fmt.Fprintf(w, "[%s]", list)
				return
			}
			fmt.Fprintf(w, `{"number": %s, "state": "open", "head": %s}`, number, ours)
		})
		pull, found, err := c.Pulls.find(t.Context(), "waybill/x")
		require.NoError(t, err)
		require.Equal(t, want != 0, found)
		require.Equal(t, want, pull.Number)
	}
}

func TestAFileThatMovesHasTwoPaths(t *testing.T) {
	k := newKit(t)
	number, err := k.OpenPull(repo, githubsim.PullSpec{
		Author: "ann", Files: map[string]*string{"README.md": nil, "docs/README.md": githubsim.Text("app\n")},
	})
	require.NoError(t, err)
	files, err := k.client.Pulls.Files(t.Context(), number)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"README.md", "docs/README.md"}, files.Paths)
}

func TestPushesTellHowABranchCameToWhereItIs(t *testing.T) {
	k := newKit(t)
	since := promotion.SHA(k.Head(repo, "main"))
	none, err := k.client.Branches.Pushes(t.Context(), "main", since, promotion.SHA(k.Head(repo, "main")))
	require.NoError(t, err)
	require.Empty(t, none)

	first := k.push(map[string]string{"README.md": "1\n"})
	k.clock.Advance(time.Minute)
	opened, _ := k.opened()
	merge, err := k.MergePull(repo, opened.Pull, "ann", "merge")
	require.NoError(t, err)
	last := k.push(map[string]string{"README.md": "3\n", "deploy/prod.yaml": "tag: v3\n"})

	pushes, err := k.client.Branches.Pushes(t.Context(), "main", since, promotion.SHA(k.Head(repo, "main")))
	require.NoError(t, err)
	step := func(before, after promotion.SHA, at time.Time, paths ...string) promotion.Push {
		return promotion.Push{Repo: repo, Branch: "main", Before: before, After: after, At: at, Paths: paths}
	}
	require.Equal(t, []promotion.Push{
		step(since, first, noon, "README.md"),
		step(first, promotion.SHA(merge), noon.Add(time.Minute), "deploy/dev.yaml"),
		step(promotion.SHA(merge), last, noon.Add(time.Minute), "README.md", "deploy/prod.yaml"),
	}, pushes)

	require.Equal(t, 1, k.asked(func() {
		again, err := k.client.Branches.Pushes(t.Context(), "main", since, promotion.SHA(k.Head(repo, "main")))
		require.NoError(t, err)
		require.Equal(t, pushes, again)
	}), "what a commit changed is known")
}

func TestABranchThatWasRewrittenHasMovedInOneStep(t *testing.T) {
	k := newKit(t)
	lost := k.push(map[string]string{"README.md": "lost\n"})
	_, err := k.ForcePush(repo, "topic", "ann", "other", map[string]*string{"README.md": githubsim.Text("other\n")})
	require.NoError(t, err)
	_, err = k.PushFiles(repo, "main", "ann", "more", map[string]*string{"deploy/dev.yaml": githubsim.Text("x: 1\n")})
	require.NoError(t, err)
	head, topic := promotion.SHA(k.Head(repo, "main")), promotion.SHA(k.Head(repo, "topic"))
	pushes, err := k.client.Branches.Pushes(t.Context(), "topic", head, topic)
	require.NoError(t, err)
	require.Equal(t, []promotion.Push{{
		Repo: repo, Branch: "topic", Before: head, After: topic, At: noon, Paths: []string{"README.md", "deploy/dev.yaml"},
	}}, pushes)
	gone, err := k.client.Branches.Pushes(t.Context(), "topic", promotion.SHA(strings.Repeat("ab", 20)), topic)
	require.NoError(t, err)
	require.Empty(t, gone, "where it was is not there any more")
	paths, err := k.client.Commits.ChangedPaths(t.Context(), head, lost)
	require.NoError(t, err)
	require.Equal(t, []string{"deploy/dev.yaml"}, paths, "also backwards")
}

func TestInstallationsAndRepositoriesAreListed(t *testing.T) {
	k := newKit(t)
	require.NoError(t, k.CreateOrg("other"))
	_, err := k.InstallApp("other")
	require.NoError(t, err)
	require.NoError(t, k.SuspendApp("other", true))
	repos, err := k.hub.Repositories(t.Context(), k.install)
	require.NoError(t, err)
	require.Len(t, repos, 1)
	require.Equal(t, promotion.Repo(repo), repos[0].Name)
	require.Equal(t, "main", repos[0].DefaultBranch)
	require.NotZero(t, repos[0].ID)
	installations, err := k.hub.Installations(t.Context())
	require.NoError(t, err)
	require.Len(t, installations, 2)
	suspended := map[promotion.Login]bool{}
	for _, i := range installations {
		suspended[i.Account.Login] = i.Suspended
	}
	require.Equal(t, map[promotion.Login]bool{"acme": false, "other": true}, suspended)
}

func TestInstallationsAndRepositoriesAreAllListedF44(t *testing.T) {
	var items []string
	for i := range 101 {
		items = append(items, fmt.Sprintf(`{"id": %d, "full_name": "acme/r%d"}`, i+1, i))
	}
	pages := 0
	hub, _ := wire(t, paged("[%s]", items, &pages))
	installations, err := hub.Installations(t.Context())
	require.NoError(t, err)
	require.Len(t, installations, 101)
	hub, _ = wire(t, paged(`{"repositories": [%s]}`, items, &pages))
	repos, err := hub.Repositories(t.Context(), 1)
	require.NoError(t, err)
	require.Len(t, repos, 101)
	require.Equal(t, 4, pages)
}
