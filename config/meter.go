package config

import "fmt"

// Budget is how much reading the files of one pipeline may cost, whatever they say. It is counted, not timed, so that
// the same files are accepted or refused on every machine. docs/limits.md has what a budget costs at worst.
type Budget struct {
	Values int // of all targets of all stages: targets, values, paths, names of checks
	Steps  int // of comparing globs and patterns with paths and names, about a star or a name each
	Bytes  int // of texts in which ${...} is replaced, and of paths that globs find
	Nodes  int // values that the files have, counting aliases with what they stand for
}

// ProposedBytes is how many bytes the files have at most that anybody may propose, and that are looked at for that;
// QuickBytes how many those have for which the budget Quick takes 100 ms at most.
const (
	ProposedBytes = 64 << 10
	QuickBytes    = 16 << 10
)

// InForce is the budget of files that somebody with write access has pushed. Proposed is the budget of files that
// anybody may propose. Quick is what a worker has time for that took a webhook.
var (
	InForce  = Budget{Values: 1_000_000, Steps: 50_000_000, Bytes: 256 << 20, Nodes: maxNodesInForce}
	Proposed = Budget{Values: 20_000, Steps: 5_000_000, Bytes: 8 << 20, Nodes: maxNodes}
	Quick    = Budget{Values: 5_000, Steps: 500_000, Bytes: 1 << 20, Nodes: 2_000}
)

// Meter counts what has been spent of a budget. The zero value has the budget InForce.
type Meter struct {
	Budget Budget
	Spent  Budget
	full   bool // the files have too many values, or for-each makes too much of them
}

// budget returns what the meter lets be spent.
func (m *Meter) budget() Budget {
	if m.Budget == (Budget{}) {
		m.Budget = InForce
	}
	return m.Budget
}

// spend counts a cost, and returns what there is too much of, or "".
func (m *Meter) spend(cost Budget) string {
	m.budget()
	m.Spent.Values += cost.Values
	m.Spent.Steps += cost.Steps
	m.Spent.Bytes += cost.Bytes
	switch {
	case m.Spent.Values > m.Budget.Values:
		return fmt.Sprintf("the targets of all stages together have more than %d values, paths and names of checks",
			m.Budget.Values)
	case m.Spent.Steps > m.Budget.Steps:
		return fmt.Sprintf("comparing globs and patterns with paths and names takes more than %d steps", m.Budget.Steps)
	case m.Spent.Bytes > m.Budget.Bytes:
		return fmt.Sprintf("what globs find, and texts with ${...} replaced, have more than %d bytes", m.Budget.Bytes)
	}
	return ""
}

// items returns how many values the entries of all items of for-each may make: that is told before they are read.
func (m *Meter) items() int { return min(maxNodesInForce, m.budget().Values) }

// reader returns a reader of files that have no more values than the budget.
func (m *Meter) reader(to *report) *reader { return newReaderOf(to, m.budget().Nodes) }

// count counts the values that a reader has looked at.
func (m *Meter) count(r *reader) {
	m.Spent.Nodes += r.most - *r.nodes
	m.full = m.full || *r.nodes <= 0
}

// Over reports whether something has cost more than the budget.
func (m *Meter) Over() bool {
	return m.full || m.Spent.Values > m.Budget.Values || m.Spent.Steps > m.Budget.Steps || m.Spent.Bytes > m.Budget.Bytes
}

// TooMuchOfOwner returns the problem of files whose values and those of the owner's other pipelines are together more
// than most.
func TooMuchOfOwner(owner string, values, others, most int) Problem {
	return Problem{File: PipelinePath, Line: 1, Col: 1, Message: fmt.Sprintf(
		"the pipelines of %s together have more than %d values, paths and names of checks: this one has %d, the others %d%s",
		owner, most, values, others, cheaper)}
}

const cheaper = "; use fewer stages, targets, values or globs, or shorter ones"

// allowance is what the files of one pipeline may still cost.
type allowance struct {
	meter *Meter
	spent bool // nothing is left, which has been told
}

// pay counts a cost, and reports whether the budget has it. Only the first that it has not is a problem: all that
// follow would say the same.
func (a *allowance) pay(r *reader, at pos, cost Budget) bool {
	if a.spent {
		return false
	}
	why := a.meter.spend(cost)
	if why == "" {
		return true
	}
	a.spent = true
	r.errorf(at, "%s%s", why, cheaper)
	return false
}
