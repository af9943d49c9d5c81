package health

import (
	"fmt"
	"slices"
	"strings"

	"waybill/app/api"
	"waybill/promotion"
)

// ruled checks that the rules of branches let promotions through, as they were read last.
func ruled(f *facts) (all []api.Finding) {
	for _, s := range f.pipelines {
		found := append(s.unread(), s.stopped()...)
		found = append(found, s.neverSeen()...)
		if len(found) == 0 && len(s.rules) > 0 {
			found = append(found, fine("rules", string(s.Repo), "no rule that GitHub shows the App stops a promotion"))
		}
		all = append(all, found...)
	}
	return all
}

// unread lists the branches of which GitHub does not show the rules.
func (s *served) unread() (all []api.Finding) {
	for _, r := range s.rules {
		if r.Unknown != "" {
			all = append(all, api.Finding{Check: "rules", About: r.On.String(), State: api.StateWarn,
				Says: "GitHub does not show the App the rules of this branch: " + r.Unknown,
				Off:  "advice on rules; promotions are merged as far as GitHub lets them",
				Do:   "Look at the rules on GitHub's pages"})
		}
	}
	return all
}

// stopped lists what is in the way of promotions, once for all stages of which it is so. What GitHub may let the App
// bypass is a warning, and so is what people have to do each time: that may be meant so.
func (s *served) stopped() (all []api.Finding) {
	stages, order := map[promotion.Demand][]promotion.StageName{}, []promotion.Demand(nil)
	for _, stage := range s.pipeline.Stages {
		for _, d := range s.demands[stage.Name] {
			if d.Weight == promotion.Takes {
				continue
			}
			if stages[d] == nil {
				order = append(order, d)
			}
			stages[d] = append(stages[d], stage.Name)
		}
	}
	for _, d := range order {
		all = append(all, demanded(d, stages[d]))
	}
	return all
}

// demanded is the finding about one demand on stages.
func demanded(d promotion.Demand, stages []promotion.StageName) api.Finding {
	found := api.Finding{Check: "rules", About: d.On.String(), State: api.StateWarn, Says: d.Says, Do: d.Do}
	if d.From != "" {
		found.Says += " (" + d.From + ")"
	}
	found.Off = "promotions of " + listed(stages)
	switch {
	case d.Weight == promotion.AsksPeople:
		found.Off = "merges by Waybill alone, in " + listed(stages)
	case d.Certain:
		found.State = api.StateFail
	}
	if found.Do != "" {
		found.Do = strings.ToUpper(found.Do[:1]) + found.Do[1:]
	}
	return found
}

// neverSeen lists required checks that have not been seen: a misspelt one lets no pull request be merged.
func (s *served) neverSeen() (all []api.Finding) {
	for _, r := range s.rules {
		if !s.merges(r.On) {
			continue
		}
		for _, name := range r.OthersChecks() {
			heard := s.heard[r.On.Repo]
			if slices.ContainsFunc(heard, func(g promotion.Signal) bool { return g.Name == name }) {
				continue
			}
			all = append(all, api.Finding{Check: "rules", About: r.On.String(), State: api.StateWarn,
				Says: fmt.Sprintf("the check `%s` is required, and none of this name has been seen on the last commits of %s",
					name, r.On.Repo),
				Off: "merges of promotions, if it does not come on their pull requests",
				Do:  "Have it run on branches `waybill/...`, or take it out of the rule"})
		}
	}
	return all
}

// merges reports whether Waybill merges pull requests into a branch.
func (s *served) merges(on promotion.Branch) bool {
	return slices.ContainsFunc(s.pipeline.Stages, func(stage *promotion.Stage) bool {
		return stage.Delivery == promotion.DeliveryPullRequest && slices.Contains(s.pipeline.BranchesOf(stage), on)
	})
}
