package promotion

import (
	"strconv"
	"strings"
)

// Owner returns the account that a repository belongs to, "acme" of "acme/api".
func (r Repo) Owner() string {
	owner, _, _ := strings.Cut(string(r), "/")
	return owner
}

// Left returns what a repository is called that has left its name to another one. GitHub has no such names.
func (r Repo) Left(id int64) Repo { return r + "@" + Repo(strconv.FormatInt(id, 10)) }

// HasLeft reports whether the name is that of a repository which has left its name to another one.
func (r Repo) HasLeft() bool { return strings.Contains(string(r), "@") }

// The names of things are types of their own, so that a stage cannot be passed where a freight is meant.
type (
	// Repo is a repository's full name, "owner/name".
	Repo string
	// WarehouseName names a warehouse of a pipeline.
	WarehouseName string
	// StageName names a stage of a pipeline.
	StageName string
	// Login is a GitHub user's login as people write it. Rights are decided by Actor.ID, never by it.
	Login string
	// SHA is a Git commit's object name.
	SHA string
	// FreightID identifies freight by the hash of its contents (see Freight.Identify).
	FreightID string
	// Number identifies a promotion. Numbers are given once and in order; branches and markers on GitHub carry them.
	Number int64
)

// String returns the number as people read it.
func (n Number) String() string { return strconv.FormatInt(int64(n), 10) }

// Actor is a person on GitHub, or, as its zero value, Waybill itself.
type Actor struct {
	ID    int64 // GitHub's numeric id, which renames and re-used logins do not change
	Login Login
}

// Bot reports whether the actor is Waybill itself.
func (a Actor) Bot() bool { return a.ID == 0 && a.Login == "" }

// Is reports whether both are the same person on GitHub, even after a change of login.
func (a Actor) Is(b Actor) bool {
	if a.ID != 0 || b.ID != 0 {
		return a.ID == b.ID
	}
	return a.Login == b.Login
}
