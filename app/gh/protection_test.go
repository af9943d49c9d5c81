package gh

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAnAnswerToAJobThatGitHubRefusesForNowIsGivenAgain: only that the job does not wait any more is the end of it.
func TestAnAnswerToAJobThatGitHubRefusesForNowIsGivenAgain(t *testing.T) {
	for status, passes := range map[int]bool{409: true, 422: false, 404: false} {
		c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				limit{status, nil, `{"message": "m"}`}.write(w)
				return
			}
			limit{200, nil, `{"id": 1}`}.write(w) // the repository is there
		})
		err := c.Workflows.AnswerProtectionRule(t.Context(), 1, "prod", Approved, "yes")
		if passes {
			require.ErrorIs(t, err, ErrPassing)
		} else {
			require.NoError(t, err, status)
		}
	}
}
