package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

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
// sign-offs of the stage once, and for those of each batch once, before the first step of each is merged.
func (k Keeper) needed(p *promotion.Promotion) int {
	r, n := p.Rollout, 0
	if r == nil || r.Merged == 0 {
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

// signs reports whether an approval signs off the commit that a promotion shows. A sign-off of another one is void
// (semantics 4.4).
func (k Keeper) signs(a *promotion.Approval, p *promotion.Promotion) bool {
	return a.Kind == promotion.SignOff && a.Freight == p.Freight.ID && a.Plan == k.Visible(p) && a.Stands(k.now())
}

// Visible returns a hash of everything that a sign-off of a promotion binds to: stage, freight, branch, the commit that
// the pull request shows, and the contents that it writes (semantics 4.4).
func (k Keeper) Visible(p *promotion.Promotion) string {
	a := k.s.Attempt(p.Number)
	branch := k.s.Pipeline.FilesOfStep(k.s.Stage, p).Name
	bound := sha256.New()
	for _, result := range []string{string(p.Stage), string(p.Freight.ID), branch, string(a.Made.Head), a.PlanHash()} {
		fmt.Fprintf(bound, "%d %s\n", len(result), result)
	}
	return hex.EncodeToString(bound.Sum(nil))
}
