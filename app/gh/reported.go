package gh

import (
	"context"
	"slices"
	"strings"

	"waybill/promotion"
)

// Names returns the names of the check runs, or of the commit statuses, on the newest commits of a branch, in their
// order. Those of Waybill are left out. Of a commit with more than one query shows it knows the first.
func (sg Signals) Names(ctx context.Context, branch string, kind promotion.SignalKind) ([]string, error) {
	var names []string
	err := sg.eachShown(ctx, branch, kind == promotion.KindCheck, kind == promotion.KindStatus,
		func(commit shownCommit) error {
			names = append(names, commit.names()...)
			return nil
		})
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, promotion.OwnCheck) })
	slices.Sort(names)
	return slices.Compact(names), sg.c.wrong(err, "read the names of %ss on %s", kind, branch)
}

// names returns the names that have reported on a commit.
func (c *shownCommit) names() (all []string) {
	if c.Status != nil {
		for _, one := range c.Status.Contexts {
			all = append(all, one.Context)
		}
	}
	for _, suite := range c.CheckSuites.Nodes {
		for _, run := range suite.CheckRuns.Nodes {
			all = append(all, run.Name)
		}
	}
	return all
}
