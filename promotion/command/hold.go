package command

import (
	"strings"
	"time"

	"waybill/promotion"
)

// HoldNamed returns what an unhold names: all stages, one, or one target or warehouse of it.
func HoldNamed(c promotion.Command, s *promotion.Stage) promotion.Hold {
	of := promotion.Hold{Stage: c.Stage, Target: c.Target}
	if of.Stage != "" {
		of.Warehouse = WarehouseIn(s.From, c.Rest)
	}
	return of
}

// HoldMeant returns the hold of a stage, of a target or warehouse of it, or of the whole pipeline, that a request of a
// person means. It is read leniently: what cannot be understood is a reason. A time that it says on a clock is of the
// zone of the pipeline, and later than the request: it may be over by now.
func HoldMeant(r promotion.Request, s *promotion.Stage, zone *time.Location, now time.Time) promotion.Hold {
	c := r.Command
	h := promotion.Hold{Stage: c.Stage, Target: c.Target, By: r.By}
	var from []promotion.Source
	switch {
	case c.Target != "" && s.Target(c.Target) == nil: // the whole stage
		h.Target, c.Rest = "", strings.TrimSpace(string(c.Target)+" "+c.Rest)
	case c.Target == "" && c.Stage != "":
		from = s.From
	}
	l, ok := limitsOf(c.Rest, from)
	until, comes := l.until(r.At, zone, now)
	h.Text = strings.TrimSpace(c.Text + " " + l.why)
	if !ok || !comes || c.For > 0 && !until.IsZero() {
		l, until, h.Text = limits{}, time.Time{}, strings.TrimSpace(c.Rest+" "+c.Text)
	}
	if c.For > 0 {
		until = now.Add(c.For)
	}
	h.Warehouse, h.Until = l.warehouse, until
	return h
}

// ByClock reports whether a hold ends at a time that its command said on a clock.
func ByClock(c promotion.Command, h promotion.Hold) bool {
	said, _ := because(c.Rest)
	return !h.Until.IsZero() && c.For == 0 && strings.Contains(" "+strings.ToLower(said), " until ")
}

// because returns the words before the word "because", and those behind it, which are a reason as with --because.
func because(words string) (said, why string) {
	before, why, is := strings.Cut(" "+words, " because ")
	if !is {
		return words, ""
	}
	return strings.TrimSpace(before), why
}

// limits say what a hold is of, and for how long.
type limits struct {
	warehouse promotion.WarehouseName // whose freight it stops; empty: all freight
	lasts     time.Duration           // 0: nothing is said of that
	ends      *clock                  // nil: nothing is said of that
	why       string
}

// limitsOf reads the words behind the place that a person holds: one of these warehouses, a time (`for 2h`,
// `until monday 9am`), or first the one and then the other, and then perhaps `because` and a reason. It returns false
// if they say anything else. Then they are the reason of a hold without end that stops all freight: who wants a stop
// gets the wider one.
func limitsOf(words string, from []promotion.Source) (l limits, ok bool) {
	words, l.why = because(words)
	first, rest, _ := strings.Cut(words, " ")
	if l.warehouse = WarehouseIn(from, first); l.warehouse != "" {
		words = rest
	}
	if words == "" {
		return l, true
	}
	if l.lasts, ok = holdSpan(words); ok {
		return l, true
	}
	ends, ok := untilClock(words)
	l.ends = &ends
	return l, ok
}

// until returns when a hold ends that a person asked for at a time; the zero time if nothing is said of that, and false
// if that time never comes.
func (l limits) until(given time.Time, zone *time.Location, now time.Time) (t time.Time, comes bool) {
	switch {
	case l.lasts > 0:
		return now.Add(l.lasts), true
	case l.ends == nil:
		return t, true
	case zone == nil:
		zone = time.UTC
	}
	return l.ends.after(given, zone)
}

// WarehouseIn returns the warehouse that a person means by a word, in any case of letters; empty if there is none of
// that name, or several.
func WarehouseIn(from []promotion.Source, word string) (found promotion.WarehouseName) {
	for _, source := range from {
		switch {
		case string(source.Warehouse) == word:
			return source.Warehouse
		case !strings.EqualFold(string(source.Warehouse), word):
		case found != "":
			return ""
		default:
			found = source.Warehouse
		}
	}
	return found
}
