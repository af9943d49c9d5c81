package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"waybill/promotion"
)

// durations are numbers with units, as in 90s, 1h30m and 2d.
var durations = expressed(`^([0-9]{1,6}d)?([0-9]{1,9}(\.[0-9]{1,9})?(ms|s|m|h))*$`)

// parseDuration reads a duration as Go writes it, of which days may come first.
func parseDuration(s string) (time.Duration, bool) {
	if s == "" || !durations.MatchString(s) {
		return 0, false
	}
	var days time.Duration
	if count, rest, found := strings.Cut(s, "d"); found {
		n, err := strconv.Atoi(count)
		if err != nil {
			return 0, false
		}
		days, s = time.Duration(n)*24*time.Hour, rest
	}
	if s == "" {
		return days, days >= 0 && days < 100_000*24*time.Hour
	}
	d, err := time.ParseDuration(s)
	return days + d, err == nil && days+d >= days
}

// duration is a duration within bounds, both included.
func duration(least, most time.Duration) form[time.Duration] {
	what := fmt.Sprintf("a duration from %s to %s, such as 90s, 1h30m or 2d", promotion.Brief(least),
		promotion.Brief(most))
	described := func() schema {
		return schema{
			"type": "string", "pattern": durations.text, "minLength": 2,
			"description": fmt.Sprintf("From %s to %s.", promotion.Brief(least), promotion.Brief(most)),
		}
	}
	return form[time.Duration]{described, func(r *reader, n *yaml.Node) time.Duration {
		d, ok := parseDuration(n.Value)
		if n.Kind != yaml.ScalarNode || !ok || d < least || d > most {
			r.wrong(n, what)
			return 0
		}
		return d
	}}
}
