package promotion

import (
	"slices"
	"strings"
)

// Deploys reports whether the stage's promotions are deployments of ours. They are not where the stage waits for
// another App's deployments in that environment: people would take ours for those, and its success for a verdict.
func (s *Stage) Deploys() bool {
	return s.Strategy.OneDeployment && !slices.ContainsFunc(s.Targets, func(t Target) bool { return !t.Deploys() })
}

// Deploys reports whether each promotion to the target is a deployment of ours in an environment of its own.
func (t *Target) Deploys() bool {
	waits := func(m Matcher) bool { return m.Kind == KindDeployment && Match(m.Pattern, t.Environment) }
	return t.Environment != "" && !slices.ContainsFunc(t.Verify, waits)
}

// Inhabits reports whether an environment is the stage's, or that of one of its targets. GitHub does not tell capitals
// apart.
func (s *Stage) Inhabits(environment string) bool {
	for i := range s.Targets {
		if name := s.Targets[i].Environment; name != "" && strings.EqualFold(name, environment) {
			return true
		}
	}
	return false
}

// Settled reports whether the targets of the stage have environments.
func (s *Stage) Settled() bool { return len(s.Targets) > 0 && s.Targets[0].Environment != "" }

// inactive is a deployment that something else has taken the place of.
const inactive = "inactive"

// Deployed is how the deployment of a promotion looks, as GitHub spells it: it ends with the promotion, and is inactive
// once something else stands there. It is empty while nothing of it is merged.
func (s *Snapshot) Deployed(p *Promotion) string {
	switch {
	case p.MergeSHA == "":
		return ""
	case !p.State.Ended():
		return "in_progress"
	case s.Removed || !s.stands(p.Number):
		return inactive
	case s.brought(p) == Passed:
		return "success"
	}
	return "failure"
}

// stands reports whether the stage hosts the freight that a promotion has brought.
func (s *Snapshot) stands(n Number) bool {
	i := s.DeploymentOf(n)
	return i >= 0 && !s.Deployments[i].Ended()
}

// brought returns the latest verdict on the freight that a promotion has brought. Without a later one it is the verdict
// with which the promotion ended.
func (s *Snapshot) brought(p *Promotion) Verdict {
	if i := s.DeploymentOf(p.Number); i >= 0 && s.Deployments[i].Verdict != Pending {
		return s.Deployments[i].Verdict
	}
	if p.State == Succeeded {
		return Passed
	}
	return Bad
}

// TargetDeployment is how the deployment of a promotion to one target looks.
type TargetDeployment struct {
	Promotion Number
	Target    TargetName
	Step      int // that brought it there
	SHA       SHA
	State     string // as Snapshot.Deployed has it
}

// DeployedTo returns the deployments to targets: the present one of each, and the one that it has just replaced. A
// deployment begins with the merge that brings freight to its target, follows the verdict and ends with the next one; a
// promotion that finds a target as it should be leaves its deployment as it is.
func (s *Snapshot) DeployedTo() (all []TargetDeployment) {
	type place struct {
		warehouse WarehouseName
		target    TargetName
	}
	stands, known := map[place]TargetDeployment{}, s.Stage.names()
	var order []place
	for i := range s.Deployments {
		deployment := &s.Deployments[i]
		for k := range deployment.Results {
			result, at := &deployment.Results[k], place{deployment.Warehouse, deployment.Results[k].Target}
			if result.Target == "" {
				continue // its deployment is that of the promotion
			}
			d, there := stands[at]
			if there && d.SHA != result.Commit && !deployment.Ended() {
				d.State = inactive
				all = append(all, d)
			}
			if !there {
				order = append(order, at)
			}
			if d.SHA != result.Commit {
				d = TargetDeployment{Promotion: deployment.Promotion, Target: result.Target, Step: result.Step, SHA: result.Commit}
			}
			d.State = s.stateOn(deployment, result, known[result.Target])
			stands[at] = d
		}
	}
	for _, at := range order {
		all = append(all, stands[at])
	}
	return all
}

// stateOn is how the deployment looks that stands on a target, if the pipeline file still knows that.
func (s *Snapshot) stateOn(deployment *Deployment, result *TargetResult, known bool) string {
	switch p := s.Promotion(deployment.Promotion); {
	case s.Removed || !known:
		return inactive
	case result.Verdict == Passed:
		return "success"
	case result.Verdict == Bad || p == nil || p.State.Ended():
		return "failure"
	}
	return "in_progress"
}
