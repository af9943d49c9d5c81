package shape

import (
	"math/rand/v2"
	"time"
)

// beset draws the people who wish a history ill; one history of six has them. In half of these a tenant is among them.
// Half of the stages that can have them want sign-offs. In half of the hostile histories stages guard their files, and
// in a third of these one of them is frozen for a while.
func (s *Shape) beset(r *rand.Rand) {
	if r.IntN(6) > 0 {
		return
	}
	s.Beset, s.Prying = true, r.IntN(2) == 0
	if s.Prying && s.Slow == 0 {
		s.Slow = 4 * time.Second
	}
	for i := range s.First.Stages {
		if one := &s.First.Stages[i]; !one.Passes && !one.Direct && !one.Starts && r.IntN(2) == 0 {
			one.Approvals = 1 + r.IntN(6)/5
		}
	}
	if r.IntN(2) == 0 {
		s.guard(r)
	}
}

// guard has most of the stages that can do so guard their files.
func (s *Shape) guard(r *rand.Rand) {
	frozen := r.IntN(3) == 0
	for i := range s.First.Stages {
		one := &s.First.Stages[i]
		if one.Passes || !one.changesFiles() || one.At() != Here || one.Second != (Place{}) || r.IntN(4) == 0 {
			continue
		}
		one.Guard, s.Guards = true, true
		if frozen {
			frozen = false
			one.Freeze = &Freeze{time.Duration(r.IntN(30)) * time.Minute, time.Duration(20+r.IntN(60)) * time.Minute}
		}
	}
}

// Other is the organisation of the other installation, if there is one.
const Other = "slow"
