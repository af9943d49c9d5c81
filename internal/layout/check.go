package layout

import (
	"fmt"
	"strings"
)

// Check is a signal that verifies a stage.
type Check struct {
	Stage  string // empty: every stage
	Name   string
	Status bool // it is a commit status, not a check run
}

// Verifies reports whether the check verifies a stage.
func (c Check) Verifies(stage string) bool { return c.Stage == "" || c.Stage == stage }

// ParseCheck reads NAME, status:NAME, STAGE=NAME or STAGE=status:NAME.
func ParseCheck(written string) (Check, error) {
	var c Check
	name := written
	if stage, rest, of := strings.Cut(written, "="); of {
		c.Stage, name = stage, rest
	}
	c.Name, c.Status = strings.CutPrefix(name, "status:")
	if c.Name == "" || strings.ContainsAny(c.Name, "\n'") {
		return Check{}, fmt.Errorf("%q names no check: write NAME, STAGE=NAME or STAGE=status:NAME", written)
	}
	return c, nil
}

// String returns the check as ParseCheck reads it.
func (c Check) String() string {
	text := c.Name
	if c.Status {
		text = "status:" + text
	}
	if c.Stage != "" {
		text = c.Stage + "=" + text
	}
	return text
}

// matcher returns the check as a pipeline file has it.
func (c Check) matcher() string {
	if c.Status {
		return "{status: " + quoted(c.Name) + "}"
	}
	return quoted(c.Name)
}

// happening returns how a story tells that the check succeeds in a stage, or in a target of it.
func (c Check) happening(stage, target string) string {
	kind := "check"
	if c.Status {
		kind = "status"
	}
	name := strings.NewReplacer(targetName, target, "*", "x").Replace(c.Name)
	if strings.Contains(name, " ") {
		name = "'" + name + "'"
	}
	return fmt.Sprintf("> %s %s success on %s\n", kind, name, stage)
}
