package promotion

import "slices"

// Brought is freight that was brought to a target, and the latest verdict on it there.
type Brought struct {
	Freight FreightID
	Verdict Verdict
}

// BroughtTo returns the freight of a warehouse that was brought to a target, the latest first, each only where it came
// last.
func (s *Snapshot) BroughtTo(t TargetName, w WarehouseName) (all []Brought) {
	for i := range slices.Backward(s.Deployments) {
		d := &s.Deployments[i]
		known := slices.ContainsFunc(all, func(b Brought) bool { return b.Freight == d.Freight })
		if d.Warehouse != w || known {
			continue
		}
		for k := range d.Results {
			if d.Results[k].Target == t {
				all = append(all, Brought{d.Freight, d.Results[k].Verdict})
			}
		}
	}
	return all
}
