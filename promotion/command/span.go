package command

import (
	"strconv"
	"strings"
	"time"
)

// longestHold bounds the time that a hold may be given. A longer one has no time: it holds until a person lifts it.
const longestHold = 720 * time.Hour

// span reads for how long a person wants a hold: as Go writes durations, of which days may come first (1d12h).
func span(word string) (d time.Duration, ok bool) {
	days, rest, found := strings.Cut(word, "d")
	if !found {
		days, rest = "0", word
	}
	n, err := strconv.Atoi(days)
	if err != nil || n < 0 || n > int(longestHold/(24*time.Hour)) {
		return 0, false
	}
	if rest != "" {
		if d, err = time.ParseDuration(rest); err != nil || d < 0 {
			return 0, false
		}
	}
	d += time.Duration(n) * 24 * time.Hour
	return d, d > 0 && d <= longestHold
}

// holdSpan reads words as the time of a hold, if they say nothing else: "for 2h".
func holdSpan(words string) (d time.Duration, ok bool) {
	said := strings.Fields(words)
	if len(said) != 2 || !strings.EqualFold(said[0], "for") {
		return 0, false
	}
	return span(said[1])
}
