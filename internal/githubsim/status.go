package githubsim

import (
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
	if _, found := r.resolve(sha); !found {
		return nil, invalid("No commit found for SHA: %s", sha)
	}
	if !slices.Contains([]string{"error", "failure", "pending", "success"}, in.State) {
		return nil, validationFailed("Status", "state", "invalid", "")
	}
	if len([]rune(in.Description)) > 140 {
		return nil, validationFailed("Status", "description", "custom", "description is too long (maximum is 140 characters)")
	}
	s := &status{
		id: cs.clock.NextID(), sha: sha, state: in.State, context: orElse(in.Context, "default"), description: in.Description,
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

// statusesOf lists the statuses of a commit, newest first.
func (r *repository) statusesOf(sha string) []*status {
	var of []*status
	for _, s := range slices.Backward(r.statuses) {
		if s.sha == sha {
			of = append(of, s)
		}
	}
	return of
}

// latestStatuses keeps the newest status of each context.
func (r *repository) latestStatuses(sha string) []*status {
	seen := map[string]bool{}
	var latest []*status
	for _, s := range r.statusesOf(sha) {
		if !seen[s.context] {
			seen[s.context] = true
			latest = append(latest, s)
		}
	}
	return latest
}

// combined sums statuses up: failure before pending before success; pending when there is none.
func combined(latest []*status) string {
	if len(latest) == 0 {
		return "pending"
	}
	sum := "success"
	for _, s := range latest {
		switch s.state {
		case "error", "failure":
			return "failure"
		case "pending":
			sum = "pending"
		}
	}
	return sum
}

func (v *Render) Status(r *repository, s *status) obj {
	return obj{
		"id": s.id, "node_id": nodeID("SC", s.id), "url": v.API(r, "/statuses/"+s.sha), "state": s.state, "context": s.context,
		"description": optional(s.description), "target_url": optional(s.targetURL), "avatar_url": v.URL + "/" + s.creator.login + ".png",
		"creator": v.Account(s.creator), "created_at": stamp(s.created), "updated_at": stamp(s.created),
	}
}
