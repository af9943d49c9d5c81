package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"time"
)

// breakRules breaks every rule whose name contains a word, one after the other, and prints which tests failed. It
// returns how many were broken without a failure, and how many were tried.
func breakRules(word string, seeds int) (survivors, tried int, err error) {
	for _, r := range rules {
		if !strings.Contains(r.name, word) {
			continue
		}
		tried++
		begun := time.Now()
		by, err := r.noticedBy(seeds)
		if err != nil {
			return survivors, tried, err
		}
		if by == "" {
			survivors++
			by = "NOBODY"
		}
		fmt.Printf("%-62s noticed by %-12s %s\n", r.name, by, time.Since(begun).Round(time.Second))
	}
	return survivors, tried, nil
}

// patience is ten times as long as the tests take. A timeout counts as a failure, and a slow machine must not cause
// one.
const patience = 10 * time.Minute

// noticedBy names the tests that fail if the rule is broken: the stories, or else the torture; "" if all pass.
func (r rule) noticedBy(seeds int) (string, error) {
	source, err := os.ReadFile(r.file)
	if err != nil {
		return "", err
	}
	if n := bytes.Count(source, []byte(r.old)); n != 1 {
		return "", fmt.Errorf("%s: the text to be changed stands %d times in %s, and not once", r.name, n, r.file)
	}
	o, err := lay(r.file, bytes.Replace(source, []byte(r.old), []byte(r.new), 1))
	if err != nil {
		return "", err
	}
	defer o.remove()
	if out, ok := o.builds(); !ok {
		return "", fmt.Errorf("%s: does not compile:\n%s", r.name, out)
	}
	switch {
	case o.noticed(patience, nil, "./internal/story"),
		o.noticed(patience, nil, "./promotion/...", "./internal/story/core", "-rapid.nofailfile"):
		return "the stories", nil
	case o.noticed(2*patience, []string{fmt.Sprintf("WAYBILL_SEEDS=%d", seeds)}, "-run", "TestTorture",
		"./internal/torture"):
		return "the torture", nil
	}
	return "", nil
}
