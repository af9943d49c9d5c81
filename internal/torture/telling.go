package torture

import (
	"fmt"
	"strings"
)

// telling is a history as a story, as far as the notation can say it: what happened, and prose where it has no words.
type telling struct {
	pipeline, policy string // as they were in the beginning
	files            []string
	steps            []string
}

// happening adds a step.
func (t *telling) happening(format string, args ...any) {
	t.steps = append(t.steps, "> "+fmt.Sprintf(format, args...))
}

// prose adds what the notation has no word for.
func (t *telling) prose(format string, args ...any) {
	t.steps = append(t.steps, fmt.Sprintf(format, args...))
}

// file adds a file and returns its name in the archive.
func (t *telling) file(kind, text string) string {
	name := fmt.Sprintf("%s-%d.yml", kind, len(t.files)+1)
	t.files = append(t.files, fmt.Sprintf("-- %s --\n%s", name, text))
	return name
}

// archive prints the story. What follows from each happening is left out; waybill simulate --print fills it in.
func (t *telling) archive(f *Failure, seed uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "It must not happen that this is broken: %s (torture seed %d).\n", f.Rule, seed)
	fmt.Fprintf(&b, "-- .github/waybill.yml --\n%s-- .github/waybill.policy.yml --\n%s%s", t.pipeline, t.policy, strings.Join(t.files, ""))
	fmt.Fprintf(&b, "-- story --\n%s\n", strings.Join(t.steps, "\n"))
	return b.String()
}
