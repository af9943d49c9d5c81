package githubsim

// spendCode takes a one-time code out of circulation; false when it was never handed out or is spent.
func (w *world) spendCode(code string) bool {
	_, known := w.codes[code]
	delete(w.codes, code)
	return known
}
