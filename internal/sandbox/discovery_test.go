package sandbox

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

// globex makes another organization with repositories: some that only allow a pipeline elsewhere to name them, one with
// a pipeline, and some without files of ours. It returns them all, the one with a pipeline in the middle.
func (s *site) globex(allowing, without int) (repos []string) {
	s.t.Helper()
	require.NoError(s.t, s.github.CreateOrg("globex"))
	make := func(name string, files map[string]string) {
		require.NoError(s.t, s.github.CreateRepo("globex/"+name, files))
		repos = append(repos, "globex/"+name)
	}
	for i := range allowing {
		make(fmt.Sprintf("app-%03d", i), map[string]string{
			".github/waybill.yml": "version: 1\nallow: [globex/deploy]\n", "README.md": "x\n",
		})
	}
	make("deploy", map[string]string{
		".github/waybill.yml": oneStage, ".github/waybill.policy.yml": "version: 1\nautomatic: [dev]\n",
		"dev.yaml": "tag: x\n",
	})
	for i := range without {
		make(fmt.Sprintf("other-%03d", i), map[string]string{"README.md": "x\n"})
	}
	return repos
}

// queries is a request to GraphQL about a repository.
var queries = githubsim.Route{Field: "repository"}

// TestAnAppThatIsInstalledOnHundredsOfRepositoriesReadsThoseWithFiles counts the queries of the delivery.
func TestAnAppThatIsInstalledOnHundredsOfRepositoriesReadsThoseWithFiles(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	repos := s.globex(3, 596)
	before := s.github.CountRequests(queries)
	_, err := s.github.InstallApp("globex", repos...)
	require.NoError(t, err)
	s.quiet()
	require.Contains(t, s.homes(), promotion.Repo("globex/deploy"))
	require.LessOrEqual(t, s.github.CountRequests(queries)-before, 12+10)
}

// TestDiscoveryGoesOnWhereItWas has GitHub fail before all repositories of an account are read, each time: the account
// has many that only allow a pipeline, and no webhook told of them.
func TestDiscoveryGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	repos := s.globex(40, 0)
	for i := range 400 {
		s.github.Faults().FailNext(githubsim.Route{Method: http.MethodPost, Field: "repository"},
			githubsim.Fault{Status: http.StatusBadGateway, Nth: 12 * (i + 1)})
	}
	_, err := s.github.InstallApp("globex", repos...)
	require.NoError(t, err)
	s.do("wait 11h")
	require.Contains(t, s.homes(), promotion.Repo("globex/deploy"))
}
