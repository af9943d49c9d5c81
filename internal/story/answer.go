package story

import (
	"fmt"
	"time"

	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/promotion/gate"
	"waybill/promotion/say"
)

// Answer answers a question. For a `guard` it reports whether a person's pull request that changes the given files has
// to wait. For a `why` with freight it reports the status of that freight in the snapshot's stage, and without freight
// the reason why each promotion of the stage waits.
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

// ruling returns the line for a guard check of a stage.
func ruling(stage *promotion.Stage, r say.GuardCheck, now time.Time) Line {
	line := Line{At: now, Where: Where{Stage: stage.Name}, Reason: r.Reason, Act: Act{Word: "passes"}}
	if r.Waits {
		line.Act.Word = "waits"
	}
	return line
}

// standing returns the line for the status of freight in a stage: the reason why its promotion waits, or else whether
// the freight is available.
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
			line.Act.Args = []string{promotion.Brief(at.Until.Sub(now))}
		}
	}
	return line
}

// availability returns "available" if the freight lacks nothing, else "unavailable".
func availability(lacks promotion.Reason) string {
	if lacks.IsZero() {
		return string(promotion.PlaceAvailable)
	}
	return string(promotion.PlaceUnavailable)
}
