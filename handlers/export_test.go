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
