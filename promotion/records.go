package promotion

import "time"

// Record is a stage's history of one freight, summed up from its deployments. It is small, because a decision reads one
// for each freight and upstream stage.
type Record struct {
	Verdict Verdict       // the latest terminal one: Passed, Bad, or Pending if there was none
	Since   time.Time     // it is hosted, and has been verified since then; zero otherwise, always so unless it passed
	Longest time.Duration // the longest past deployment, counted from its verification
	Cause   *Reason       // why the latest verdict is bad; nil if that is not known
	Hosted  bool          // it is there now, whatever its verdict
	// Coming says that a promotion carries it there that has not ended, and Taken that it, or newer freight of its
	// warehouse, has had a promotion there, so that automation does not take it any more. Both are known only where the
	// stage that reads the record is contested.
	Coming, Taken bool
}

// NewRecord sums up the deployments of one freight in one stage, ordered by the time they began.
func NewRecord(deployments []Deployment) Record {
	var r Record
	for _, s := range deployments {
		r.Hosted = r.Hosted || !s.Ended()
		if s.Verdict != Passed && s.Verdict != Bad {
			continue // a pending verification revokes nothing
		}
		r.Verdict, r.Cause, r.Since = s.Verdict, nil, time.Time{}
		switch {
		case s.Verdict == Bad && !s.Cause.IsZero():
			r.Cause = new(s.Cause)
		case s.Verdict == Bad:
		case !s.Ended():
			r.Since = s.verified()
		case s.Left.Sub(s.verified()) > r.Longest:
			r.Longest = s.Left.Sub(s.verified())
		}
	}
	return r
}

// verified returns since when the freight has been here and verified: a verdict that it brought along from an earlier
// deployment is older than this one.
func (s Deployment) verified() time.Time {
	if s.Judged.Before(s.Entered) {
		return s.Entered
	}
	return s.Judged
}
