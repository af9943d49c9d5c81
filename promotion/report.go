package promotion

import (
	"time"
)

// nameOf returns what people call a freight of the snapshot.
func (s *Snapshot) NameOf(id FreightID) string {
	for i := range s.Freight {
		if s.Freight[i].ID == id {
			return s.Freight[i].Name
		}
	}
	for i := range s.Promotions {
		if s.Promotions[i].Freight == id {
			return s.Promotions[i].FreightName
		}
	}
	return string(id)
}

// standing returns the holds that stop the stage now.
func (s *Snapshot) Standing(now time.Time) (all []Hold) {
	for _, h := range s.Holds {
		if (h.Stage == s.Stage.Name || h.Stage == "") && h.Stands(now) {
			all = append(all, h)
		}
	}
	return all
}
