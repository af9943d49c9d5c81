package githubsim

import (
	"cmp"
	"slices"
	"time"
)

// status is a commit status. Statuses are never changed: the newest one of a context counts.
type status struct {
	id          int64
	sha         string
	state       string
	context     string
	description string
	targetURL   string
	creator     *account
	created     time.Time
}

// mostStatuses is how many statuses GitHub keeps per commit and context.
const mostStatuses = 1000

// newStatus is a status to be set.
type newStatus struct {
	State       string
	Context     string
	Description string
	TargetURL   string `json:"target_url"`
}

// SetStatus sets a status of a commit.
func (cs *Checks) SetStatus(r *repository, sha string, in newStatus, who *account) (*status, error) {
	if _, found := r.git.Resolve(sha); !found {
		return nil, invalid("No commit found for SHA: %s", sha)
	}
	if !slices.Contains([]string{"error", "failure", "pending", "success"}, in.State) {
		return nil, validationFailed("Status", "state", "invalid", "")
	}
	if len([]rune(in.Description)) > 140 {
		return nil, validationFailed("Status", "description", "custom", "description is too long (maximum is 140 characters)")
	}
	s := &status{
		id: cs.clock.NextID(), sha: sha, state: in.State, context: cmp.Or(in.Context, "default"), description: in.Description,
		targetURL: in.TargetURL, creator: who, created: cs.clock.Now(),
	}
	count := 0
	for _, other := range r.statuses {
		if other.sha == sha && other.context == s.context {
			count++
		}
	}
	if count >= mostStatuses {
		return nil, validationFailed("Status", "", "custom", "This SHA and context has reached the maximum number of statuses.")
	}
	r.statuses = append(r.statuses, s)
	cs.events.OfRepo(r, "status", "", s.creator, s, nil)
	return s, cs.reported(r, sha)
}
