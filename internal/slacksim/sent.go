package slacksim

// keptSent bounds the events that can be sent again.
const keptSent = 1000

// remember keeps an event that was sent to the App, so that it can be sent again.
func (w *world) remember(d dispatch) {
	if _, known := w.sent(d.id); known {
		return
	}
	w.told = append(w.told, d)
	if len(w.told) > keptSent {
		w.told = w.told[1:]
	}
}

// sent finds an event that was sent to the App.
func (w *world) sent(id string) (dispatch, bool) {
	for _, d := range w.told {
		if d.id == id {
			return d, true
		}
	}
	return dispatch{}, false
}
