package core

import (
	"fmt"
	"slices"

	"waybill/internal/story"
	"waybill/internal/story/play"
	"waybill/promotion"
)

// Report implements play.Signals.
func (w ground) Report(on promotion.Branch, s play.Signal) error {
	if s.Kind == promotion.KindCheck {
		w.github.check(on, s, w.now)
	} else {
		w.github.status(on, s, w.now)
	}
	return nil
}

// FinishRun implements play.Signals.
func (w ground) FinishRun(stage promotion.StageName, result string) error {
	return w.github.finishRun(stage, result, w.now)
}

// SetEnvironment implements play.Signals. GitHub sends no webhook for it.
func (w ground) SetEnvironment(_ promotion.Repo, name string, exists bool) error {
	w.github.environments[name] = exists
	return nil
}

// PushImage implements play.Signals.
func (w ground) PushImage(i promotion.Image) error {
	w.github.images = append(w.github.images, i)
	w.hook(imageFact(i))
	return nil
}

// ReportFreight implements play.Signals. A report is not a webhook: it cannot be lost, and a resync does not find it.
func (w ground) ReportFreight(warehouse *promotion.Warehouse, version string) error {
	var newest promotion.Freight
	for _, f := range w.memory.freight {
		if f.Warehouse == warehouse.Name && newest.Before(f) {
			newest = f
		}
	}
	of := promotion.Branch{Repo: warehouse.Repo, Name: story.Branch}
	made := promotion.Build{Version: version, Commit: w.github.head(of)}
	w.memory.keep(warehouse.Reported(made, promotion.Head{}, newest, w.now))
	return nil
}

// SourceCommit implements play.Signals.
func (w ground) SourceCommit(number int) (promotion.SHA, error) {
	if sha, merged := w.github.sourceSHA(number); merged {
		return sha, nil
	}
	return "", fmt.Errorf("pull request #%d has not been merged", number)
}

// PromotionCommit implements play.Signals. For a rollout it returns the commit of the newest merged step.
func (w ground) PromotionCommit(n promotion.Number) (promotion.SHA, error) {
	for _, it := range slices.Backward(w.github.pulls) {
		if it.promoted == n && it.State == promotion.PullMerged {
			return it.MergeSHA, nil
		}
	}
	return "", fmt.Errorf("the promotion has not been merged")
}

// HostedCommit implements play.Signals.
func (w ground) HostedCommit(stage promotion.StageName, target promotion.TargetName) (promotion.SHA, error) {
	if target != "" {
		return w.broughtTo(stage, target)
	}
	var sha promotion.SHA
	for _, s := range w.memory.deployments {
		if s.Stage == stage && !s.Ended() {
			sha = s.Commit
		}
		if s.Stage == stage && w.memory.promotion(s.Promotion).State == promotion.Verifying {
			return s.Commit, nil
		}
	}
	if sha == "" {
		return "", fmt.Errorf("nothing has been promoted into %s", stage)
	}
	return sha, nil
}

// broughtTo returns the commit that brought a target its freight.
func (w *World) broughtTo(stage promotion.StageName, target promotion.TargetName) (promotion.SHA, error) {
	for _, s := range slices.Backward(w.memory.deployments) {
		for _, part := range s.Results {
			if s.Stage == stage && part.Target == target {
				return part.Commit, nil
			}
		}
	}
	return "", fmt.Errorf("nothing has been promoted to %s/%s", stage, target)
}
