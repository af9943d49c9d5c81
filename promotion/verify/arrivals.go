package verify

import "waybill/promotion"

// arrivalsOf lists the commits that a decision over the snapshot may judge: those that brought the freight that the
// stage hosts, or hosted lately, because freight whose contents were there before takes over their commits; and the
// prospects. Each is listed once.
func arrivalsOf(s *promotion.Snapshot) []promotion.Arrival {
	l := newArrivals()
	for i := range s.Deployments {
		deployment := &s.Deployments[i]
		for k := range deployment.Results {
			l.add(deployment.Results[k].Target, deployment.Results[k].Commit)
		}
	}
	l.addProspects(s)
	return l.all
}

// Prospects lists the arrivals that are about to be judged: those of promotions that are on their way. Each is listed
// once.
func Prospects(s *promotion.Snapshot) []promotion.Arrival {
	l := newArrivals()
	l.addProspects(s)
	return l.all
}

// arrivals collects arrivals.
type arrivals struct {
	all   []promotion.Arrival
	known map[promotion.Arrival]bool
}

func newArrivals() *arrivals { return &arrivals{known: make(map[promotion.Arrival]bool)} }

func (l *arrivals) addProspects(s *promotion.Snapshot) {
	for i := range s.Attempts {
		a := &s.Attempts[i]
		if p := s.Promotion(a.Promotion); p != nil && !p.State.Ended() && p.State != promotion.Verifying {
			l.addAll(p, commitsOf(s, a))
		}
	}
}

func (l *arrivals) add(target promotion.TargetName, commit promotion.SHA) {
	a := promotion.Arrival{Target: target, Commit: commit}
	if commit != "" && !l.known[a] {
		l.known[a] = true
		l.all = append(l.all, a)
	}
}

// addAll adds the commits by which a promotion, or the targets of its present step, may be judged.
func (l *arrivals) addAll(p *promotion.Promotion, commits []promotion.SHA) {
	targets := []promotion.TargetName{""} // nothing is planned for targets with names before it has started
	if p.Rollout != nil {
		targets = p.Rollout.Targets
	}
	for _, commit := range commits {
		for _, t := range targets {
			l.add(t, commit)
		}
	}
}

// commitsOf returns the commits by which the freight of an attempt may be judged: its merge or its commit on the
// branch, or the head at which there was nothing to change.
func commitsOf(s *promotion.Snapshot, a *promotion.Attempt) (commits []promotion.SHA) {
	if pull := s.Pull(*a); pull != nil && pull.MergeSHA != "" {
		commits = append(commits, pull.MergeSHA)
	}
	if a.State == promotion.AttemptDelivered {
		commits = append(commits, a.Made.Head)
	}
	if a.Plan != nil && len(a.Plan.Paths) == 0 {
		commits = append(commits, a.Plan.Base)
	}
	return commits
}
