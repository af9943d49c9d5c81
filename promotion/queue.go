package promotion

// mark returns how far the stage has come in a warehouse's order.
func (s *Snapshot) Mark(warehouse WarehouseName) Mark {
	for _, m := range s.Newest {
		if m.Warehouse == warehouse {
			return m
		}
	}
	return Mark{Warehouse: warehouse}
}

// before reports whether f comes after the mark, that is, is newer than everything promoted.
func (m Mark) Before(f *Freight) bool {
	if c := m.Merged.Compare(f.Merged); c != 0 {
		return c < 0
	}
	return m.Number < f.Number
}
