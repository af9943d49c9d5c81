package shape

import (
	"math/rand/v2"
	"time"
)

// beset draws the people who wish a history ill; one history of six has them. In half of these a tenant is among them.
// Half of the stages that can have them want sign-offs.
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
}

// Other is the organisation of the other installation, if there is one.
const Other = "slow"
