package gate

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"waybill/promotion"
)

// Unavailable returns why the i-th freight is not available to the stage, and when it will be if it only has to soak;
// the zero reason if it is available. Of several reasons it names the one that goes furthest: that the freight is
// incomplete, that it was rejected here, that it failed in a stage, that a stage in between is held or frozen, that it
// is not verified, that it left before it had soaked, that it soaks. The last three name all stages of which they are
// true, in the order of the pipeline file.
func (k Keeper) Unavailable(i int) (why promotion.Reason, until time.Time) {
	from := k.availableFrom(i)
	if from <= k.instant {
		return why, until
	}
	until = from.orZero()
	source, takes := k.s.Stage.Source(k.s.Freight[i].Warehouse)
	if !takes {
		return promotion.Because(promotion.Unknown, string(k.s.Freight[i].Warehouse)), until
	}
	if why := k.Incomplete(i); !why.IsZero() {
		return why, until
	}
	if r := k.refusedHere(source.After, i); r != nil {
		return r.Because(), until
	}
	var all wants
	k.lack(source.After, i, 0, &all)
	why = all.because()
	if why.Code == promotion.Left || why.Code == promotion.Soaking {
		why.Detail = k.starving(slices.Concat(all.soaking, all.left), k.s.Freight[i].Warehouse)
	}
	return why, until
}

// wants collects the conditions that freight lacks upstream.
type wants struct {
	failed, stopped           promotion.Reason
	unverified, left, soaking []*promotion.Stage
	withdrawn                 []string // what unverified stages have taken it back by
}

// because returns the reason that goes furthest.
func (w *wants) because() promotion.Reason {
	switch {
	case !w.failed.IsZero():
		return w.failed
	case !w.stopped.IsZero():
		return w.stopped
	case len(w.unverified) > 0:
		why := promotion.Because(promotion.Unverified, namesOf(w.unverified)...)
		return why.With(strings.Join(w.withdrawn, "; "))
	case len(w.left) > 0:
		return promotion.Because(promotion.Left, namesOf(w.left)...)
	}
	return promotion.Because(promotion.Soaking, namesOf(w.soaking)...)
}

// namesOf returns the names of stages in the order of the pipeline file, each once: several ways may lead to one.
func namesOf(stages []*promotion.Stage) []string {
	slices.SortFunc(stages, func(a, b *promotion.Stage) int { return a.Index - b.Index })
	var names []string
	for _, s := range slices.Compact(stages) {
		names = append(names, string(s.Name))
	}
	return names
}

// lack collects the conditions that the i-th freight lacks in the upstream stages of a gate.
func (k Keeper) lack(g *promotion.Gate, i int, soak time.Duration, all *wants) {
	if g == nil {
		return
	}
	soak = max(soak, g.Soak)
	for _, up := range g.Of {
		switch {
		case k.passedBy(up, i, soak) <= k.instant:
		case up.Delivery == promotion.DeliveryNone:
			k.lackBehind(up, i, soak, all)
		default:
			k.lackIn(up, i, all)
		}
	}
}

// lackBehind looks through a pass-through stage at its own upstream stages.
func (k Keeper) lackBehind(up *promotion.Stage, i int, soak time.Duration, all *wants) {
	if h := k.Hold(up.Name, k.s.Freight[i].Warehouse); h != nil {
		all.stopped = h.Because()
	} else if f, _ := up.Frozen(promotion.Automatic, k.now()); f != nil {
		all.stopped = f.Because()
	}
	if source, takes := up.Source(k.s.Freight[i].Warehouse); takes {
		k.lack(source.After, i, soak, all)
	}
}

// lackIn looks at a stage that can verify freight.
func (k Keeper) lackIn(up *promotion.Stage, i int, all *wants) {
	r := k.record(up, i)
	if r == nil {
		r = &promotion.Record{}
	}
	words := k.s.RejectedWords(up.Name, &k.s.Freight[i])
	switch {
	case r.Verdict == promotion.Bad && all.failed.IsZero():
		all.failed = failedIn(r, up)
	case r.Verdict == promotion.Passed && !r.Since.IsZero() && words == "":
		all.soaking = append(all.soaking, up)
	case r.Verdict == promotion.Passed && !r.Hosted && words == "":
		all.left = append(all.left, up)
	case r.Verdict != promotion.Bad:
		all.lackVerdict(up, cmp.Or(words, r.Withdrawn))
	}
}

// lackVerdict notes that a stage does not vouch for freight, and whether it has taken it back.
func (w *wants) lackVerdict(up *promotion.Stage, words string) {
	if slices.Contains(w.unverified, up) {
		return // several ways lead to it
	}
	w.unverified = append(w.unverified, up)
	if words != "" {
		w.withdrawn = append(w.withdrawn, string(up.Name)+" "+words)
	}
}

// failedIn returns why freight is bad in the stage that a record belongs to, or, if what failed has passed since, that
// it is not verified yet.
func failedIn(r *promotion.Record, stage *promotion.Stage) promotion.Reason {
	if r.Cause != nil && r.Cause.Code == promotion.Waiting {
		waits := "it failed there, what failed has passed since, and it waits for " + strings.Join(r.Cause.Args, ", ")
		return promotion.Because(promotion.Unverified, string(stage.Name)).With(waits)
	}
	why := promotion.Because(promotion.FailedCheck, string(stage.Name))
	switch {
	case r.Cause == nil:
		why.Args = append(why.Args, "verification")
	case r.Cause.Code == promotion.Decided, r.Cause.Code == promotion.Asked: // as the ledger has older ones
		why.Args = append(why.Args, "verification")
		why.Detail = r.Cause.Arg(0) + " decided so by /verdict"
		if r.Cause.Detail != "" {
			why.Detail += ": " + r.Cause.Detail
		}
	default:
		why.Args, why.URL = append(why.Args, r.Cause.Args...), r.Cause.URL
		if !stage.IsVerifiedBy(r.Cause.Arg(0)) {
			why.Detail = "the pipeline file does not name it any more; /verify " + string(stage.Name) + " judges by the file"
		}
	}
	return why
}
