package config

import "time"

// Retention is how long the server keeps rows that no decision needs any more.
type Retention struct {
	Deliveries time.Duration // webhooks that have been handled
	Facts      time.Duration // facts about commits and pull requests that nothing depends on any more
	Audit      time.Duration // the audit trail; 0: for ever
}

// The defaults of the server's policy file.
const (
	defaultDeliveries = 14 * day
	defaultFacts      = 90 * day
)

// The floors. GitHub redelivers a webhook for three days, and one that comes again must be recognised; resyncs are at
// most a week apart; and no mistake should cost the audit trail of a quarter.
const (
	minDeliveries = 4 * day
	minFacts      = 14 * day
	minAudit      = 90 * day
	maxRetention  = 36_500 * day
	day           = 24 * time.Hour
)

type retentionFile struct{ deliveries, facts, audit found[time.Duration] }

var retentionForm = object[retentionFile]{
	what:    "how long to keep things",
	nothing: true,
	fields: []field[retentionFile]{
		key("deliveries", duration(minDeliveries, maxRetention),
			func(f *retentionFile) *found[time.Duration] { return &f.deliveries },
			"Webhooks that have been handled, with their bodies.").otherwise("14d"),
		key("facts", duration(minFacts, maxRetention), func(f *retentionFile) *found[time.Duration] { return &f.facts },
			"Pushes, pull requests, commands, comments and the like that nothing open needs any more.").otherwise("90d"),
		key("audit", duration(minAudit, maxRetention), func(f *retentionFile) *found[time.Duration] { return &f.audit },
			"The audit trail, of which only the beginning is ever removed.").otherwise("for ever"),
	},
}.form()

// ServerRetention returns the retention of the server's policy file; the defaults without one. A file with mistakes
// stops the start before that.
func ServerRetention(name string, data []byte) Retention {
	var f retentionFile
	if len(data) > 0 {
		file := read(policyForm, newReader(&report{file: name}), data)
		f = file.retention.value
	}
	return Retention{
		Deliveries: f.deliveries.or(defaultDeliveries),
		Facts:      f.facts.or(defaultFacts),
		Audit:      f.audit.or(0),
	}
}

// serversOwn refuses keys that only the server's policy file may have.
func serversOwn(f policyFile, r *reader) {
	if f.retention.given() {
		r.errorf(f.retention.key,
			"`retention` is for the whole server: remove it, or put it into the file that WAYBILL_POLICY_FILE names")
	}
}
