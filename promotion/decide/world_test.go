package decide

import (
	"fmt"
	"strings"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

// Short names of the fixtures.
var (
	noon = fixture.Noon
	ann  = fixture.Ann
	bob  = fixture.Bob

	devPipeline = fixture.DevPipeline
	clusters    = fixture.Clusters
	freightNo   = fixture.FreightNo
	inState     = fixture.InState
	hear        = fixture.Hear
	smokeRun    = fixture.SmokeRun
	oneStep     = fixture.OneStep
	onePart     = fixture.OneResult

	soaked  = fixture.Soaked
	fresh   = fixture.Fresh
	fresher = fixture.Fresher
	bad     = fixture.Bad
)

// told prints a decision as one line.
func told(d promotion.Decision) string {
	var lines []string
	for _, e := range d.Log {
		switch {
		case e.Event != "":
			lines = append(lines, string(e.Event))
		case e.Class != "":
			lines = append(lines, fmt.Sprintf("p%d %s", e.Promotion, e.Class))
		default:
			lines = append(lines, fmt.Sprintf("p%d %s%s", e.Promotion, e.State, because(e.Reason)))
		}
	}
	for _, e := range append(append([]promotion.Effect(nil), d.Effects...), d.Wanted...) {
		switch e.Verb {
		case promotion.Reply:
			lines = append(lines, "reply "+e.Outcome)
		case promotion.Tell:
			lines = append(lines, "tell "+e.Outcome)
		default:
			lines = append(lines, fmt.Sprintf("%s p%d", e.Verb, e.Promotion))
		}
	}
	return strings.Join(lines, ", ")
}

// because returns a reason as a suffix; "" without a reason.
func because(r promotion.Reason) string {
	if r.IsZero() {
		return ""
	}
	return " because " + r.String()
}
