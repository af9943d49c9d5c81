package promotion

// Deploys reports whether the stage's promotions are deployments of ours. They are not where the stage waits for somebody
// else's in that environment: ours would be taken for it by people, and its success for a verdict.
func (s *Stage) Deploys() bool {
	if s.Environment == "" {
		return false
	}
	for _, m := range s.Verify {
		if m.Kind == KindDeployment && Match(m.Pattern, s.Environment) {
			return false
		}
	}
	return true
}

// Deployed is how the deployment of a promotion looks, as GitHub spells it: it ends with the promotion, and is inactive
// once something else stands there. It is empty while nothing of it is merged.
func (s *Snapshot) Deployed(p *Promotion) string {
	switch {
	case p.MergeSHA == "":
		return ""
	case !p.State.Ended():
		return "in_progress"
	case s.Removed || !s.stands(p.Number):
		return "inactive"
	case p.State == Succeeded:
		return "success"
	}
	return "failure"
}

// stands reports whether what a promotion has brought is what the stage hosts.
func (s *Snapshot) stands(n Number) bool {
	for i := range s.Stays {
		if s.Stays[i].Promotion == n && !s.Stays[i].Ended() {
			return true
		}
	}
	return false
}
