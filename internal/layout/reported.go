package layout

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// delivering matches the names of checks that say how a deployment went. A check `test` need not be about the stage
// test.
var delivering = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)deploy|apply|release|roll-?out|sync|smoke|e2e|verify|ship|argo|flux`)
})

// WithReported adds the checks that have reported on commits of the repository.
func (f Found) WithReported(all []Check) Found {
	f.reported = all
	return f
}

// Candidates returns what may verify a stage: the checks that have reported, and then the jobs that have not.
func (f Found) Candidates() []Check {
	all := slices.Clone(f.reported)
	for _, j := range f.jobs {
		if c := (Check{Name: j}); !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// Reported tells whether a check has reported.
func (f Found) Reported(c Check) bool {
	return slices.Contains(f.reported, Check{Name: c.Name, Status: c.Status})
}

// Checks returns the candidates that have the name of a stage in their own, and say how a deployment went. One that is
// named for a target is left out: the others would wait for it.
func (f Found) Checks(s Stage) (of []Check) {
	rank, _ := f.names.rank(s.Name)
	for _, c := range f.Candidates() {
		_, name, _, ok := f.names.within(strings.NewReplacer(" ", "-", "/", "-").Replace(c.Name))
		ofTarget := slices.ContainsFunc(s.Targets, func(target string) bool { return strings.Contains(c.Name, target) })
		if at, _ := f.names.rank(name); ok && at == rank && !ofTarget && delivering().MatchString(c.Name) {
			of = append(of, Check{Stage: s.Name, Name: c.Name, Status: c.Status})
		}
	}
	return of
}
