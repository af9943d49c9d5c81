package ledger

import (
	"time"

	"waybill/internal/githubsim"
)

// The people who wish a history ill.
const (
	Stranger = "mal" // belongs to nothing; may read what everybody may read
	Leaver   = "kim" // may write at first
	Forger   = "joe" // may write, and commits under the names of others
)

// keepsRights is how long Waybill may count a right that somebody has lost.
const keepsRights = 5*time.Minute + 20*time.Second

// Intruders are what the invariants must know of people who wish a history ill.
type Intruders struct {
	Left   time.Time              // when the Leaver lost the right to write; zero: not yet
	Theirs map[int]githubsim.Pull // the Stranger's pull requests as they have left them, by number
}

// MayHaveWritten reports whether the Leaver has, or had a moment ago, the right to write.
func (i *Intruders) MayHaveWritten() bool { return i.Left.IsZero() || time.Since(i.Left) < keepsRights }

// Forgotten returns since when commands of the Leaver must be refused; the zero time if they need not be.
func (i *Intruders) Forgotten() time.Time {
	if i.Left.IsZero() {
		return time.Time{}
	}
	return i.Left.Add(keepsRights)
}
