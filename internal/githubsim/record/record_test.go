package record

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// simulator starts a simulator for a test.
func simulator(t *testing.T) (*githubsim.Server, Host) {
	t.Helper()
	s, host, err := Simulator()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, host
}

// recorded plays against a host.
func recorded(t *testing.T, host Host, names ...string) Recording {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := Record(ctx, host, names...)
	require.NoError(t, err)
	return r
}

// TestTheSimulatorDoesWhatTheSimulatorDoes plays everything against two simulators over HTTP: nothing differs, nothing
// is skipped, each play sees something, and what is stored has no secret.
func TestTheSimulatorDoesWhatTheSimulatorDoes(t *testing.T) {
	_, one := simulator(t)
	_, two := simulator(t)
	first, second := recorded(t, one), recorded(t, two)
	require.Empty(t, Differences(first, second))
	require.Len(t, first.Plays, len(Names()))
	for _, p := range first.Plays {
		require.Empty(t, p.Skipped, p.Name)
		require.NotEmpty(t, p.Facts, p.Name)
		require.NotEmpty(t, p.Exchanges, p.Name)
	}
	stored, err := json.Marshal(first)
	require.NoError(t, err)
	require.Contains(t, string(stored), `\"token\":\"REMOVED\"`)
	require.NotRegexp(t, `ghs_|eyJ|BEGIN RSA|Authorization|@example\.com`, string(stored))
}

// TestADifferenceIsNoticed changes one behaviour of the simulator at a time: the play of that behaviour differs.
func TestADifferenceIsNoticed(t *testing.T) {
	_, host := simulator(t)
	usual := recorded(t, host, "ref-and-pull", "lag", "merge-date", "restricted", "required-check", "counted-history",
		"switched-off")
	const repo = "acme/scratch"
	for play, change := range map[string]func(*githubsim.Server) error{
		"ref-and-pull": func(s *githubsim.Server) error { s.LimitContent(-1, -1); return nil },
		"lag":          func(s *githubsim.Server) error { s.LagBehind(1); return nil },
		"merge-date":   func(s *githubsim.Server) error { s.Behave(1, githubsim.Lagging); return nil },
		"restricted": func(s *githubsim.Server) error {
			return s.Protect(repo, "restricted", githubsim.Protection{Update: true})
		},
		"required-check": func(s *githubsim.Server) error {
			return s.Protect(repo, "checked", githubsim.Protection{Classic: true, RequiredChecks: []string{"record"}})
		},
		"counted-history": func(s *githubsim.Server) error {
			s.Faults().FailNext(githubsim.Route{Path: "/graphql"}, githubsim.Fault{Status: 502})
			return nil
		},
		"switched-off": func(s *githubsim.Server) error {
			return s.SetSettings(repo, githubsim.RepoSettings{})
		},
	} {
		t.Run(play, func(t *testing.T) {
			s, host := simulator(t)
			require.NoError(t, change(s))
			differs := Differences(recorded(t, host, play), usual)
			require.NotEmpty(t, differs)
			for _, line := range differs {
				require.True(t, strings.HasPrefix(line, play+": "), line)
			}
		})
	}
}

// TestWhatIsNotPreparedIsSkipped takes a branch away.
func TestWhatIsNotPreparedIsSkipped(t *testing.T) {
	_, host := simulator(t)
	usual := recorded(t, host, "ruleset")
	s, host := simulator(t)
	require.NoError(t, s.Protect("acme/scratch", "ruled", githubsim.Protection{}))
	require.NoError(t, s.DeleteBranch("acme/scratch", "ruled", "ann"))
	less := recorded(t, host, "ruleset")
	const skipped = `ruleset: not played: the scratch repository has no branch "ruled"`
	require.Equal(t, []string{skipped}, Differences(less, usual))
}

// TestRowsNameThePlays compares the plays with those that CONFORMANCE.md names.
func TestRowsNameThePlays(t *testing.T) {
	page, err := os.ReadFile("../CONFORMANCE.md")
	require.NoError(t, err)
	var named []string
	for _, found := range regexp.MustCompile("; played: `([^`]+)`").FindAllStringSubmatch(string(page), -1) {
		named = append(named, found[1])
	}
	slices.Sort(named)
	names := Names()
	slices.Sort(names)
	require.Equal(t, names, slices.Compact(named))
}

// TestSecretsAreRemoved cleans each form of a secret that GitHub hands out.
func TestSecretsAreRemoved(t *testing.T) {
	for _, secret := range []string{
		"ghs_16C7e42F292c6912E7710c838347Ae178B4a", "ghs_4711_eyJhbGciOiJSUzI1NiJ9.eyJhIjoxfQ.c2ln",
		"ghp_16C7e42F292c6912E7710c838347Ae178B4a", "github_pat_11ABC_abcdef", "eyJhbGciOiJSUzI1NiJ9.eyJhIjoxfQ.c2ln",
		"v1.1f699f1069f60xxx1f699f1069f601f699f1069f"[:3] + strings.Repeat("a1", 20),
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "1+waybill[bot]@users.noreply.github.com",
	} {
		require.Equal(t, `{"a":"REMOVED"}`, clean(`{"a":"`+secret+`"}`))
	}
	require.Equal(t, `{"signature":"REMOVED"}`, clean(`{"signature":"-----BEGIN PGP SIGNATURE-----\nwsBc"}`))
	require.Equal(t, `{"payload":"REMOVED","verified":true}`,
		clean(`{"payload": "tree 1\n\nsay \"hello\" to C:\\","verified":true}`))
}

// TestAPlayThatIsEndedDeletesItsBranches ends plays while they wait.
func TestAPlayThatIsEndedDeletesItsBranches(t *testing.T) {
	s, host := simulator(t)
	s.LagBehind(1 << 20)
	host.Pause = time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	r, err := Record(ctx, host, "merge-date")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Len(t, r.Plays, 1)
	deleted := r.Plays[0].Exchanges[len(r.Plays[0].Exchanges)-1]
	require.Equal(t, "DELETE", deleted.Method)
}
