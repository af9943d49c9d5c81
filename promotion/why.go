package promotion

import (
	"slices"
	"time"
)

// FreightStatus says where a freight stands in a stage, and why. Everything that waits has a reason and, where a clock
// decides, the time of the next look.
type FreightStatus struct {
	Freight   FreightID
	Name      string
	Promotion *Promotion // the newest of this freight, or nil
	Place     Place
	Reason    Reason
	Until     time.Time // when a clock that is waited for will ring
	// Rejection is what GitHub refuses to do for the promotion at the moment, if it waits for that; nil otherwise
	Rejection *Rejection
	// how the stage's files differ from the promoted values, while it is hosted; zero if they do not
	Drift Reason
	// Withdrawn says what its promotion, which succeeded, has been taken back by, as in Record; "" if by nothing. Drift is
	// told apart.
	Withdrawn string
	// Rejected says who has rejected it, or older freight that it may contain; zero if nobody has
	Rejected Reason
	Targets  []TargetStatus // of a rollout: how its targets stand
	Tally    Summary        // of a rollout: how many stand how
	Stage    *Stage         // in which, and in whose words it is told; nil: not known, told as for most
	Lacks    Reason         // why the freight is not available to the stage, apart from its promotion; zero if it is
	Hosted   bool           // it is in the stage now
	// Verdict is the latest one on the freight in the stage: while that hosts it, or on what its promotion brought there.
	// Cause says why it is bad. The promotion's state says what its first verdict was.
	Verdict Verdict
	Cause   Reason
	// Recovered says which freight the stage has verified since the promotion failed its verification; zero if none
	Recovered Reason
	Was       Was    // if it was in the stage and has left
	BackTo    string // the freight that a rollback would bring back now; empty: it would bring none
	Retries   bool   // its promotion has failed, and a retry of it would be carried out now
	Link      Link   // where its promotion, or the present step of that, can be seen
	// Seen names the promotion with its plan if it is the one that the stage shows; empty if that is another
	Seen string
	// Waived says that the promotion needs no sign-offs though the stage asks for some: it goes back to what was verified
	// there last.
	Waived bool
	// MakersOut says that whoever has made what its promotion brings may not sign that off.
	MakersOut bool
	// Partly says that the freight is good wherever it is, and has not come to all targets that it could have.
	Partly bool
	// Next is the command that a person could give next: it would be carried out. Without a verb there is none.
	Next Command
	// LetsGo is the command that lifts what Waybill holds because of its promotion; without a verb it holds nothing.
	LetsGo Command
	// Notes are what people are told of the promotion's plan; nil while there is none.
	Notes *Notes
}

// Good reports whether the freight, whose promotion has ended, is good in the stage, as its signals say now: in all
// targets. Freight has a verdict of its own as good in all of them only.
func (s FreightStatus) Good() bool {
	return s.result() == Passed && (s.Verdict == Passed || s.Tally.ToCome == 0)
}

// Bad reports whether the freight, whose promotion has ended, is bad in the stage, as its signals say now.
func (s FreightStatus) Bad() bool { return s.result() == Bad }

// result is the verdict on freight whose promotion has ended: the latest, or, where that is not known, the one that its
// promotion ended with.
func (s FreightStatus) result() Verdict {
	switch p := s.Promotion; {
	case p == nil || !p.State.Ended():
		return Pending
	case s.Verdict != Pending:
		return s.Verdict
	case p.State == Succeeded, s.Partly:
		return Passed
	case p.State == VerificationFailed:
		return Bad
	}
	return Pending
}

// Why returns the reason that is told of where the freight stands: why the latest verdict says that it is bad, and not
// why an earlier one did. There is none of freight that had failed and is good now where it is.
func (s FreightStatus) Why() Reason {
	switch {
	case s.Bad() && !s.Cause.IsZero():
		return s.Cause
	case (s.Good() || s.Partly) && s.Promotion.State == VerificationFailed:
		return Reason{}
	}
	return s.Reason
}

// TakenAway reports whether freight that was good has left the stage because the stage went back to older freight, or
// has left it and the stage vouches for it no more.
func (s FreightStatus) TakenAway() bool { return s.Was.In != "" && (s.Was.Back || s.Withdrawn != "") }

// Was says that freight was in a stage and has left. The zero value: it has not.
type Was struct {
	In    StageName
	Until time.Time // zero: it is not known any more
	Then  string    // the name of the freight that took its place; empty: none did
	Back  bool      // the stage hosts older freight now: what this one brought was taken away
}

// Place is where a freight stands in a stage.
type Place string

// A freight that has a promotion is open, or ended. One that has none is available, unavailable, or has been skipped
// because newer freight was promoted.
const (
	PlaceOpen        Place = "open"
	PlaceEnded       Place = "ended"
	PlaceAvailable   Place = "available"
	PlaceUnavailable Place = "unavailable"
	PlaceSkipped     Place = "skipped"
)

// HostedDeployment returns the deployment that lasts of a freight, or nil.
func (s *Snapshot) HostedDeployment(f FreightID) *Deployment {
	for i := range s.Deployments {
		if s.Deployments[i].Freight == f && !s.Deployments[i].Ended() {
			return &s.Deployments[i]
		}
	}
	return nil
}

// NewestOf returns the newest promotion of a freight, or nil.
func (s *Snapshot) NewestOf(f FreightID) *Promotion {
	for i := range slices.Backward(s.Promotions) {
		if s.Promotions[i].Freight.ID == f {
			return &s.Promotions[i]
		}
	}
	return nil
}

// Link is where on GitHub a promotion can be seen: its pull request, or its commit if it has none, or the run of its
// workflow; zero while there is none of them.
type Link struct{ What, URL string }

// The targets of a link.
const (
	OnPull   = "pull request"
	OnCommit = "commit"
	OnRun    = "run"
)

// Link returns where a promotion, or its present step, can be seen.
func (s *Snapshot) Link(n Number) Link { return s.Attempt(n).Link() }

// Link returns the address of the result of a promotion.
func (a Attempt) Link() Link {
	switch {
	case a.Made.URL == "":
		return Link{}
	case a.Pull == 0 && a.Made.Base == a.Made.Head: // nothing was written
		return Link{OnRun, a.Made.URL}
	case a.Pull == 0:
		return Link{OnCommit, a.Made.URL}
	}
	return Link{OnPull, a.Made.URL}
}

// Delay says what the work of a promotion waits for where nothing of its pipeline is in its way. The zero value: it
// waits for nothing.
type Delay struct {
	Content bool      // for room among the pull requests and comments that its account may make
	Shut    bool      // for GitHub, which refuses or does not answer all that is asked about its account
	Until   time.Time // when that is expected to end
}
