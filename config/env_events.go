package config

// events reads who is sent events.
func (e *environment) events() Events {
	to := Events{URL: Secret(e.url("WAYBILL_EVENTS_URL", "")), Secret: e.secret("WAYBILL_EVENTS_SECRET")}
	switch {
	case to.URL == "" && to.Secret != "":
		e.wrong("WAYBILL_EVENTS_URL", "is missing: WAYBILL_EVENTS_SECRET is set, and signs what is sent there")
	case to.URL != "" && e.missing(to.Secret, "WAYBILL_EVENTS_SECRET"):
		e.wrong("WAYBILL_EVENTS_SECRET", "is missing: WAYBILL_EVENTS_URL is set, and its receiver must know who sends")
	case to.URL != "" && !secured(string(to.URL)):
		e.wrong("WAYBILL_EVENTS_URL", "must begin with https://: events name people, repositories and their changes")
	}
	return to
}
