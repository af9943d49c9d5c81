package ledger

import (
	"fmt"
	"time"
)

// Journal records the events of a history, and the first invariant that does not hold.
type Journal struct {
	Verbose bool
	Steps   int    // of the schedule
	Acting  string // the current act
	Trace   []string
	Told    Telling
	Failure *Failure
}

// Failure is an invariant that does not hold.
type Failure struct {
	Rule string
	Text string
	Act  string // the current act when it was found
	Step int
}

// Error describes the violation.
func (f *Failure) Error() string {
	return fmt.Sprintf("%s: %s (after %s, step %d)", f.Rule, f.Text, f.Act, f.Step)
}

// Note adds a line to the trace.
func (l *Journal) Note(format string, args ...any) {
	if l.Verbose {
		l.Trace = append(l.Trace, fmt.Sprintf("%s %s", time.Now().Format("02 15:04:05.000"), fmt.Sprintf(format, args...)))
	}
}

// Broken records that an invariant does not hold. Only the first call counts.
func (l *Journal) Broken(rule, format string, args ...any) {
	if l.Failure == nil {
		l.Failure = &Failure{Rule: rule, Text: fmt.Sprintf(format, args...), Act: l.Acting, Step: l.Steps}
		l.Note("BROKEN %v", l.Failure)
	}
}

// The invariants that the parts of the torture check themselves while they run.
const (
	GitHubIsAsked       = "GitHub gets only requests that it can answer"
	SlackIsAsked        = "Slack gets only requests that it can answer"
	PeopleCanWork       = "people can do what they do"
	CICanReport         = "CI can report"
	GitHubCanBeSeen     = "GitHub can be read"
	DatabaseCanBeRead   = "the database can be read"
	DatabaseCanBeClosed = "the database can be closed"
	Starts              = "the program starts"
	NoPanic             = "no step panics"
	IsWrittenDown       = "every step can be written down"
	ComesToRest         = "the program comes to rest within 10,000 steps of each process, or 20,000 on a bad day of GitHub"
	IsIsolated          = "nothing of one installation waits for another"
	IsTakenIn           = "a signed request is taken in, whoever else holds the door"
	APIAnswers          = "the API answers"
	CommandIsAnswered   = "every command over the API has its answer"
	ResyncTakesPlace    = "a requested resync takes place"
	TrailIsWhole        = "the audit trail is as it was written, and has a line about each promotion"
)

// Noticed lists the invariants that the parts of the torture report themselves. Package invariant has all others.
var Noticed = []string{
	GitHubIsAsked, SlackIsAsked, PeopleCanWork, CICanReport, GitHubCanBeSeen, DatabaseCanBeRead, DatabaseCanBeClosed,
	Starts, NoPanic, IsWrittenDown, ComesToRest, IsIsolated, IsTakenIn, APIAnswers, CommandIsAnswered, ResyncTakesPlace,
	TrailIsWhole,
}
