package promotion

// covers reports whether another hold of the same place would stop nothing that h, a person's, does not stop already.
func (h *Hold) Covers(other *Hold) bool {
	longer := h.Until.IsZero() || !other.Until.IsZero() && !h.Until.Before(other.Until)
	return h.SameAs(*other) && !h.By.Bot() && longer
}

// sameAs reports whether both holds are of the same place.
func (h *Hold) SameAs(other Hold) bool { return h.Stage == other.Stage && h.Target == other.Target }
