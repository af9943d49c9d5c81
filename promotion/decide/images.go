package decide

import (
	"time"
	"waybill/promotion"
)

// late is how long after its merge freight is waited for without a word: builds take their time.
const late = time.Hour

// incomplete returns why the i-th freight can go nowhere yet: which images it lacks; the zero reason if it has all.
func incomplete(s *promotion.Snapshot, i int, now time.Time) promotion.Reason {
	lacking := awaited(s, i)
	if len(lacking) == 0 {
		return promotion.Reason{}
	}
	why := promotion.Because(promotion.Incomplete, lacking...)
	if !now.Before(s.Freight[i].Merged.Add(late)) {
		return why.With("there is none after more than an hour; look at its build, or promote newer freight")
	}
	return why
}

func awaited(s *promotion.Snapshot, i int) []string {
	from := s.Pipeline.Warehouse(s.Freight[i].Warehouse)
	if from == nil || len(from.Images) == 0 {
		return nil
	}
	return from.Awaits(s.Freight[i])
}

// Overdue returns when freight of the snapshot began last to be late; the zero time if none is.
func Overdue(s *promotion.Snapshot, now time.Time) (last time.Time) {
	for i := range s.Freight {
		if at := s.Freight[i].Merged.Add(late); !at.After(now) && at.After(last) && len(awaited(s, i)) > 0 {
			last = at
		}
	}
	return last
}

// await has the stage looked at again when freight of its warehouses is late, so that people are told.
func (w *work) await() {
	for i := range w.Freight {
		if overdue := w.Freight[i].Merged.Add(late); overdue.After(w.now) && len(awaited(&w.Snapshot, i)) > 0 {
			w.wakeAt(overdue)
		}
	}
}
