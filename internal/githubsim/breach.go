package githubsim

import (
	"errors"
	"slices"
	"strings"

	"waybill/internal/githubsim/contract"
)

// deletedFork is what GitHub's description holds against the head of a pull request whose fork was deleted. GitHub
// answers null there all the same (github/rest-api-description#1811 and #5562), and clients have to live with it.
const deletedFork = "/head/repo: Value is not nullable"

// reportBreach reports what breaks GitHub's description, but for what GitHub itself breaks.
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
