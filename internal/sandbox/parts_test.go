package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/store"
)

// twoParts is a pipeline of two services, each with a file of its own and none of them in .github/waybill.yml.
const twoParts = `-- .github/waybill/cart.yml --
version: 1
warehouses: {app: {pull-requests: {branch: main, paths: [cart/**]}}}
stages:
  dev: {from: app, set: {"deploy/cart/${stage}.yaml": {tag: "${app.short}"}}}
  prod: {from: app, after: dev, set: {"deploy/cart/${stage}.yaml": {tag: "${app.short}"}}}
-- .github/waybill/search.yml --
` + searchPart + `-- deploy/cart/dev.yaml --
tag: none
-- deploy/cart/prod.yaml --
tag: none
-- deploy/search/prod.yaml --
tag: none
-- deploy/search/test.yaml --
tag: none
`

const searchPart = `version: 1
warehouses: {app: {pull-requests: {branch: main, paths: [search/**]}}}
stages:
  prod: {from: app, set: {"deploy/search/${stage}.yaml": {tag: "${app.short}"}}}
`

// change has a change of a file merged.
func (s *site) change(path string) {
	s.t.Helper()
	number, err := s.github.OpenPull(home, githubsim.PullSpec{
		Title: "A change", Head: "change-" + strings.ReplaceAll(path, "/", "-"), Author: "ann",
		Files: map[string]*string{path: githubsim.Text("a\n")},
	})
	require.NoError(s.t, err)
	_, err = s.github.MergePull(home, number, "ann", "squash")
	require.NoError(s.t, err)
	s.quiet()
}

// stageNames are the stages that a pipeline has, and trouble is what is wrong with its newest files.
func (s *site) stageNames() (names []promotion.StageName, trouble string) {
	s.t.Helper()
	s.view(func(tx *store.Tx, pipeline int64) error {
		stages, err := tx.Stages.Of(pipeline)
		for _, one := range stages {
			if one.Removed.IsZero() {
				names = append(names, one.Key.Stage)
			}
		}
		if err != nil {
			return err
		}
		row, err := tx.Pipelines.ByID(pipeline)
		trouble = row.ConfigError
		return err
	})
	return names, trouble
}

// TestEachPartPromotesItsOwnFreight by files in .github/waybill alone.
func TestEachPartPromotesItsOwnFreight(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoParts)
	names, trouble := s.stageNames()
	require.Equal(t, []promotion.StageName{"cart-dev", "cart-prod", "search-prod"}, names)
	require.Empty(t, trouble)
	s.change("cart/a")
	require.NotEqual(t, "none", s.hosts("deploy/cart/prod.yaml"))
	require.Equal(t, "none", s.hosts("deploy/search/prod.yaml"))
	require.Empty(t, s.states("search-prod"))
	s.change("search/a")
	require.NotEqual(t, "none", s.hosts("deploy/search/prod.yaml"))
}

// TestAMistakeInAPartKeepsNoOtherPartFromItsNewVersion proposes it first, and then pushes it with a change of another
// part.
func TestAMistakeInAPartKeepsNoOtherPartFromItsNewVersion(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoParts)
	const bad = "version: 1\nwarehouses: {app: {pull-requests: {}}}\nstages:\n  prod: {from: apps}\n  dev: {from: app}\n"
	number, err := s.github.OpenPull(home, githubsim.PullSpec{Title: "Bad", Head: "bad", Author: "ann",
		Files: map[string]*string{".github/waybill/cart.yml": githubsim.Text(bad),
			".github/waybill/cart.yml.bak": githubsim.Text(bad), ".github/waybill/old/cart.yml": githubsim.Text(bad)}})
	require.NoError(t, err)
	s.quiet()
	proposed, _ := s.github.Pull(home, number)
	check := s.configCheck(proposed.HeadSHA)
	require.Equal(t, "failure", check.Conclusion)
	require.Contains(t, check.Summary, `.github/waybill/cart.yml:4:16: stages.cart-prod.from: "apps" is not a warehouse`)
	require.Contains(t, check.Summary, ".github/waybill/cart.yml.bak:1:1: warning: this file is not read: ")
	require.Contains(t, check.Summary, ".github/waybill/old/:1:1: warning: nothing in this folder is read: ")
	require.Len(t, check.Annotations, 1, "of what is read")
	require.Equal(t, ".github/waybill/cart.yml", check.Annotations[0].Path)
	require.Equal(t, 4, check.Annotations[0].Start)

	s.push(map[string]*string{
		".github/waybill/cart.yml": githubsim.Text(bad),
		".github/waybill/search.yml": githubsim.Text(searchPart +
			"  test: {from: app, set: {\"deploy/search/${stage}.yaml\": {tag: \"${app.short}\"}}}\n"),
	})
	s.quiet()
	names, trouble := s.stageNames()
	require.Equal(t, []promotion.StageName{"cart-dev", "cart-prod", "search-prod", "search-test"}, names)
	require.Contains(t, trouble, ".github/waybill/cart.yml:4:16: ")
	require.Contains(t, trouble, "The other pipeline files are in force.")
	s.change("cart/a")
	require.NotEqual(t, "none", s.hosts("deploy/cart/prod.yaml"), "the last good version is in force")
	s.change("search/a")
	require.NotEqual(t, "none", s.hosts("deploy/search/test.yaml"))

	s.push(map[string]*string{".github/waybill/cart.yml": nil})
	s.quiet()
	names, trouble = s.stageNames()
	require.Equal(t, []promotion.StageName{"search-prod", "search-test"}, names)
	require.Empty(t, trouble)

	s.push(map[string]*string{".github/waybill/search.yml": nil})
	s.quiet()
	names, trouble = s.stageNames()
	require.Empty(t, names)
	require.Empty(t, trouble)
}

// TestAPartThatNoWebhookToldOfIsReadBeforeAPlanIsMade adds it while webhooks are lost.
func TestAPartThatNoWebhookToldOfIsReadBeforeAPlanIsMade(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoParts)
	s.github.LoseWebhooks(true)
	s.push(map[string]*string{".github/waybill/new.yaml": githubsim.Text(searchPart)})
	s.github.LoseWebhooks(false)
	s.change("cart/a")
	s.do("wait 1m")
	names, trouble := s.stageNames()
	require.Contains(t, names, promotion.StageName("new-prod"))
	require.Empty(t, trouble)
	require.NotEqual(t, "none", s.hosts("deploy/cart/prod.yaml"))
}

// TestAPartThatWasBadIsReadAgainThoughItsFolderIsTheSame: another file has what it lacked.
func TestAPartThatWasBadIsReadAgainThoughItsFolderIsTheSame(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoParts)
	s.push(map[string]*string{".github/waybill/search.yml": githubsim.Text(
		"version: 1\nstages: {live: {from: base, set: {deploy/search/prod.yaml: {tag: \"${base.short}\"}}}}\n")})
	s.quiet()
	names, trouble := s.stageNames()
	require.Equal(t, []promotion.StageName{"cart-dev", "cart-prod", "search-prod"}, names)
	require.Contains(t, trouble, `"base" is not a warehouse`)

	s.push(map[string]*string{".github/waybill.yml": githubsim.Text(
		"version: 1\nwarehouses: {base: {pushes: {paths: [base/**]}}}\nstages: {base: {from: base}}\n")})
	s.quiet()
	names, trouble = s.stageNames()
	require.Equal(t, []promotion.StageName{"base", "cart-dev", "cart-prod", "search-live"}, names)
	require.Empty(t, trouble)
}
