package githubsim

import (
	"errors"
	"slices"
	"strings"

	"waybill/internal/githubsim/contract"
)

// deletedFork is the violation of GitHub's description in the head of a pull request whose fork was deleted. GitHub
// answers null there all the same (github/rest-api-description#1811 and #5562), and clients have to accept it.
const deletedFork = "/head/repo: Value is not nullable"

// reportBreach reports an exchange that violates GitHub's description, except where GitHub violates it too.
func (s *Server) reportBreach(err error) {
	var violations contract.Violations
	if !errors.As(err, &violations) {
		s.reports.add(err)
		return
	}
	ours := slices.DeleteFunc(slices.Clone(violations), func(v contract.Violation) bool {
		return strings.Contains(v.Detail, deletedFork) && !strings.Contains(v.Detail, "; ")
	})
	if len(ours) > 0 {
		s.reports.add(ours)
	}
}
