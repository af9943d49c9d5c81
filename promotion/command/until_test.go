package command

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestATimeOnAClockIsTheNextOne(t *testing.T) { // semantics 4.1
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	const thursday = "2026-11-26 10:00" // in Berlin
	for _, c := range []struct{ from, words, want string }{
		{thursday, "until 14:00", "2026-11-26 14:00"},
		{thursday, "until 9:30", "2026-11-27 09:30"},
		{thursday, "until 10:00", "2026-11-27 10:00"},
		{thursday, "until 2pm", "2026-11-26 14:00"},
		{thursday, "until 2 pm", "2026-11-26 14:00"},
		{thursday, "until 12:15am", "2026-11-27 00:15"},
		{thursday, "Until At 14:00", "2026-11-26 14:00"},
		{thursday, "until today 14:00", "2026-11-26 14:00"},
		{thursday, "until today 9am", ""}, // it is over
		{thursday, "until tomorrow 9am", "2026-11-27 09:00"},
		{thursday, "until tomorrow at 9am", "2026-11-27 09:00"},
		{thursday, "until monday 9am", "2026-11-30 09:00"},
		{thursday, "until MON 09:00", "2026-11-30 09:00"},
		{thursday, "until thursday 10:01", "2026-11-26 10:01"},
		{thursday, "until thursday 10:00", "2026-12-03 10:00"},
		{thursday, "until wed 23:59", "2026-12-02 23:59"},
		{thursday, "until 2026-12-01 09:00", "2026-12-01 09:00"},
		{thursday, "until 2026-12-26 10:00", "2026-12-26 10:00"}, // 720h
		{thursday, "until 2026-12-26 10:01", ""},
		{thursday, "until 2026-11-26 10:00", ""},
		{thursday, "until 2026-02-30 10:00", ""},
		{thursday, "until monday", ""}, // nobody knows at what time
		{thursday, "until 2026-12-01", ""},
		{thursday, "until monday 25:00", ""},
		{thursday, "until monday 13pm", ""},
		{thursday, "until monday 9am or so", ""},
		{thursday, "until monday tomorrow 9am", ""},
		{thursday, "until", ""},
		{thursday, "until we know", ""},
		{thursday, "monday 9am", ""},
		{thursday, "", ""},
		{"2026-12-31 23:00", "until tomorrow 9am", "2027-01-01 09:00"},
		{"2026-10-24 12:00", "until tomorrow 2:30", "2026-10-25 02:30"}, // which comes twice
		{"2026-03-28 12:00", "until tomorrow 2:30", "2026-03-29 03:30"}, // which never comes
	} {
		from, err := time.ParseInLocation("2006-01-02 15:04", c.from, berlin)
		require.NoError(t, err)
		got := ""
		if said, ok := untilClock(c.words); ok {
			if at, comes := said.after(from.UTC(), berlin); comes {
				got = at.Format("2006-01-02 15:04")
			}
		}
		require.Equal(t, c.want, got, "%s, %s", c.from, c.words)
	}
	from := time.Date(2026, 10, 24, 12, 0, 0, 0, time.UTC)
	said, _ := untilClock("until tomorrow 2:30")
	at, _ := said.after(from, berlin)
	require.Equal(t, "01:30", at.UTC().Format("15:04"), "the second time")
}
