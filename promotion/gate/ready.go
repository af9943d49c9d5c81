package gate

import (
	"slices"
	"time"

	"waybill/promotion"
)

// Conditional reports whether a target must show something before it takes part in a rollout (semantics 5.2).
func (k Keeper) Conditional(name promotion.TargetName) bool {
	t := k.s.Target(name)
	return t != nil && len(t.Ready) > 0
}

// asks reports whether a target must meet conditions before a promotion goes there. Rollbacks do not ask: the freight
// that they undo may be why it does not meet them.
func (k Keeper) asks(p *promotion.Promotion, t promotion.TargetName) bool {
	return p.Class != promotion.Rollback && k.Conditional(t)
}

// Unready reports whether a target cannot take part in the next step of a promotion: it is held, or does not show its
// conditions as far as is known.
func (k Keeper) Unready(p *promotion.Promotion, t promotion.TargetName) bool {
	return k.HoldOn(t) != nil || k.asks(p, t) && !k.s.Lacks(t).IsZero()
}

// UnreadyTargets returns the targets of the stage that do not show their conditions as far as is known, held or not.
func (k Keeper) UnreadyTargets() (all []promotion.UnreadyTarget) {
	for i := range k.s.Stage.Targets {
		t := k.s.Stage.Targets[i].Name
		if why := k.s.Lacks(t); !why.IsZero() {
			all = append(all, promotion.UnreadyTarget{Name: t, Lacks: why})
		}
	}
	return all
}

// stepAge is how old GitHub's answer may be when a step begins: steps that follow each other closely share one.
const stepAge = time.Minute

// backoff is the time before GitHub is asked again on behalf of waiting promotions: a minute, doubling to an hour.
func backoff(r *promotion.Readiness) time.Duration {
	return min(time.Hour, time.Minute<<min(r.Tries, 6))
}

// recent reports whether GitHub's last answer holds, and is younger than age.
func (k Keeper) recent(age time.Duration) bool {
	return k.s.Answered() && !k.s.Readiness.Stale && k.now().Sub(k.s.Readiness.At) < age
}

// Known reports whether enough is known of the targets for the promotions that wait for them, and until when GitHub
// need not be asked again on their behalf. If not, GitHub must be asked.
func (k Keeper) Known() (known bool, until time.Time) {
	if !k.s.Answered() || !k.recent(backoff(k.s.Readiness)) {
		return false, until
	}
	return true, k.s.Readiness.At.Add(backoff(k.s.Readiness))
}

// Informed reports whether enough is known of the targets that a promotion comes to next: those of its next step, and
// those that cannot take part in it. If not, GitHub must be asked. It need not be known of others.
func (k Keeper) Informed(p *promotion.Promotion, targets, waiting []promotion.TargetName) bool {
	asks := func(t promotion.TargetName) bool { return k.asks(p, t) }
	return !slices.ContainsFunc(targets, asks) && !slices.ContainsFunc(waiting, asks) || k.recent(stepAge)
}

// NoneReady returns why a promotion does not start though nothing else is in its way; the zero reason if it may. step
// is its first, or more is false if no target that it goes to can take part. The reason is Waiting if GitHub must be
// asked; otherwise it lists the conditions that the targets do not meet, and GitHub need not be asked again before
// until.
func (k Keeper) NoneReady(
	p *promotion.Promotion, step *promotion.Rollout, more bool,
) (why promotion.Reason, until time.Time) {
	var asked []promotion.TargetName
	for _, t := range step.Waiting {
		if k.Conditional(t) {
			asked = append(asked, t)
		}
	}
	if more && k.Informed(p, step.Targets, step.Waiting) || !more && len(asked) == 0 {
		return why, until
	}
	known, until := k.Known()
	if more || !known {
		return promotion.Because(promotion.Waiting), time.Time{}
	}
	why = promotion.Because(promotion.NotReady)
	for _, t := range asked {
		why.Args = append(why.Args, k.s.Lacks(t).Args...)
	}
	return why, until
}
