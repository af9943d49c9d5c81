package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

// breakRules breaks every rule of a part whose name matches a pattern, one after the other, and prints which tests
// failed. It returns how many were broken without a failure, and how many were tried.
func breakRules(pattern string, seeds int, some *part) (survivors, tried int, err error) {
	called, err := regexp.Compile(pattern)
	if err != nil {
		return 0, 0, err
	}
	try := func(r rule, noticedBy func() (string, error)) error {
		if !called.MatchString(r.name) || !some.next() {
			return nil
		}
		tried++
		begun := time.Now()
		by, err := noticedBy()
		if err != nil {
			return err
		}
		if by == "" {
			survivors++
			by = "NOBODY"
		}
		fmt.Printf("%-62s noticed by %-12s %s\n", r.name, by, time.Since(begun).Round(time.Second))
		return nil
	}
	all := watchers(seeds)
	if err := unbroken(called, all); err != nil {
		return 0, 0, err
	}
	for _, r := range rules {
		if err := try(r, func() (string, error) { return r.noticedBy(all) }); err != nil {
			return survivors, tried, err
		}
	}
	for _, r := range tested {
		if err := try(r.rule, r.noticedByTest); err != nil {
			return survivors, tried, err
		}
	}
	return survivors, tried, nil
}

// unbroken runs the tests that will watch with no rule broken, and returns an error if some fail: they would notice
// everything.
func unbroken(called *regexp.Regexp, all []watcher) error {
	if !slices.ContainsFunc(rules, func(r rule) bool { return called.MatchString(r.name) }) {
		all = nil
	}
	for _, w := range all {
		if w.notices(overlay{}) {
			return fmt.Errorf("%s fail with no rule broken: mend that first", w.name)
		}
	}
	tests := map[string][]string{}
	for _, r := range tested {
		if called.MatchString(r.name) {
			tests[r.folder] = append(tests[r.folder], only(r.test))
		}
	}
	for folder, names := range tests {
		if (overlay{}).noticed(patience, nil, "-run", strings.Join(names, "|"), folder) {
			return fmt.Errorf("tests of %s fail with no rule broken: mend that first", folder)
		}
	}
	return nil
}

// noticedByTest returns the name of the rule's test if it fails once the rule is broken; "" if it passes.
func (r named) noticedByTest() (string, error) {
	o, err := r.lay()
	if err != nil {
		return "", err
	}
	defer o.remove()
	if o.noticed(patience, nil, "-run", only(r.test), r.folder) {
		return r.test, nil
	}
	return "", nil
}

// only is the pattern of go test for one test, or for one of its parts: "TestX/the part".
func only(test string) string { return "^" + strings.ReplaceAll(test, "/", "$/^") + "$" }

// patience is ten times as long as the tests take. A timeout counts as a failure, and a slow machine must not cause
// one.
const patience = 10 * time.Minute

// lay puts the file with the broken rule in the place of the original. The caller removes it.
func (r rule) lay() (overlay, error) {
	source, err := os.ReadFile(r.file)
	if err != nil {
		return overlay{}, err
	}
	if n := bytes.Count(source, []byte(r.old)); n != 1 {
		return overlay{}, fmt.Errorf("%s: the text to be changed stands %d times in %s, and not once", r.name, n, r.file)
	}
	o, err := lay(r.file, bytes.Replace(source, []byte(r.old), []byte(r.new), 1))
	if err != nil {
		return o, err
	}
	if out, ok := o.builds(); !ok {
		o.remove()
		return o, fmt.Errorf("%s: does not compile:\n%s", r.name, out)
	}
	return o, nil
}

// watcher is tests that may notice a broken rule.
type watcher struct {
	name     string
	patience time.Duration
	env      []string
	args     []string // of go test
}

// watchers are the tests that must notice a broken rule, the fast ones first. seeds is how many histories are played.
func watchers(seeds int) []watcher {
	stories := []string{"./internal/story", "./promotion/...", "./internal/story/core"}
	all := []watcher{{"the stories", patience, nil, stories}}
	if seeds > 0 {
		all = append(all, watcher{"the torture", 2 * patience, []string{fmt.Sprintf("WAYBILL_SEEDS=%d", seeds)},
			[]string{"-run", "TestTorture", "./internal/torture"}})
	}
	return all
}

// notices reports whether the tests fail with a changed file in place; the zero overlay changes none.
func (w watcher) notices(o overlay) bool { return o.noticed(w.patience, w.env, w.args...) }

// noticedBy names the first tests that fail if the rule is broken; "" if all pass.
func (r rule) noticedBy(all []watcher) (string, error) {
	o, err := r.lay()
	if err != nil {
		return "", err
	}
	defer o.remove()
	for _, w := range all {
		if w.notices(o) {
			return w.name, nil
		}
	}
	return "", nil
}
