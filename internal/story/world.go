package story

import (
	"context"
	"time"

	"waybill/promotion"
)

// World plays happenings. One implementation is the decision core with its surroundings in memory; the other is the
// whole program.
type World interface {
	// Do plays one happening, runs everything to rest and returns the lines decided meanwhile, in order. Promotions in the
	// happening carry the world's own numbers. Do returns an error if the happening is impossible in this world.
	Do(ctx context.Context, h Happening) ([]Line, error)
	// Now returns the time in the world.
	Now() time.Time
	// Pipeline returns the current pipeline. The output follows its order of stages.
	Pipeline() *promotion.Pipeline
}

// Line is one decision or effect, with the world's own numbers and names.
type Line struct {
	At        time.Time
	Where     Where
	Promotion promotion.Number // the world's own number; 0 without a promotion
	Freight   string           // of the promotion, or of an event about freight
	Class     promotion.Class  // of the promotion
	Act       Act
	Merged    bool // the act is a state that a merge commit brought about
	Reason    promotion.Reason
}

// Where is the place of a Line. At most one field is set. A Line with an empty Where applies to every stage of the
// pipeline.
type Where struct {
	Stage     promotion.StageName
	Warehouse promotion.WarehouseName
	Pull      Pull
	Slack     bool
}

// EntryLine returns the line for an entry of a decision's log. p is the promotion of the entry, if it has one.
func EntryLine(e promotion.Entry, p promotion.Promotion) Line {
	l := Line{
		At: e.At, Where: Where{Stage: e.Stage}, Promotion: e.Promotion, Freight: p.Freight.Name, Class: p.Class,
		Merged: e.SHA != "", Reason: e.Reason,
	}
	switch {
	case e.Event != "":
		l.Act = Act{Word: string(e.Event)}
		l.Freight = e.Freight
	case e.Class != "":
		l.Act = Act{Word: string(e.Class)}
	default:
		l.Act = Act{Word: string(e.State)}
	}
	return l
}
