package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/store"
)

// Repositories of another organisation in which the App is installed, too: the source of the freight, and one for
// stages that has the same name as the home repository.
const (
	globexWeb    = "globex/web"
	globexDeploy = "globex/deploy"
)

// twoOwners is a pipeline that names repositories of another organisation.
const twoOwners = `version: 1
warehouses:
  web: {pull-requests: {repo: globex/web, branch: main, paths: [src/**]}}
stages:
  dev: {from: web, set: {dev.yaml: {tag: "${web.number}"}}}
  eu: {from: web, after: dev, files: {repo: globex/deploy}, set: {eu.yaml: {tag: "${web.number}"}}, verify: [smoke]}
`

// TestFreightOfAnotherOrganisationIsPromotedHereAndThereT22 merges freight in the other organisation and promotes it
// into the home and into a repository there. Signals there verify it, and the notice goes to the source pull request.
// Waybill remembers each owner's installation.
func TestFreightOfAnotherOrganisationIsPromotedHereAndThereT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoOwners)
	s.do("merge globex/web#1 by ann")
	require.Equal(t, []string{"p1 web#1 dev succeeded", "p2 web#1 eu verifying"}, s.states("dev", "eu"))
	require.Equal(t, []string{"Promote web#1 to dev: merged"}, s.ours())
	require.Equal(t, []string{"Promote web#1 to eu: merged"}, promotionPulls(s.github, globexDeploy))
	lookup := githubsim.Route{Path: "/repos/{owner}/{repo}/installation"}
	asked := s.github.CountRequests(lookup)
	require.GreaterOrEqual(t, asked, 2, "about each owner, and perhaps by several workers at once")
	s.do("check smoke success on eu", "wait 1m")
	require.Equal(t, []string{"p2 web#1 eu succeeded"}, s.states("eu"))
	require.Equal(t, []string{"1", "1"},
		[]string{s.says(home, "main", "dev.yaml"), s.says(globexDeploy, "main", "eu.yaml")})

	var told []string
	for _, c := range s.github.Comments(globexWeb, 1) {
		told = append(told, c.Author)
	}
	require.Equal(t, []string{"waybill[bot]"}, told)
	require.Equal(t, asked, s.github.CountRequests(lookup), "an owner who is known is not asked about")
}

// TestWhatPeopleSayInTheOtherOrganisationIsHeardT22 comments there. A person's rights remain those at home.
func TestWhatPeopleSayInTheOtherOrganisationIsHeardT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoOwners)
	s.do("merge globex/web#1 by ann")
	require.NoError(t, s.github.CreateUser("carl", "globex"))
	require.NoError(t, s.github.SetPermission(globexWeb, "carl", "admin"))
	for _, who := range []string{"carl", "ann"} {
		_, err := s.github.Comment(globexWeb, 1, who, "/hold eu")
		require.NoError(t, err)
		s.quiet()
		require.Equal(t, map[string]int{"carl": 0, "ann": 1}[who], s.holds(), who)
	}
}

// TestARepositoryOfAnotherOrganisationHasToAllowItT22 shows that an installation alone permits nothing. The config
// check says the same whether the repository is there, has the App, or does not allow the pipeline, and webhooks of the
// other installation suffice to update it.
func TestARepositoryOfAnotherOrganisationHasToAllowItT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	require.NoError(t, s.meet("ann"))
	require.NoError(t, s.github.CreateOrg("globex"))
	require.NoError(t, s.github.CreateRepo(globexWeb, map[string]string{"src/0": "x\n"}))
	require.NoError(t, s.github.CreateRepo(globexDeploy, map[string]string{"eu.yaml": "tag: none\n"}))
	sha := s.pushConfig(twoOwners)
	said := func() string { return s.configCheck(sha).Summary }
	const closed = "warehouse web: globex/web is not open to acme/deploy: install the App there, and have its " +
		".github/waybill.yml say `allow: [acme/deploy]`"
	require.Contains(t, said(), closed)
	before := said()

	_, err := s.github.InstallApp("globex", globexWeb)
	require.NoError(t, err)
	s.quiet()
	require.Equal(t, before, said(), "nobody learns that it is there")
	n := s.mergedIn(globexWeb)
	require.Empty(t, s.ours())

	s.allowIn(globexWeb)
	require.Contains(t, said(), "stage eu: globex/deploy is not open to acme/deploy")
	require.NoError(t, s.github.ReachRepo(globexDeploy, true))
	s.quiet()
	require.Contains(t, said(), "stage eu: globex/deploy is not open to acme/deploy")
	s.allowIn(globexDeploy)
	require.Equal(t, "success", s.configCheck(sha).Conclusion)
	require.Equal(t, []string{fmt.Sprintf("Promote web#%d to dev: merged", n)}, s.ours())
	require.Equal(t, []string{fmt.Sprintf("Promote web#%d to eu: merged", n)}, promotionPulls(s.github, globexDeploy))
}

