package handlers

// First returns the first event of one type in a delivery, or nil.
func First[E any](t Told) *E {
	for _, e := range t.Events {
		if one, is := e.(*E); is {
			return one
		}
	}
	return nil
}

// All returns all events of one type in a delivery, in order.
func All[E any](t Told) []E {
	var all []E
	for _, e := range t.Events {
		if one, is := e.(*E); is {
			all = append(all, *one)
		}
	}
	return all
}

// IsIdle reports whether a delivery is idle for an App.
func IsIdle(us int64, event string, body []byte) bool {
	e, err := readEnvelope(event, body)
	return err == nil && e.idle(event, us)
}
