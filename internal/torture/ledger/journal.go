package ledger

import (
	"fmt"
	"time"
)

// Journal writes down what happens in a history, and the first invariant that does not hold.
type Journal struct {
	Verbose bool
	Steps   int    // of the schedule
	Acting  string // the act that is going on
	Trace   []string
	Told    Telling
	Failure *Failure
}

// Failure is an invariant that does not hold.
type Failure struct {
	Rule string
	Text string
	Act  string // after which
	Step int
}

// Error says what does not hold.
func (f *Failure) Error() string {
	return fmt.Sprintf("%s: %s (after %s, step %d)", f.Rule, f.Text, f.Act, f.Step)
}

// Note adds a line to the trace.
func (l *Journal) Note(format string, args ...any) {
	if l.Verbose {
		l.Trace = append(l.Trace, fmt.Sprintf("%s %s", time.Now().Format("02 15:04:05.000"), fmt.Sprintf(format, args...)))
	}
}

// Broken records that an invariant does not hold. Only the first counts.
func (l *Journal) Broken(rule, format string, args ...any) {
	if l.Failure == nil {
		l.Failure = &Failure{Rule: rule, Text: fmt.Sprintf(format, args...), Act: l.Acting, Step: l.Steps}
		l.Note("BROKEN %v", l.Failure)
	}
}
