package config

import (
	"slices"

	"waybill/promotion"
)

// compileVerify works out which signals verify a place.
func compileVerify(b blanks) {
	p := b.place
	for i, m := range p.stage.file.value.verify.value {
		if !m.good() {
			continue
		}
		r := p.reader.key("verify").element(i)
		compiled, ok := compileMatcher(b, r, m)
		if slices.ContainsFunc(p.Verify, func(o promotion.Matcher) bool { return sameSignal(o, compiled) }) {
			r.errorf(m.at, "%s is listed twice; remove one", quote(compiled.Pattern))
		}
		if ok {
			p.Verify = append(p.Verify, compiled)
			p.stage.matchersAt = append(p.stage.matchersAt, m.at)
		}
	}
}

func sameSignal(a, b promotion.Matcher) bool {
	return a.Kind == b.Kind && a.Pattern == b.Pattern && a.App == b.App
}

func compileMatcher(b blanks, r *reader, m found[matcherFile]) (promotion.Matcher, bool) {
	kind, name := m.value.signal()
	if kind != promotion.KindCheck && m.value.app.given() {
		r.errorf(m.value.app.key, "`app` is only for checks; remove it")
	}
	pattern, ok := b.name(r, name.at, name.value)
	compiled := promotion.Matcher{
		Kind:    kind,
		Pattern: pattern,
		Timeout: m.value.timeout.or(defaultTimeout),
		Missing: m.value.missing.or(promotion.LackHolds),
		Skipped: m.value.skipped.or(promotion.LackHolds),
	}
	compiled.Appear = m.value.appear.or(min(defaultAppear, compiled.Timeout))
	if kind == promotion.KindCheck {
		compiled.App = m.value.app.or(defaultApp)
	}
	if compiled.Appear > compiled.Timeout {
		r.errorf(m.value.appear.at,
			"the first signal may not appear later (%s) than the verdict must be there (%s); raise `timeout` or lower `appear`",
			promotion.Brief(compiled.Appear), promotion.Brief(compiled.Timeout))
	}
	return compiled, ok
}

// signal returns the kind of signal that a matcher names, and the pattern of its name.
func (m matcherFile) signal() (promotion.SignalKind, found[string]) {
	switch {
	case m.status.given():
		return promotion.KindStatus, m.status
	case m.deployment.given():
		return promotion.KindDeployment, m.deployment
	}
	return promotion.KindCheck, m.check
}

// maxComparisons bounds the search for shared matchers. Who has more of them misses warnings, nothing else.
const maxComparisons = 1_000_000

// sharedMatchers warns where two stages wait for the same signals: those of later commits on the branch could belong to
// either, so only those of the merge itself count.
func sharedMatchers(stages graph) {
	comparisons := 0
	matchers, on := make([][]promotion.Matcher, len(stages.all)), make([][]promotion.Branch, len(stages.all))
	for i, s := range stages.all {
		matchers[i], on[i] = s.Verify(), stages.pipeline.BranchesOf(s.Stage)
		for j := range matchers[i] {
			for k, earlier := range stages.all[:i] {
				if !anyShared(on[k], on[i]) {
					continue
				}
				if comparisons += len(matchers[k]); comparisons > maxComparisons {
					return
				}
				if pattern, shared := overlapping(matchers[k], matchers[i][j]); shared {
					s.reader.key("verify").warnf(s.matchersAt[j], "stage %s waits for signals named %s too, so for both only those "+
						"of the merge commit itself count, none of later commits; give the checks of each stage a name of their own",
						earlier.Name, quote(pattern))
					break
				}
			}
		}
	}
}

// overlapping returns the pattern of a matcher that the same signals could match.
func overlapping(others []promotion.Matcher, m promotion.Matcher) (string, bool) {
	for _, o := range others {
		if o.Kind == m.Kind && (promotion.Match(o.Pattern, m.Pattern) || promotion.Match(m.Pattern, o.Pattern)) {
			return o.Pattern, true
		}
	}
	return "", false
}
