package torture

import (
	"fmt"
	"time"
)

// Journal writes down what happens in a history, and the first invariant that does not hold.
type Journal struct {
	verbose bool
	steps   int    // of the schedule
	acting  string // the act that is going on
	trace   []string
	told    telling
	failure *Failure
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

// note adds a line to the trace.
func (l *Journal) note(format string, args ...any) {
	if l.verbose {
		l.trace = append(l.trace, fmt.Sprintf("%s %s", time.Now().Format("02 15:04:05.000"), fmt.Sprintf(format, args...)))
	}
}

// broken records that an invariant does not hold. Only the first counts.
func (l *Journal) broken(rule, format string, args ...any) {
	if l.failure == nil {
		l.failure = &Failure{Rule: rule, Text: fmt.Sprintf(format, args...), Act: l.acting, Step: l.steps}
		l.note("BROKEN %v", l.failure)
	}
}
