package act

import (
	"context"
	"strings"
	"time"

	"waybill/app/gh"
	"waybill/app/learn"
	"waybill/promotion"
	"waybill/promotion/rules"
	"waybill/promotion/say"
)

// rulesAsked is how old the rules of a branch are at least when a refused merge has them read again.
const rulesAsked = time.Minute

// outdated reports whether the rules of a branch may have changed, as GitHub's words suggest when it does not let a
// pull request be merged. A promotion that waits for a check or a review is refused again and again, and its rules are
// as they were.
func outdated(r promotion.BranchRules, words string, now time.Time) bool {
	last := rulesAsked
	if strings.Contains(words, "status check") || strings.Contains(words, "review") {
		last = learn.RulesLast
	}
	return now.Sub(r.Read) >= last
}

// mergeMethod returns the method by which a promotion's pull request is merged: of those that the settings of the
// repository allow, one that the rules of the branch allow, as they were read last. If none is left, GitHub says why.
func (j *job) mergeMethod(settings []string, r promotion.BranchRules) string {
	allowed := rules.Methods(settings, r)
	if len(allowed) == 0 {
		allowed = settings
	}
	return rules.Method(j.stage, allowed)
}

// tryMerge merges a pull request. If GitHub does not allow it, the rules of the branch are read, unless that has just
// been done. Where they forbid the method, another one is tried at once. What they say is added to GitHub's words, of
// which people cannot tell what to do.
func (a *Executor) tryMerge(
	ctx context.Context, j *job, known promotion.BranchRules, r gh.MergeRequest,
) (gh.MergeOutcome, error) {
	outcome, err := j.client.Pulls.Merge(ctx, r)
	if err != nil || outcome.Result != gh.NotAllowed {
		return outcome, err
	}
	if outdated(known, outcome.Text, a.Clock()) {
		read, save, err := a.learn.Rules.Read(ctx, j.client, []string{j.files.Name})
		if err == nil && save != nil {
			known, err = read[0], a.Store.Update(ctx, save)
		}
		if err != nil {
			return outcome, err
		}
		if other := j.mergeMethod(known.Settings, known); other != "" && other != r.Method {
			r.Method = other
			if err := a.checkApprovals(ctx, j); err != nil {
				return outcome, err
			}
			if outcome, err = j.client.Pulls.Merge(ctx, r); err != nil || outcome.Result != gh.NotAllowed {
				return outcome, err
			}
		}
	}
	outcome.Text = say.RefusedBy(outcome.Text, rules.Demands(j.pipeline, j.stage, known, a.Hub.AppID()))
	return outcome, nil
}
