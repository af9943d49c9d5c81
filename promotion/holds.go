package promotion

// because returns the hold as a reason: held by whom.
func (h *Hold) Because() Reason {
	if h.By.Bot() {
		return Because(Held, "bot")
	}
	return Because(Held, string(h.By.Login))
}

// asked is why there is a hold of somebody's, with the target if it is of one.
func (h Hold) Asked() Reason {
	if h.Target == "" {
		return Because(Asked, string(h.By.Login))
	}
	return Because(Asked, string(h.By.Login), string(h.Target))
}
