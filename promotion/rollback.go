package promotion

// rollingBack returns the rollback that has not ended, or nil.
func (s *Snapshot) RollingBack() *Promotion {
	for i := range s.Promotions {
		if p := &s.Promotions[i]; p.Class == Rollback && !p.State.Ended() {
			return p
		}
	}
	return nil
}
