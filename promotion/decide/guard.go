package decide

// watch has the stage looked at again when a freeze begins or ends, if people's changes or jobs may wait for that: nothing else
// need happen then.
func (w *work) watch() {
	if !w.Stage.Guard && !w.Stage.Settled() {
		return
	}
	for i := range w.Stage.Freezes {
		window := w.Stage.Freezes[i].Window
		next := window.Until(w.now)
		if next.IsZero() {
			next = window.Next(w.now)
		}
		if !next.IsZero() {
			w.wakeAt(next)
		}
	}
}
