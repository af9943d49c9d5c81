package command

import (
	"strings"
	"time"
)

// clock is a time that people read off a clock: "monday 9am", "tomorrow 14:00", "2026-12-01 09:00", or only "14:00".
type clock struct {
	hour, minute int
	day          func(from time.Time) (days int, only bool) // until that day; nil: none is said
	date         time.Time                                  // the zero time: none is said
}

// untilClock reads words as the time at which a hold ends, if they say nothing else: "until monday 9am".
func untilClock(words string) (c clock, ok bool) {
	said := strings.Fields(strings.ToLower(words))
	if len(said) < 2 || said[0] != "until" {
		return c, false
	}
	said = said[1:]
	if date, err := time.Parse(time.DateOnly, said[0]); err == nil {
		c.date, said = date, said[1:]
	} else if c.day = dayNamed(said[0]); c.day != nil {
		said = said[1:]
	}
	if len(said) > 1 && said[0] == "at" {
		said = said[1:]
	}
	for _, layout := range []string{"15:04", "3pm", "3:04pm"} {
		if t, err := time.Parse(layout, strings.Join(said, "")); err == nil {
			c.hour, c.minute, _ = t.Clock()
			return c, true
		}
	}
	return c, false
}

// dayNamed returns how far away the day is that a word names; nil if it names none. The name of a weekday means the
// next one, which may be today.
func dayNamed(word string) func(from time.Time) (int, bool) {
	switch word {
	case "today":
		return func(time.Time) (int, bool) { return 0, true }
	case "tomorrow":
		return func(time.Time) (int, bool) { return 1, true }
	}
	for day := time.Sunday; day <= time.Saturday; day++ {
		if name := strings.ToLower(day.String()); word == name || word == name[:3] {
			return func(from time.Time) (int, bool) { return int(7+day-from.Weekday()) % 7, false }
		}
	}
	return nil
}

// after returns when the clocks of a place show the time next; false if they showed it before, or do not for longer
// than a hold may last. Where they show it twice, the second time is meant.
func (c clock) after(from time.Time, place *time.Location) (time.Time, bool) {
	from = from.In(place)
	on, again := from, 1 // how many days later the same words mean again
	switch {
	case !c.date.IsZero():
		on, again = c.date, 0
	case c.day != nil:
		days, only := c.day(from)
		on, again = from.AddDate(0, 0, days), 7
		if only {
			again = 0
		}
	}
	t := c.on(on, place)
	if !t.After(from) && again > 0 {
		t = c.on(on.AddDate(0, 0, again), place)
	}
	return t, t.After(from) && t.Sub(from) <= longestHold
}

// on returns when the clocks of a place show the time on a day.
func (c clock) on(day time.Time, place *time.Location) time.Time {
	t := time.Date(day.Year(), day.Month(), day.Day(), c.hour, c.minute, 0, 0, place)
	if later := t.Add(time.Hour); later.Hour() == t.Hour() && later.Minute() == t.Minute() {
		return later
	}
	return t
}
