package githubsim

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEqualHistoriesGiveEqualIDsAndSHAs(t *testing.T) {
	tell := func(seed int64) string {
		k := newKit(t, func(o *Options) { o.Seed = seed })
		number, _ := k.open("x", "tag: v2\n")
		sha, err := k.MergePull(k.repo, number, "bob", "squash")
		require.NoError(t, err)
		id, err := k.Comment(k.repo, number, "ann", "hello")
		require.NoError(t, err)
		require.NoError(t, k.Settle(t.Context()))
		var guids []string
		for _, h := range k.hooks.takeAll() {
			guids = append(guids, h.guid)
		}
		return fmt.Sprint(sha, id, guids)
	}
	require.Equal(t, tell(1), tell(1))
	require.NotEqual(t, tell(1), tell(2))
}

func TestUnknownRoutesAndFieldsAreReported(t *testing.T) {
	var mu sync.Mutex
	var reports []string
	k := newKit(t, func(o *Options) {
		o.Report = func(err error) {
			mu.Lock()
			defer mu.Unlock()
			reports = append(reports, err.Error())
		}
	})
	status, _ := k.bot().send("GET", "/repos/acme/app/nothing", "")
	require.Equal(t, http.StatusNotImplemented, status)
	require.Contains(t, strings.Join(reports, "\n"), "unknown route GET /api/v3/repos/acme/app/nothing")
	reports = nil
	answer := k.graphql(`{ repository(owner: "acme", name: "app") { stargazerCount } }`, nil)
	require.NotNil(t, answer["errors"])
	require.Contains(t, strings.Join(reports, "\n"), "no field stargazerCount on Repository")
	reports = nil
	k.graphql(`{ repository(owner: "acme", name: "app") { nonsense } }`, nil)
	require.Contains(t, strings.Join(reports, "\n"), "nonsense")
	require.NotEmpty(t, k.Violations())
}

func TestABodyThatGitHubDoesNotKnowIsReported(t *testing.T) {
	reported := 0
	k := newKit(t, func(o *Options) { o.Report = func(error) { reported++ } })
	k.bot().send("POST", "/repos/acme/app/git/blobs", `{"content":"x","contents":"y"}`)
	require.Equal(t, 1, reported)
}

func TestAnUncheckedServerAnswersTheSameWithoutFiller(t *testing.T) {
	k := newKit(t, func(o *Options) { o.Unchecked = true })
	number, path := k.open("x", "tag: v2\n")
	_, pull := k.bot().send("GET", path, "")
	require.Equal(t, float64(number), pull["number"])
	answer := k.graphql(`{ repository(owner: "acme", name: "app") { id name } }`, nil)
	require.Equal(t, "app", dig(answer, "data", "repository", "name"))
	require.Nil(t, k.Used())
}

func TestUsedOperationsAreCounted(t *testing.T) {
	k := newKit(t)
	k.bot().send("GET", "/repos/acme/app", "")
	k.repoID()
	names := map[string]int{}
	for _, use := range k.Used() {
		names[use.Operation] = use.Count
	}
	require.Equal(t, 1, names["repos/get"])
	require.Equal(t, 1, names["graphql/repository"])
}

func TestLongTokensWork(t *testing.T) {
	k := newKit(t, func(o *Options) { o.App.LongTokens = true })
	token := k.token("")
	require.True(t, strings.HasPrefix(token, "ghs_"+strconv.FormatInt(k.AppID(), 10)+"_"))
	require.Greater(t, len(token), 100)
	status, _ := k.as(token).send("GET", "/repos/acme/app", "")
	require.Equal(t, 200, status)
}

func TestBrowsersSeeThePagesThatSomebodyHasPutThere(t *testing.T) {
	k := newKit(t)
	require.Equal(t, http.StatusNotFound, k.browse("GET", "/acme/app", "").StatusCode)
	k.ShowPages(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	require.Equal(t, http.StatusTeapot, k.browse("GET", "/acme/app", "").StatusCode)
	status, _ := k.bot().send("GET", "/repos/acme/app", "")
	require.Equal(t, http.StatusOK, status)
}

func TestManyClientsAtOnceAreServedOneByOne(t *testing.T) {
	k := newKit(t)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			_, err := k.PushFiles(k.repo, fmt.Sprintf("b%d", i), "ann", "m", map[string]*string{"f": Text(fmt.Sprint(i))})
			require.NoError(t, err)
			_, err = k.OpenPull(k.repo, PullSpec{Head: fmt.Sprintf("b%d", i), Author: "ann"})
			require.NoError(t, err)
		})
		group.Go(func() {
			_, _, err := k.client.PullRequests.List(t.Context(), "acme", "app", nil)
			require.NoError(t, err)
		})
	}
	group.Wait()
	require.Len(t, k.Pulls(k.repo), 8)
	k.settle()
}
