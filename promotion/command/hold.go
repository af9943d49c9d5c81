package command

import (
	"strings"
	"time"

	"waybill/promotion"
)

// Limits say what a hold is of, and for how long.
type Limits struct {
	Warehouse promotion.WarehouseName // whose freight it stops; empty: all freight
	For       time.Duration           // 0: until it is lifted
}

// LimitsOf reads the words behind the place that a person holds: one of these warehouses, a time (`for 2h`), or first
// the one and then the other. It returns false if they say anything else. Then they are the reason of a hold without
// end that stops all freight: who wants a stop gets the wider one.
func LimitsOf(words string, from []promotion.Source) (l Limits, ok bool) {
	first, rest, _ := strings.Cut(words, " ")
	if l.Warehouse = WarehouseIn(from, first); l.Warehouse != "" {
		words = rest
	}
	if words == "" {
		return l, true
	}
	l.For, ok = holdSpan(words)
	return l, ok
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

// reasonOf returns the reason of a hold whose words behind the place say nothing else.
func reasonOf(c promotion.Command) string { return strings.TrimSpace(c.Rest + " " + c.Text) }

// HoldMeant returns the hold of a stage, of a target or warehouse of it, or of the whole pipeline, that a command of a
// person means at a time. It is read leniently: what cannot be understood is a reason.
func HoldMeant(c promotion.Command, s *promotion.Stage, now time.Time) promotion.Hold {
	h := promotion.Hold{Stage: c.Stage, Target: c.Target, Text: c.Text}
	var from []promotion.Source
	switch {
	case c.Target != "" && s.Target(c.Target) == nil: // the whole stage
		h.Target, c.Rest = "", strings.TrimSpace(string(c.Target)+" "+c.Rest)
	case c.Target == "" && c.Stage != "":
		from = s.From
	}
	l, ok := LimitsOf(c.Rest, from)
	if !ok || l.For > 0 && c.For > 0 {
		l, h.Text = Limits{}, reasonOf(c)
	}
	h.Warehouse = l.Warehouse
	if lasts := l.For + c.For; lasts > 0 {
		h.Until = now.Add(lasts)
	}
	return h
}
