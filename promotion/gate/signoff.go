package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"waybill/promotion"
)

// Unsigned returns how many sign-offs a promotion still lacks. A person counts once.
func (k Keeper) Unsigned(p *promotion.Promotion) int {
	var counted []promotion.Actor
	for i := range k.s.Approvals {
		a := &k.s.Approvals[i]
		if k.signs(a, p) && !slices.ContainsFunc(counted, a.By.Is) {
			counted = append(counted, a.By)
		}
	}
	return max(k.needed(p)-len(counted), 0)
}

// needed returns how many people must sign off the pull request that a promotion has open. A rollout asks for the
// sign-offs of the stage once, and once more when a person lets it go to further targets, and for those of each batch
// once, before the first step of each is merged.
func (k Keeper) needed(p *promotion.Promotion) int {
	r, n := p.Rollout, 0
	if k.s.Stage.SignsOff() && k.Waived(p) {
		return 0
	}
	if r.AsksStage() {
		n = k.s.Stage.Policy.Approvals
	}
	if r != nil && r.Step > 0 && !slices.Contains(r.Entered, r.Batch) {
		n = max(n, r.Batches[r.Batch].Approvals)
	}
	return n
}

// SignedOff reports whether a sign-off of a promotion counts.
func (k Keeper) SignedOff(p *promotion.Promotion) bool {
	return slices.ContainsFunc(k.s.Approvals, func(a promotion.Approval) bool { return k.signs(&a, p) })
}

// HasSigned reports whether a sign-off of a promotion by this person counts.
func (k Keeper) HasSigned(p *promotion.Promotion, who promotion.Actor) bool {
	return slices.ContainsFunc(k.s.Approvals, func(a promotion.Approval) bool {
		return a.By.Is(who) && k.signs(&a, p)
	})
}

// LacksSignOff reports whether a promotion lacks a sign-off, and none by this person counts yet.
func (k Keeper) LacksSignOff(p *promotion.Promotion, who promotion.Actor) bool {
	return k.Unsigned(p) > 0 && !k.HasSigned(p, who)
}

// transit is how long a command from a surface that does not tell when it was given may have been on its way.
const transit = 10 * time.Second

// Saw reports whether a person who signs a promotion off means the plan that it shows: the request names it, or was
// given after its pull request had begun to show it (semantics 4.4). A button is compared with what it showed elsewhere
// (command.Refusal).
//
// GitHub's clock tells both times of a comment, in whole seconds: what was written in the second in which one commit
// took the place of another is about the other. Our own clock tells both times of what arrived from elsewhere; it may
// have been on its way for some seconds.
func (k Keeper) Saw(p *promotion.Promotion, r promotion.Request) bool {
	a := k.s.Attempt(p.Number)
	if named := r.Command.Plan; named != "" {
		return strings.HasPrefix(string(a.Made.Head), named) || strings.HasPrefix(a.PlanHash(), named)
	}
	pull := k.s.Pull(a)
	switch {
	case r.Command.Seen != "":
		return true
	case pull == nil:
		return false
	case r.Heard && pull.Replaced:
		return r.At.After(pull.HeadHeard.Add(transit))
	case r.Heard:
		return !r.At.Before(pull.HeadHeard)
	case pull.Replaced:
		return r.At.Truncate(time.Second).After(pull.HeadAt.Truncate(time.Second))
	}
	return !r.At.Before(pull.HeadAt.Truncate(time.Second))
}

// signs reports whether an approval signs off the commit that a promotion shows. A sign-off of another one is void
// (semantics 4.4).
func (k Keeper) signs(a *promotion.Approval, p *promotion.Promotion) bool {
	return a.Kind == promotion.SignOff && a.Freight == p.Freight.ID && a.Plan == k.Visible(p) && a.Stands(k.now())
}

// Visible returns a hash of everything that a sign-off of a promotion binds to: stage, freight, branch, the commit that
// the pull request shows, the contents that it writes, and the notes that people were shown (semantics 4.4).
func (k Keeper) Visible(p *promotion.Promotion) string {
	a := k.s.Attempt(p.Number)
	branch := k.s.Pipeline.FilesOfStep(k.s.Stage, p).Name
	bound := sha256.New()
	for _, result := range []string{
		string(p.Stage), string(p.Freight.ID), branch, string(a.Made.Head), a.PlanHash(), a.Notes().Hash(),
	} {
		fmt.Fprintf(bound, "%d %s\n", len(result), result)
	}
	return hex.EncodeToString(bound.Sum(nil))
}
