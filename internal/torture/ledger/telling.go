package ledger

import (
	"fmt"
	"strings"
)

// Telling is a history as a story: steps in the notation, and prose for those that the notation cannot express.
type Telling struct {
	Pipeline, Policy string // at the beginning
	files            []string
	steps            []string
}

// Happening adds a step.
func (t *Telling) Happening(format string, args ...any) {
	t.steps = append(t.steps, "> "+fmt.Sprintf(format, args...))
}

// Prose adds a step that the notation cannot express.
func (t *Telling) Prose(format string, args ...any) {
	t.steps = append(t.steps, fmt.Sprintf(format, args...))
}

// file adds a file and returns its name in the archive.
func (t *Telling) file(kind, text string) string {
	name := fmt.Sprintf("%s-%d.yml", kind, len(t.files)+1)
	t.files = append(t.files, fmt.Sprintf("-- %s --\n%s", name, text))
	return name
}

// Archive prints the story without the consequences of its steps; waybill simulate --print adds them.
func (t *Telling) Archive(f *Failure, seed uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "It must not happen that this is broken: %s (torture seed %d).\n", f.Rule, seed)
	fmt.Fprintf(&b, "-- .github/waybill.yml --\n%s-- .github/waybill.policy.yml --\n%s%s", t.Pipeline, t.Policy,
		strings.Join(t.files, ""))
	fmt.Fprintf(&b, "-- story --\n%s\n", strings.Join(t.steps, "\n"))
	return b.String()
}
