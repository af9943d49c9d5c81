package story

import (
	"fmt"
	"time"
	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/promotion/gate"
	"waybill/promotion/say"
)

// Answer answers a `guard`: whether a pull request of people's that changes some files has to wait. Or a `why`: where a
// freight stands in the snapshot's stage, or without one what the stage's promotions wait for.
func Answer(s *promotion.Snapshot, h Happening, now time.Time) ([]Line, error) {
	if h.Kind == Guard {
		c := promotion.Candidate{Files: h.Paths}
		waits := gate.KeeperOf(s, now).MergeWaits(c)
		return []Line{ruling(s.Stage, say.Guard(s.Pipeline, s.Stage, c, waits), now)}, nil
	}
	if h.Freight == "" {
		var lines []Line
		for _, at := range decide.Waits(s, now) {
			if at.Promotion.State != promotion.Verifying {
				lines = append(lines, standing(s.Stage, at, now))
			}
		}
		return lines, nil
	}
	for _, f := range s.Freight {
		if f.Name == h.Freight {
			return []Line{standing(s.Stage, decide.Why(s, f.ID, now), now)}, nil
		}
	}
	return nil, fmt.Errorf("%s has no freight %s", h.Stage, h.Freight)
}

// ruling tells what the guard of a stage says.
func ruling(stage *promotion.Stage, r say.GuardCheck, now time.Time) Line {
	line := Line{At: now, Where: Where{Stage: stage.Name}, Reason: r.Reason, Act: Act{Word: "passes"}}
	if r.Waits {
		line.Act.Word = "waits"
	}
	return line
}

// standing tells where a freight stands: what its promotion waits for, or else whether it is available.
func standing(stage *promotion.Stage, at promotion.FreightStatus, now time.Time) Line {
	line := Line{At: now, Where: Where{Stage: stage.Name}, Freight: at.Name, Reason: at.Reason}
	p := at.Promotion
	switch {
	case p == nil:
		line.Act.Word = string(at.Place)
	case p.State.Ended() || p.State == promotion.Verifying || at.Reason.IsZero():
		line.Act.Word, line.Reason = availability(at.Lacks), at.Lacks
	default:
		line.Promotion, line.Class = p.Number, p.Class
		line.Act.Word = "waits"
		if at.Until.After(now) {
			line.Act.Args = []string{ShortDuration(at.Until.Sub(now))}
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
