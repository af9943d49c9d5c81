package promotion

// judgedByPerson reports whether the verdict on a target is somebody's, which no signal changes.
func (p *Part) JudgedByPerson() bool { return p.Cause.Code == Asked }

// stayOf returns the index of the stay that a promotion began, or -1.
func (s *Snapshot) StayOf(n Number) int {
	for i := range s.Stays {
		if s.Stays[i].Promotion == n {
			return i
		}
	}
	return -1
}