// allowIn pushes a file that allows the pipeline to name a repository.
func (s *site) allowIn(repo string) {
	s.t.Helper()
	s.allowAs(repo, "version: 1\nallow: [acme/deploy]\n")
}

// TestTheOtherInstallationGoesAndComesBackF34 removes the installation in each possible way. When it is back, waiting
// promotions go on, and Waybill finds the merges for which it got no webhook.
func TestTheOtherInstallationGoesAndComesBackF34(t *testing.T) {
	t.Parallel()
	for name, way := range map[string]struct{ goes, comes func(*githubsim.Server) error }{
		"uninstalled": {
			func(g *githubsim.Server) error { return g.UninstallApp("globex") },
			func(g *githubsim.Server) error {
				_, err := g.InstallApp("globex", globexWeb, globexDeploy)
				return err
			},
		},
		"suspended": {
			func(g *githubsim.Server) error { return g.SuspendApp("globex", true) },
			func(g *githubsim.Server) error { return g.SuspendApp("globex", false) },
		},
		"reselected": {
			func(g *githubsim.Server) error { return both(g, false) },
			func(g *githubsim.Server) error { return both(g, true) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, twoOwners)
			s.do("comment #1 by ann: /hold eu", "merge globex/web#1 by ann")
			require.Equal(t, []string{"p2 web#1 eu queued"}, s.states("eu"))
			require.NoError(t, way.goes(s.github))
			s.quiet()
			s.do("comment #1 by ann: /unhold eu")
			n := s.mergedIn(globexWeb)
			s.do("wait 3h")
			require.Equal(t, []string{"p1 web#1 dev succeeded", "p2 web#1 eu queued"}, s.states("dev", "eu"))

			require.NoError(t, way.comes(s.github))
			s.quiet()
			s.do(retry)
			require.Contains(t, s.states("dev"), fmt.Sprintf("p3 web#%d dev succeeded", n))
			require.NotEmpty(t, promotionPulls(s.github, globexDeploy))
			require.NotEqual(t, "none", s.says(globexDeploy, "main", "eu.yaml"))
		})
	}
}

// both takes the other organisation's repositories from the installation, or gives them back.
func both(g *githubsim.Server, reach bool) error {
	if err := g.ReachRepo(globexWeb, reach); err != nil {
		return err
	}
	return g.ReachRepo(globexDeploy, reach)
}

// TestWebhooksOfTheOtherInstallationThatAreLostF4 are redelivered from the App's one list, or made up for by a resync.
func TestWebhooksOfTheOtherInstallationThatAreLostF4(t *testing.T) {
	t.Parallel()
	t.Run("resynced", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, twoOwners)
		s.do("lose webhooks", "merge globex/web#1 by ann")
		require.Empty(t, s.ours())
		s.do("resync", retry)
		require.Equal(t, []string{"p1 web#1 dev succeeded", "p2 web#1 eu verifying"}, s.states("dev", "eu"))
		_, err := s.github.CreateCheckRun(globexDeploy, githubsim.CheckSpec{
			Name: "smoke", SHA: s.github.Head(globexDeploy, "main"), Suite: "ci", Branch: "main", Conclusion: "success",
		})
		require.NoError(t, err)
		s.do("resync")
		require.Equal(t, []string{"p2 web#1 eu succeeded"}, s.states("eu"))
	})
	merge := func(s *site) func() error {
		require.NoError(s.t, s.meet("ann")) // which sends a webhook at home
		s.quiet()
		return func() error {
			n, err := s.github.OpenPull(globexWeb, githubsim.PullSpec{
				Title: "Change", Head: "c", Author: "ann", Files: map[string]*string{"src/1": githubsim.Text("x\n")},
			})
			require.NoError(s.t, err)
			_, err = s.github.MergePull(globexWeb, n, "ann", "squash")
			return err
		}
	}
	t.Run("redelivered", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, twoOwners)
		happens := merge(s)
		s.away()
		s.unheard(happens)
		s.back(time.Hour)
		s.do("wait 1m")
		require.Len(t, s.ours(), 1)
		require.Positive(t, s.asks())
	})
	t.Run("forgotten by GitHub", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, twoOwners+"resync: 168h\n")
		s.deaf(merge(s))
		s.unheard(s.status(globexWeb))
		s.github.FailWebhooks(1000, http.StatusBadGateway)
		s.lasts("wait 71h")
		require.Empty(t, s.states("dev"))
		s.lasts("wait 2h")
		require.NotEmpty(t, s.states("dev"))
	})
}

