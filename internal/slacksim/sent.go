package slacksim

// keptSent bounds what can be told again.
const keptSent = 1000

// remember keeps what the App was told, so that it can be told again.
func (w *world) remember(d dispatch) {
	if _, known := w.sent(d.id); known {
		return
	}
	w.told = append(w.told, d)
	if len(w.told) > keptSent {
		w.told = w.told[1:]
	}
}

// sent finds what the App was told.
func (w *world) sent(id string) (dispatch, bool) {
	for _, d := range w.told {
		if d.id == id {
			return d, true
		}
	}
	return dispatch{}, false
}
