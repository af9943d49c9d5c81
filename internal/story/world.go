package story

import (
	"context"
	"time"

	"waybill/promotion"
)

// World is where a story is played: the decision core with everything around it in memory, or the whole program.
type World interface {
	// Do makes one thing happen, lets everything come to rest and returns what was decided meanwhile, in order. Promotions
	// in the happening carry the world's own numbers. An error means that this cannot happen here.
	Do(ctx context.Context, h Happening) ([]Line, error)
	// Now is the time in the world.
	Now() time.Time
	// Pipeline is the pipeline as it is now; its order of stages is the order of what is printed.
	Pipeline() *promotion.Pipeline
}

// Line is one thing that was decided or done, as a world knows it.
type Line struct {
	At        time.Time
	Where     Where
	Promotion promotion.Number // the world's own number; 0 when it is about no promotion
	Freight   string           // of the promotion, or of an event about freight
	Class     promotion.Class  // of the promotion
	Act       Act
	Merged    bool // the act is a state, entered by a merge commit
	Reason    promotion.Reason
}

// Where is where something happens: one of its fields is set. A Line whose Where is empty happens to every stage of the
// pipeline.
type Where struct {
	Stage     promotion.StageName
	Warehouse promotion.WarehouseName
	Pull      Pull
	Slack     bool
}

// EntryLine returns what an entry of a decision's log tells; p is the promotion that it is about, if any.
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
