package hub

import (
	"cmp"
	"slices"
	"time"
)

// Status is a commit status. Statuses are never changed: the newest one of a context counts.
type Status struct {
	ID          int64
	SHA         string
	State       string
	Context     string
	Description string
	TargetURL   string
	Creator     *Account
	Created     time.Time
}

// mostStatuses is the number of statuses that GitHub keeps per commit and context.
const mostStatuses = 1000

// StatusSpec describes a new status.
type StatusSpec struct {
	State       string
	Context     string
	Description string
	TargetURL   string `json:"target_url"`
}

// SetStatus sets a status of a commit.
func (cs *Checks) SetStatus(r *Repository, sha string, in StatusSpec, who *Account) (*Status, error) {
	if _, found := r.git.Resolve(sha); !found {
		return nil, Invalid("No commit found for SHA: %s", sha)
	}
	if !slices.Contains([]string{"error", "failure", "pending", "success"}, in.State) {
		return nil, ValidationFailed("Status", "state", "invalid", "")
	}
	if len([]rune(in.Description)) > 140 {
		return nil, ValidationFailed("Status", "description", "custom", "description is too long (maximum is 140 characters)")
	}
	s := &Status{
		ID: cs.clock.NextID(), SHA: sha, State: in.State, Context: cmp.Or(in.Context, "default"), Description: in.Description,
		TargetURL: in.TargetURL, Creator: who, Created: cs.clock.Now(),
	}
	count := 0
	for _, other := range r.statuses {
		if other.SHA == sha && other.Context == s.Context {
			count++
		}
	}
	if count >= mostStatuses {
		return nil, ValidationFailed("Status", "", "custom",
			"This SHA and context has reached the maximum number of statuses.")
	}
	r.statuses = append(r.statuses, s)
	cs.events.OfRepo(r, "status", "", s.Creator, s, nil)
	return s, cs.reported(r, sha)
}
