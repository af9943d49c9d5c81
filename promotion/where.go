package promotion

import "time"

// How far a commit has come. Freight of a pull request is where it was promoted to, and also where newer freight was promoted to
// that has its commit among its ancestors.

// Host is freight that a stage hosts.
type Host struct {
	Freight Freight
	Stay    Stay
}

// HostsOf returns what a stage hosts of a repository: freight whose commit may have one of there among its ancestors.
func (s *Snapshot) HostsOf(repo Repo) (all []Host) {
	for i := range s.Stays {
		f := s.freight(s.Stays[i].Freight)
		if f >= 0 && !s.Stays[i].Ended() && s.Freight[f].Repo == repo {
			all = append(all, Host{s.Freight[f], s.Stays[i]})
		}
	}
	return all
}

// WhereHead is the head of a table of WhereRows, and of the others below.
var WhereHead = []string{"Stage", "Where it stands", "Since", "Why"}

// WhereRow says in one line how far a freight has come in a stage.
func WhereRow(s *Snapshot, f FreightID, now time.Time) []string {
	at := Why(s, f, now)
	var since time.Time
	if p := at.Promotion; p != nil {
		since = p.Queued
		if p.State.Ended() {
			since = p.Ended
		}
	}
	word := at.word()
	if s.hostedStay(f) != nil {
		word += ", there now"
	}
	return []string{string(s.Stage.Name), word, moment(since), at.Reason.Sentence()}
}

// WithinRow says in one line that a commit is in a stage, with freight that has come after it.
func WithinRow(s *Snapshot, in Host) []string {
	return []string{string(s.Stage.Name), "there now, in " + in.Freight.Name + ", " + s.judged(&in.Stay), moment(in.Stay.Entered), in.Stay.Cause.Sentence()}
}

// WithoutRow says in one line that a commit, of which there is no freight, is not in a stage, and what is.
func WithoutRow(s *Snapshot, instead []Host) []string {
	why := "nothing of its repository is there"
	for i, h := range instead {
		if why += " and " + h.Freight.Name; i == 0 {
			why = "it has " + h.Freight.Name
		}
	}
	return []string{string(s.Stage.Name), "not there", "", why}
}
