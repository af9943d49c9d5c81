package sandbox

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// mishap is what an administrator does to the home repository, or to the App there, and later undoes.
type mishap struct {
	now      string // the name of the repository afterwards; empty: as before
	do, undo func(*site) error
}

// mishaps are the ways in which the repository is called otherwise, cannot be written to, or is out of reach.
var mishaps = map[string]mishap{
	"it is renamed": {now: "acme/rollouts", do: func(s *site) error { return s.github.RenameRepo(home, "acme/rollouts") }},
	"it is transferred": {
		now: "other/deploy",
		do: func(s *site) error {
			return errors.Join(s.github.CreateOrg("other"), s.github.RenameRepo(home, "other/deploy"))
		},
		undo: func(s *site) error { _, err := s.github.InstallApp("other", "other/deploy"); return err },
	},
	"it is archived": {
		do:   func(s *site) error { return s.github.ArchiveRepo(home, true) },
		undo: func(s *site) error { return s.github.ArchiveRepo(home, false) },
	},
	"the App is suspended": {
		do:   func(s *site) error { return s.github.SuspendApp("acme", true) },
		undo: func(s *site) error { return s.github.SuspendApp("acme", false) },
	},
	"it is taken from the installation": {
		do:   func(s *site) error { return s.github.ReachRepo(home, false) },
		undo: func(s *site) error { return s.github.ReachRepo(home, true) },
	},
	"the App is uninstalled": {
		do:   func(s *site) error { return s.github.UninstallApp("acme") },
		undo: func(s *site) error { _, err := s.github.InstallApp("acme", home); return err },
	},
}

// TestARepositoryIsLostInTheMiddleOfAnEffectF2F34 has each mishap before GitHub carries out each request of a
// promotion, and after that while the answer is lost. No webhook tells of the mishap or its end. The freight is brought
// once all the same.
func TestARepositoryIsLostInTheMiddleOfAnEffectF2F34(t *testing.T) {
	t.Parallel()
	for name, b := range bringings {
		for what, m := range mishaps {
			for _, when := range []string{"before", "while the answer is lost"} {
				t.Run(what+" at the "+name+" "+when, func(t *testing.T) {
					t.Parallel()
					newSite(t, b.pipeline).survives(m, b.route, when == "before")
				})
			}
		}
	}
}

// survives has a mishap at a request, and requires that #1 is brought to dev once.
func (s *site) survives(m mishap, at githubsim.Route, before bool) {
	s.t.Helper()
	unheard := func(act func(*site) error) {
		s.github.LoseWebhooks(true)
		require.NoError(s.t, act(s))
		s.github.LoseWebhooks(false)
	}
	fault := githubsim.Fault{Before: func() { unheard(m.do) }}
	if !before {
		fault = githubsim.Fault{After: func() { unheard(m.do) }, LoseReply: true}
	}
	s.do("wait 1m")
	s.github.Faults().FailNext(at, fault)
	s.do("merge #1 by ann", "wait 10m")
	require.Zero(s.t, s.github.Faults().Pending())
	if m.undo != nil {
		unheard(m.undo)
	}
	_ = s.program.Resync(s.ctx) // what it could not read yet is read below
	s.do("wait 3h")
	require.NoError(s.t, s.program.Resync(s.ctx))

	now := home
	if m.now != "" {
		now = m.now
	}
	repo, all := s.known()
	require.EqualValues(s.t, now, repo)
	require.Equal(s.t, []string{"p1 api#1 dev verifying"}, all)
	require.Equal(s.t, "1", s.says(now, "main", "dev.yaml"))
	brought := 0
	for _, c := range s.github.Commits(now, "main") {
		if strings.HasPrefix(c.Message, "Promote api#1 to dev") {
			brought++
		}
	}
	require.Equal(s.t, 1, brought)
	require.LessOrEqual(s.t, len(promotionPulls(s.github, now)), 1)
}
