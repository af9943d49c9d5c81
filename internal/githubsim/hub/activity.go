package hub

import (
	"slices"
	"strings"
	"time"

	"waybill/internal/githubsim/gitstore"
)

// Activity is a change of a branch, with who has made it.
type Activity struct {
	ID            int64 // in the repository
	Ref           string
	Before, After string
	Type          string // by GitHub's names
	At            time.Time
	Who           *Account
	born          mark
}

// note adds a change of a branch to the activity of its repository. A type that is given replaces that of a push.
func (fs *Refs) note(p Push, as string) {
	switch {
	case !strings.HasPrefix(p.Ref, "refs/heads/"):
		return
	case p.Before == gitstore.Zero:
		as = "branch_creation"
	case p.After == gitstore.Zero:
		as = "branch_deletion"
	case as == "" && !p.Repo.git.IsAncestor(p.Before, p.After):
		as = "force_push"
	case as == "":
		as = "push"
	}
	p.Repo.activity = append(p.Repo.activity, Activity{
		ID: int64(len(p.Repo.activity)) + 1, Ref: p.Ref, Before: p.Before, After: p.After, Type: as, At: fs.clock.Now(),
		Who: p.Who, born: fs.lag.mark(),
	})
}

// Activity lists the changes of a branch, or of all if ref is empty, as the current request sees them, newest first.
func (fs *Refs) Activity(r *Repository, ref string) (all []Activity) {
	for _, a := range slices.Backward(r.activity) {
		if (ref == "" || a.Ref == ref) && !fs.lag.hides(a.born) {
			all = append(all, a)
		}
	}
	return all
}
