package config

import (
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // the time zones, where the machine has none

	"github.com/robfig/cron/v3"
	"go.yaml.in/yaml/v4"

	"waybill/promotion"
)

// window is a time that comes again whenever the calendar of a time zone matches a schedule. The schedule is read off
// the clocks on the wall: it is worked out as if they were never changed, and only then looked up when that is. So a
// window begins on the day on which the clocks skip its beginning, too, and once on the day on which they show it
// twice.
type window struct {
	schedule cron.Schedule // in UTC, which stands for the wall
	wall     *time.Location
	lasts    time.Duration
}

// skew is more than clocks are changed by in summer anywhere.
const skew = 3 * time.Hour

// Until returns when the window ends that a time lies in. Of windows that overlap it is the end of the one that began
// first: the next one is seen when that is over.
func (w window) Until(now time.Time) time.Time {
	shown := onWall(now.Add(-w.lasts-skew), w.wall)
	for {
		if shown = w.schedule.Next(shown); shown.IsZero() {
			return time.Time{}
		}
		begins := offWall(shown, w.wall)
		if begins.After(now) {
			return time.Time{}
		}
		if ends := begins.Add(w.lasts); ends.After(now) {
			return ends
		}
	}
}

// Next returns when the next window begins. The clocks on the wall may have been put back since.
func (w window) Next(now time.Time) time.Time {
	for shown := w.schedule.Next(onWall(now.Add(-skew), w.wall)); !shown.IsZero(); shown = w.schedule.Next(shown) {
		if begins := offWall(shown, w.wall); begins.After(now) {
			return begins
		}
	}
	return time.Time{}
}

// onWall returns the time on the clocks of a place, written as if it were UTC.
func onWall(t time.Time, place *time.Location) time.Time {
	t = t.In(place)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// offWall returns when the clocks of a place show some time: the first time, where they are put back by an hour and
// show it twice. A time that they skip is as long after midnight as if they did not.
func offWall(shown time.Time, place *time.Location) time.Time {
	t := time.Date(shown.Year(), shown.Month(), shown.Day(), shown.Hour(), shown.Minute(), 0, 0, place)
	if before := t.Add(-time.Hour); onWall(before, place).Equal(onWall(t, place)) {
		return before
	}
	return t
}

// The bounds of a freeze. A longer one is a hold.
const (
	minFreeze  = time.Minute
	maxFreeze  = 31 * 24 * time.Hour
	maxFreezes = 20
)

// freezeFile says when a stage is frozen.
type freezeFile struct {
	cron      found[calendar]
	lasts     found[time.Duration]
	timezone  found[*time.Location]
	reason    found[string]
	rollbacks found[bool]
}

// calendar is a schedule with its text.
type calendar struct {
	cron.Schedule
	text string
}

var freezeForm = object[freezeFile]{
	what: "a freeze",
	fields: []field[freezeFile]{
		key("cron", scheduleForm, func(f *freezeFile) *found[calendar] { return &f.cron },
			"When it begins: minute, hour, day of the month, month and day of the week.").needed(),
		key("for", duration(minFreeze, maxFreeze), func(f *freezeFile) *found[time.Duration] { return &f.lasts },
			"How long it lasts, in hours that pass, whatever the clocks show.").needed(),
		key("timezone", timezoneForm, func(f *freezeFile) *found[*time.Location] { return &f.timezone },
			"Whose clocks and calendar are meant: a name of the IANA time zone database.").
			otherwise("that of the pipeline file; in a policy file UTC"),
		key("reason", text("a reason"), func(f *freezeFile) *found[string] { return &f.reason },
			"The reason that people read."),
		key("rollbacks", truth, func(f *freezeFile) *found[bool] { return &f.rollbacks },
			"Whether rollbacks pass.").otherwise("true"),
	},
}.form()

// schedules reads the five fields that crontab(5) has, and nothing that is no calendar: no `@every`, no seconds.
var schedules = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

var scheduleForm = form[calendar]{
	func() schema {
		return schema{"type": "string", "pattern": `^\S+( +\S+){4}$`, "examples": []string{"0 16 * * FRI"}}
	},
	func(r *reader, n *yaml.Node) calendar {
		const what = `five fields as in crontab, such as "0 16 * * FRI"`
		if n.Kind != yaml.ScalarNode || strings.Contains(n.Value, "=") || strings.HasPrefix(n.Value, "@") {
			r.wrong(n, what)
			return calendar{}
		}
		schedule, err := schedules.Parse("TZ=UTC " + n.Value)
		switch {
		case err != nil:
			r.errorf(posOf(n), "%s is not %s: %v", quote(shorten(n.Value)), what, err)
		case schedule.Next(time.Unix(0, 0)).IsZero():
			r.errorf(posOf(n), "%s never comes; there is no such day", quote(shorten(n.Value)))
		default:
			return calendar{schedule, strings.Join(strings.Fields(n.Value), " ")}
		}
		return calendar{}
	},
}

var timezoneForm = form[*time.Location]{
	func() schema { return schema{"type": "string", "minLength": 1, "examples": []string{"Europe/Berlin"}} },
	func(r *reader, n *yaml.Node) *time.Location {
		place, err := time.LoadLocation(n.Value)
		if n.Kind != yaml.ScalarNode || n.Value == "" || n.Value == "Local" || err != nil {
			r.errorf(posOf(n), "%s is no time zone; write a name of the IANA database such as Europe/Berlin",
				quote(shorten(n.Value)))
			return nil
		}
		return place
	},
}

// compileFreezes compiles a list of freezes. Those that name no time zone are in the one that is usual where they
// stand.
func compileFreezes(list found[[]found[freezeFile]], usual *time.Location) (all []promotion.Freeze) {
	for _, f := range list.value {
		if !f.good() {
			continue
		}
		schedule, zone := f.value.cron.value, f.value.timezone.or(usual)
		all = append(all, promotion.Freeze{
			Reason:    f.value.reason.or(""),
			Rollbacks: f.value.rollbacks.or(true),
			Begins:    schedule.text + " " + zone.String(),
			Lasts:     f.value.lasts.value,
			Window:    window{schedule.Schedule, zone, f.value.lasts.value},
		})
	}
	return all
}

// truth is true or false.
var truth = form[bool]{func() schema { return schema{"type": "boolean"} }, func(r *reader, n *yaml.Node) bool {
	var b bool
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" || n.Decode(&b) != nil {
		r.wrong(n, "true or false")
	}
	return b
}}

// number is a whole number within bounds, both included.
func number(what string, least, most int) form[int] {
	described := func() schema { return schema{"type": "integer", "minimum": least, "maximum": most} }
	return form[int]{described, func(r *reader, node *yaml.Node) int {
		var n int
		if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!int" || node.Decode(&n) != nil || n < least || n > most {
			r.wrong(node, fmt.Sprintf("%s, from %d to %d", what, least, most))
			return 0
		}
		return n
	}}
}
