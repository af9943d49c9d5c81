package promotion

import "slices"

// Promotion returns the promotion with that number, or nil.
func (s *Snapshot) Promotion(n Number) *Promotion {
	for i := range s.Promotions {
		if s.Promotions[i].Number == n {
			return &s.Promotions[i]
		}
	}
	return nil
}

// Active returns the promotion that occupies the stage, or nil.
func (s *Snapshot) Active() *Promotion {
	for i := range s.Promotions {
		if s.Promotions[i].State.Active() {
			return &s.Promotions[i]
		}
	}
	return nil
}

// Busy reports whether a promotion waits or runs in the stage.
func (s *Snapshot) Busy() bool {
	return slices.ContainsFunc(s.Promotions, func(p Promotion) bool { return !p.State.Ended() })
}

// OpenOf returns the promotion of a freight that has not ended, or nil.
func (s *Snapshot) OpenOf(f FreightID) *Promotion {
	for i := range s.Promotions {
		if s.Promotions[i].Freight.ID == f && !s.Promotions[i].State.Ended() {
			return &s.Promotions[i]
		}
	}
	return nil
}

// Attempt returns the state on GitHub of a promotion, or of its present step; the zero attempt if there is none.
func (s *Snapshot) Attempt(n Number) Attempt {
	step := 0
	if p := s.Promotion(n); p != nil {
		step = p.Step()
	}
	for i := range s.Attempts {
		if s.Attempts[i].Promotion == n && s.Attempts[i].Step == step {
			return s.Attempts[i]
		}
	}
	return Attempt{Promotion: n, Step: step}
}

// Pull returns the pull request of an attempt, or nil while there is none.
func (s *Snapshot) Pull(a Attempt) *Pull {
	for i := range s.Pulls {
		if a.Pull != 0 && s.Pulls[i].Number == a.Pull {
			return &s.Pulls[i]
		}
	}
	return nil
}

// FreightAt returns the index of a freight in the snapshot, or -1.
func (s *Snapshot) FreightAt(id FreightID) int {
	for i := range s.Freight {
		if s.Freight[i].ID == id {
			return i
		}
	}
	return -1
}

// Hosted returns the index of the deployment that lasts of a warehouse's freight, or -1.
func (s *Snapshot) Hosted(w WarehouseName) int {
	for i := range s.Deployments {
		if s.Deployments[i].Warehouse == w && !s.Deployments[i].Ended() {
			return i
		}
	}
	return -1
}

// VerdictHere returns the latest verdict on a freight in the stage: Passed, Bad, or Pending if there was none.
func (s *Snapshot) VerdictHere(f FreightID) (latest Verdict) {
	for i := range s.Deployments {
		if v := s.Deployments[i].Verdict; s.Deployments[i].Freight == f && (v == Passed || v == Bad) {
			latest = v
		}
	}
	return latest
}

// VerifiedHere reports whether the latest verdict on a freight in the stage is good.
func (s *Snapshot) VerifiedHere(f FreightID) bool { return s.VerdictHere(f) == Passed }

// DeploymentOf returns the index of the deployment that a promotion began, or -1.
func (s *Snapshot) DeploymentOf(n Number) int {
	for i := range s.Deployments {
		if s.Deployments[i].Promotion == n {
			return i
		}
	}
	return -1
}

// Judgeable returns the index of the deployment that /verify and /verdict mean: the one that is being verified, or else
// the last one that has not ended; -1 if there is none.
func (s *Snapshot) Judgeable() int {
	if p := s.Active(); p != nil && p.State == Verifying {
		return s.DeploymentOf(p.Number)
	}
	for i := range slices.Backward(s.Deployments) {
		if !s.Deployments[i].Ended() {
			return i
		}
	}
	return -1
}

// DeploymentsOf returns the deployments of a freight, by the time they began.
func (s *Snapshot) DeploymentsOf(f FreightID) (all []Deployment) {
	for i := range s.Deployments {
		if s.Deployments[i].Freight == f {
			all = append(all, s.Deployments[i])
		}
	}
	return all
}
