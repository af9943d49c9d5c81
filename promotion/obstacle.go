package promotion

import "time"

// Obstacle is something that people's own changes of a stage's files, and jobs that deploy into it, wait for: a hold, a
// freeze, or a promotion that is being verified. Exactly one of the three is there.
type Obstacle struct {
	Hold      *Hold
	Freeze    *Freeze
	Promotion *Promotion
	Until     time.Time // when the freeze ends
	Link      Link      // where the promotion can be seen
}

// Because returns the obstacle as a reason.
func (o Obstacle) Because() Reason {
	switch {
	case o.Hold != nil:
		return o.Hold.Because()
	case o.Freeze != nil:
		return o.Freeze.Because()
	}
	return Because(Behind, o.Promotion.Number.String())
}
