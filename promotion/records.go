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
	// Withdrawn says what the stage has taken it back by: "went back to api#1 (promotion 5)". The verdict is Pending then.
	Withdrawn string
	// Coming says that a promotion carries it there that has not ended, and Taken that it, or newer freight of its
	// warehouse, has had a promotion there, so that automation does not take it any more. Both are known only where the
	// stage that reads the record is contested.
	Coming, Taken bool
}

// NewRecord sums up the deployments of one freight in one stage, ordered by the time they began. What a withdrawal
// takes back counts for nothing, unless it was found bad (semantics 2.11). While the files differ nothing counts, and
// when they agree again the soak starts anew.
func NewRecord(f *Freight, deployments []Deployment, withdrawals []Withdrawal) Record {
	var r Record
	for i := range deployments {
		s := &deployments[i]
		r.Hosted = r.Hosted || !s.Ended()
		if s.Drift.Stands() || !s.Drift.Righted.IsZero() {
			r.Longest = 0 // whatever was before
		}
		if s.Verdict == Passed || s.Verdict == Bad { // a pending verification revokes nothing
			r.judged(s)
		}
		if why := s.withdrawn(f, withdrawals); why != "" && r.Verdict != Bad {
			r = Record{Hosted: r.Hosted, Withdrawn: why}
		}
	}
	return r
}

// judged adds a deployment that has a verdict.
func (r *Record) judged(s *Deployment) {
	r.Verdict, r.Cause, r.Since, r.Withdrawn = s.Verdict, nil, time.Time{}, ""
	switch {
	case s.Verdict == Bad && !s.Cause.IsZero():
		r.Cause = new(s.Cause)
	case s.Verdict == Bad:
	case !s.Ended():
		r.Since = s.soaksFrom()
	case s.Left.Sub(s.soaksFrom()) > r.Longest:
		r.Longest = s.Left.Sub(s.soaksFrom())
	}
}

// soaksFrom returns since when the freight has been here and verified, with its files as they were promoted: a verdict
// that it brought along from an earlier deployment is older than this one.
func (s *Deployment) soaksFrom() time.Time {
	from := s.Judged
	for _, at := range []time.Time{s.Entered, s.Drift.Righted} {
		if from.Before(at) {
			from = at
		}
	}
	return from
}