// TestWebhooksOfTheOtherInstallationAboutWhatNobodyNamesT22 change nothing. A webhook that names the first installation
// for a repository of the second changes nothing either.
func TestWebhooksOfTheOtherInstallationAboutWhatNobodyNamesT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoOwners)
	const secret = "globex/secret"
	require.NoError(t,
		s.github.CreateRepo(secret, map[string]string{".github/waybill.yml": "version: 1\nallow: [acme/deploy]\n"}))
	require.NoError(t, s.github.ReachRepo(secret, true))
	s.quiet()
	n := s.mergedIn(secret)
	_, err := s.github.Comment(secret, n, "ann", "/hold dev")
	require.NoError(t, err)
	s.quiet()
	require.Empty(t, s.ours())
	require.Zero(t, s.holds())
	require.Len(t, s.github.Comments(secret, n), 1)

	s.mergeToldBy(s.installation(), "merge globex/web#1 by ann")
	require.Empty(t, s.ours())
}

// TestAnOwnerWhomTheServerDoesNotServeIsNotReachedT22 has the App installed there, and the repository allow it.
func TestAnOwnerWhomTheServerDoesNotServeIsNotReachedT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoOwners)
	s.do("merge globex/web#1 by ann")
	s.owners = []promotion.Actor{{Login: "acme"}}
	require.NoError(t, s.restart(s.ctx))
	s.quiet()
	s.github.ForgetRequests()
	s.do("merge globex/web#2 by ann", "check smoke success on eu", "wait 1h")
	require.ErrorContains(t, s.program.Resync(s.ctx), "this server does not work for globex")
	for _, r := range s.github.Requests() {
		require.NotContains(t, r.Path, "/globex/")
	}
	require.Len(t, s.ours(), 1)
	sha := s.pushConfig(twoOwners + "# the same\n")
	require.Contains(t, s.configCheck(sha).Summary,
		"warehouse web: this server does not work for globex; add it to WAYBILL_ALLOWED_OWNERS, or leave out globex/web")
}

// TestAnOwnerWhoTookTheNameOfAnotherIsNotServedT22 has the name globex mean another account than it did when the server
// first saw it: nothing of it is read or taken in, the operator is told, and may say that it is right.
func TestAnOwnerWhoTookTheNameOfAnotherIsNotServedT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoOwners)
	serve := func(owners ...promotion.Actor) {
		s.owners = owners
		require.NoError(t, s.restart(s.ctx))
		s.quiet()
	}
	others := func() []int64 {
		answer, err := http.Get(s.program.url + "/readyz?verbose")
		require.NoError(t, err)
		defer answer.Body.Close()
		require.Equal(t, http.StatusOK, answer.StatusCode, "the server works for all others")
		var state struct{ Owners []int64 }
		require.NoError(t, json.NewDecoder(answer.Body).Decode(&state))
		return state.Owners
	}
	acme, globex := promotion.Actor{Login: "acme"}, promotion.Actor{Login: "Globex"}
	serve(acme, globex)
	s.do("merge globex/web#1 by ann")
	require.Equal(t, []string{"Promote web#1 to dev: merged"}, s.ours())
	require.Empty(t, others())

	var meant int64
	require.NoError(t, s.program.store.Update(s.ctx, func(tx *store.Tx) (err error) {
		if meant, err = tx.Names.NoteOwner("globex", 0); err == nil { // as if another account had had the name first
			err = tx.Names.KeepOwners([]promotion.Login{"acme"})
		}
		if err == nil {
			_, err = tx.Names.NoteOwner("globex", meant+1)
		}
		return err
	}))
	require.NotZero(t, meant)
	serve(acme, globex)
	s.github.ForgetRequests()
	s.do("merge globex/web#2 by ann", "check smoke success on eu", "wait 11h")
	for _, r := range s.github.Requests() {
		if strings.Contains(r.Path, "/globex/") {
			require.True(t, strings.HasSuffix(r.Path, "/installation"), "only whose the name is: %s", r.Path)
		}
	}
	require.Len(t, s.ours(), 1)
	require.Equal(t, []int64{meant}, others())

	globex.ID = meant + 1
	serve(acme, globex)
	s.do("wait 11h")
	require.Len(t, s.ours(), 1)
	require.Equal(t, []int64{meant}, others(), "the id that the operator gives counts")

	globex.ID = meant
	serve(acme, globex)
	s.do("wait 11h")
	require.Len(t, s.ours(), 2)
	require.Empty(t, others())
}

