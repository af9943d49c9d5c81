package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// other is a repository of another installation, with its own pipeline.
const other = "other/deploy"

// TestNothingIsAskedBeforeALimitIsOverAndOthersGoOnF22 has GitHub refuse with each of its limits. Waybill sends nothing
// for this installation until the limit is over, and serves another installation meanwhile.
func TestNothingIsAskedBeforeALimitIsOverAndOthersGoOnF22(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]func(f *githubsim.Faults) githubsim.Fault{
		"primary 403": func(f *githubsim.Faults) githubsim.Fault {
			return f.PrimaryLimit(http.StatusForbidden, 30*time.Minute)
		},
		"primary 429": func(f *githubsim.Faults) githubsim.Fault {
			return f.PrimaryLimit(http.StatusTooManyRequests, 30*time.Minute)
		},
		"secondary 403": func(f *githubsim.Faults) githubsim.Fault {
			return f.SecondaryLimit(http.StatusForbidden, 30*time.Minute)
		},
		"secondary 429": func(f *githubsim.Faults) githubsim.Fault {
			return f.SecondaryLimit(http.StatusTooManyRequests, 30*time.Minute)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, oneStage)
			s.addOther()
			s.do("wait 2m") // until its second resync is over
			s.github.Faults().FailNext(asked["tree"], limit(s.github.Faults()))
			s.do("merge #1 by ann")
			s.github.ForgetRequests()
			s.do("wait 29m")
			require.Empty(t, withoutUpkeep(s.github.Requests()))
			s.mergeOther()
			require.Equal(t, []string{"Promote api#1 to dev: merged"}, promotionPulls(s.github, other))
			require.Empty(t, s.ours())
			for _, r := range withoutUpkeep(s.github.Requests()) {
				require.NotContains(t, r, home)
			}
			s.do("wait 2m")
			require.Equal(t, []string{"Promote api#1 to dev: merged"}, s.ours())
		})
	}
}

// addOther installs the App for another owner, with the same pipeline.
func (s *site) addOther() {
	s.t.Helper()
	require.NoError(s.t, s.github.CreateRepo(other, map[string]string{
		".github/waybill.yml": oneStage, ".github/waybill.policy.yml": "version: 1\nautomatic: [dev]\n",
		"dev.yaml": "tag: none\n",
	}))
	_, err := s.github.InstallApp("other", other)
	require.NoError(s.t, err)
	s.quiet()
}

// mergeOther merges pull request 1 of the other owner.
func (s *site) mergeOther() {
	s.t.Helper()
	require.NoError(s.t, s.github.CreateUser("zoe", "other"))
	require.NoError(s.t, s.github.SetPermission(other, "zoe", "write"))
	n, err := s.github.OpenPull(other, githubsim.PullSpec{
		Title: "Change", Head: "change", Author: "zoe", Files: map[string]*string{"src/1": githubsim.Text("x\n")},
	})
	require.NoError(s.t, err)
	_, err = s.github.MergePull(other, n, "zoe", "squash")
	require.NoError(s.t, err)
	s.quiet()
}

// TestAFileOnALaterPageMakesFreightF44 merges a pull request of 150 files, of which only the last is the warehouse's.
func TestAFileOnALaterPageMakesFreightF44(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	require.NoError(t, s.meet("ann"))
	files := map[string]*string{"src/last": githubsim.Text("x\n")}
	for i := range 149 {
		files["docs/"+strings.Repeat("a", i+1)] = githubsim.Text("x\n")
	}
	n, err := s.github.OpenPull(home,
		githubsim.PullSpec{Number: 1, Title: "Much", Head: "much", Author: "ann", Files: files})
	require.NoError(t, err)
	_, err = s.github.MergePull(home, n, "ann", "squash")
	require.NoError(t, err)
	s.quiet()
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
}

// TestACheckOnALaterPageIsFoundF44 has 120 checks on one commit and loses all their webhooks. A resync must find the
// one check that counts, first or last in the list.
func TestACheckOnALaterPageIsFoundF44(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]int{"first": 0, "last": 119} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, oneStage)
			s.do("merge #1 by ann", "lose webhooks")
			for i := range 120 {
				spec := githubsim.CheckSpec{
					Name: "other", SHA: string(s.promoted(1).MergeSHA), Suite: "ci", Branch: "main", Conclusion: "failure",
				}
				if i == at {
					spec.Name, spec.Conclusion = "smoke", "success"
				}
				_, err := s.github.CreateCheckRun(home, spec)
				require.NoError(t, err)
			}
			require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
			s.do("resync")
			require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
		})
	}
}

// TestAPullRequestOfMoreFilesThanGitHubListsIsFreight has a webhook report one such pull request, and a resync find
// one.
func TestAPullRequestOfMoreFilesThanGitHubListsIsFreight(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	require.NoError(t, s.meet("ann"))
	require.NoError(t, s.mergeMany(1, 3001))
	s.quiet()
	s.do("check smoke success on dev")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
	s.unheard(func() error { return s.mergeMany(2, 3001) })
	s.do("resync")
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#2 dev verifying"}, s.states("dev"))
}

// mergeMany merges a pull request that changes many files.
func (s *site) mergeMany(number, files int) error {
	changed := map[string]*string{}
	for i := range files {
		changed[fmt.Sprintf("docs/%d-%d.md", number, i)] = githubsim.Text("x\n")
	}
	return s.mergeFiles(number, changed)
}

// mergeFiles merges a pull request that changes files.
func (s *site) mergeFiles(number int, files map[string]*string) error {
	n, err := s.github.OpenPull(home, githubsim.PullSpec{
		Number: number, Title: "Change", Head: fmt.Sprint("change-", number), Author: "ann", Files: files,
	})
	if err != nil {
		return err
	}
	_, err = s.github.MergePull(home, n, "ann", "squash")
	return err
}
