package core

import (
	"fmt"

	"waybill/internal/story"
	"waybill/promotion"
)

// why answers where a freight stands in a stage, or without one what the stage's promotions wait for.
func (w *World) why(h story.Happening) ([]story.Line, error) {
	stage := w.Pipeline().Stage(h.Stage)
	if stage == nil {
		return nil, fmt.Errorf("there is no stage %s", h.Stage)
	}
	s := w.snapshot(stage, false)
	if h.Freight == "" {
		var lines []story.Line
		for _, at := range promotion.Waits(s, w.now) {
			if at.Promotion.State != promotion.Verifying {
				lines = append(lines, w.standing(stage, at))
			}
		}
		return lines, nil
	}
	for _, f := range s.Freight {
		if f.Name == h.Freight {
			return []story.Line{w.standing(stage, promotion.Why(s, f.ID, w.now))}, nil
		}
	}
	return nil, fmt.Errorf("%s has no freight %s", h.Stage, h.Freight)
}

// standing tells where a freight stands: what its promotion waits for, or else whether it is available.
func (w *World) standing(stage *promotion.Stage, at promotion.Standing) story.Line {
	line := story.Line{At: w.now, Where: story.Where{Stage: stage.Name}, Freight: at.Name, Reason: at.Reason}
	p := at.Promotion
	switch {
	case p == nil:
		line.Act.Word = string(at.Place)
	case p.State.Ended() || p.State == promotion.Verifying || at.Reason.IsZero():
		line.Act.Word, line.Reason = availability(at.Lacks), at.Lacks
	default:
		line.Promotion, line.Class = p.Number, p.Class
		line.Act.Word = "waits"
		if at.Until.After(w.now) {
			line.Act.Args = []string{story.ShortDuration(at.Until.Sub(w.now))}
		}
	}
	return line
}

// availability says in a word whether freight that has had its promotion is available.
func availability(lacks promotion.Reason) string {
	if lacks.IsZero() {
		return string(promotion.PlaceAvailable)
	}
	return string(promotion.PlaceUnavailable)
}