// TestANameThatIsNamedAnewMeansWhoHasItThenT22 takes an owner off the list and puts them on it again.
func TestANameThatIsNamedAnewMeansWhoHasItThenT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	noted := func(id int64) (first int64) {
		require.NoError(t, s.program.store.Update(s.ctx, func(tx *store.Tx) (err error) {
			first, err = tx.Names.NoteOwner("acme", id)
			return err
		}))
		return first
	}
	serve := func(name promotion.Login) {
		s.owners = []promotion.Actor{{Login: name}}
		require.NoError(t, s.restart(s.ctx))
		s.quiet()
	}
	serve("acme")
	s.do("merge #1 by ann")
	serve("acme")
	require.NotEqual(t, int64(1<<40), noted(1<<40), "it is noted once for all")
	serve("globex")
	require.Equal(t, int64(1<<40), noted(1<<40), "it was forgotten")
}

// TestARepositoryThatIsTransferredBetweenTwoInstallationsGoesOn by itself: a home repository under its new owner, and a
// source repository as soon as the pipeline file has its new name.
func TestARepositoryThatIsTransferredBetweenTwoInstallationsGoesOn(t *testing.T) {
	t.Parallel()
	t.Run("home", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, mergedByHand)
		s.do("merge #1 by ann")
		require.NoError(t, s.github.CreateOrg("globex"))
		_, err := s.github.InstallApp("globex")
		require.NoError(t, err)
		require.NoError(t, s.github.RenameRepo(home, globexDeploy))
		s.quiet()
		repo, _ := s.known()
		require.EqualValues(t, globexDeploy, repo)
		n := s.mergedIn(globexDeploy)
		_, all := s.known()
		require.Contains(t, all, fmt.Sprintf("p3 api#%d dev succeeded", n))
	})
	t.Run("home with a mistake in its file", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, mergedByHand)
		s.pushConfig("version: 1\nstages: 7\n")
		require.NoError(t, s.github.CreateOrg("globex"))
		id, err := s.github.InstallApp("globex")
		require.NoError(t, err)
		require.NoError(t, s.github.RenameRepo(home, globexDeploy))
		s.quiet()
		require.NoError(t, s.program.store.View(s.ctx, func(tx *store.Tx) error {
			rows, err := tx.Pipelines.All()
			require.Len(t, rows, 1)
			require.NotEmpty(t, rows[0].ConfigError)
			require.EqualValues(t, globexDeploy, rows[0].Repo)
			require.Equal(t, id, rows[0].Installation)
			return err
		}))
	})
	t.Run("source", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, twoOwners)
		s.do("merge globex/web#1 by ann")
		require.NoError(t, s.github.RenameRepo(globexWeb, "acme/web"))
		require.NoError(t, s.github.ReachRepo("acme/web", true))
		s.quiet()
		s.pushConfig(string(bytes.ReplaceAll([]byte(twoOwners), []byte(globexWeb), []byte("acme/web"))))
		n := s.mergedIn("acme/web")
		require.Contains(t, s.states("dev"), fmt.Sprintf("p3 web#%d dev succeeded", n))
	})
}

// installation returns the id of the home repository's installation.
func (s *site) installation() (id int64) {
	for _, d := range s.github.Deliveries() {
		if bytes.Contains(d.Payload, []byte(`"full_name":"`+home+`"`)) {
			id = d.InstallationID
		}
	}
	require.NotZero(s.t, id)
	return id
}
