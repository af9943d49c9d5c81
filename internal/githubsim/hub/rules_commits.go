package hub

import (
	"hash/crc32"
	"net/http"
	"slices"
	"strings"

	"waybill/internal/githubsim/gitstore"
)

// GitHub's words where a rule of a branch refuses commits, or what somebody wants to do with the branch.
const (
	violations   = "Repository rule violations found\n\n"
	cannotUpdate = "Cannot update this protected ref."
	notPusher    = "You're not authorized to push to this branch."
	cannotForce  = "Cannot force-push to this protected ref."
	noMerges     = "This branch must not contain merge commits."
	signedOnly   = "Commits must have verified signatures."
)

// protectionOf returns the protection of a branch by its reference.
func (r *Repository) protectionOf(ref string) (Protection, bool) {
	p, found := r.Protections[strings.TrimPrefix(ref, "refs/heads/")]
	return p, found
}

// RulesetID returns the id of the ruleset of a branch.
func (r *Repository) RulesetID(branch string) int64 {
	return r.ID<<32 + int64(crc32.ChecksumIEEE([]byte(branch)))
}

// Signed reports whether GitHub calls a commit verified: GitHub signs those that it commits itself. The simulator
// signs nothing.
func Signed(c gitstore.Commit) bool { return c.Committer.Email == "noreply@github.com" }

// guardCommits refuses a push by what it brings: commits that are not signed, merges into a linear history, and a
// history other than the branch's.
func (fs *Refs) guardCommits(who Caller, r *Repository, ref string, brought []gitstore.Commit, forward bool) error {
	protection, protected := r.protectionOf(ref)
	merge := func(c gitstore.Commit) bool { return len(c.Parents) > 1 }
	switch {
	case !protected || protection.Passes(who.Account):
	case protection.NonFastForward && !forward:
		return Invalid("%s%s", violations, cannotForce)
	case protection.Linear && slices.ContainsFunc(brought, merge):
		return Invalid("%s%s", violations, noMerges)
	case protection.Signatures && !all(brought, Signed):
		return Invalid("%s%s", violations, signedOnly)
	}
	return nil
}

// refusesMethod refuses a merge by its method: one that the rules do not list, a merge commit in a linear history, and
// commits that nobody has signed. Those of a rebase are never signed, and no others where GitHub signs nothing.
func (fs *Refs) refusesMethod(r *Repository, p *Pull, method string) error {
	protection, reason := r.Protections[p.BaseRef], ""
	if method == "" {
		method = "merge"
	}
	switch {
	case len(protection.Methods) > 0 && !slices.Contains(protection.Methods, method):
		reason = "This branch does not allow " + method + " as a merge method."
	case protection.Update && protection.Classic:
		return Refuse(http.StatusMethodNotAllowed, notPusher)
	case protection.Update:
		reason = cannotUpdate
	case protection.Linear && method == "merge":
		reason = noMerges
	case protection.Signatures && (fs.Unsigned || method == "rebase" ||
		method == "merge" && !all(r.HeadCommits(p), Signed)):
		reason = signedOnly
	default:
		return nil
	}
	return Refuse(http.StatusMethodNotAllowed, "%s%s", violations, reason)
}

func all[T any](list []T, holds func(T) bool) bool {
	return !slices.ContainsFunc(list, func(one T) bool { return !holds(one) })
}
