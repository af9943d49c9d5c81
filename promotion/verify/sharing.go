package verify

import "waybill/promotion"

// Sharing knows which matchers the same runs would match.
type Sharing struct{ askers *askers }

// SharingOf looks at all matchers of a pipeline.
func SharingOf(p *promotion.Pipeline) Sharing {
	var all []Asker
	for _, stage := range p.Stages {
		for _, of := range p.Subjects(stage) {
			for i := range of.Verify {
				all = append(all, Asker{Stage: stage.Name, Target: of.Name, On: of.On, Matcher: &of.Verify[i]})
			}
		}
	}
	return SharingAmong(all)
}

// SharingAmong looks at matchers of any pipelines.
func SharingAmong(all []Asker) Sharing { return Sharing{arrange(all)} }

// Shares reports whether another stage on the same branch, or another target of the stage, is verified by a matcher
// that the same runs would match. Then runs count on the merge commit only (semantics 7.1).
func (s Sharing) Shares(of *Asker) bool {
	return s.askers.anyOverlaps(of.Matcher, func(a *Asker) bool { return a.On == of.On && !a.is(of) })
}

// Common reports whether a stage of another pipeline on the same branch is verified by such a matcher.
func (s Sharing) Common(of *Asker) bool {
	return s.askers.anyOverlaps(of.Matcher, func(a *Asker) bool { return a.On == of.On && a.Pipeline != of.Pipeline })
}
