package promotion

// Unwritten returns the places at which the pipeline file says something else now than when a deployment of the stage
// began: it has values there since, which the deployment did not write, or has dropped what that wrote. The stage
// then hosts its freight incompletely (semantics 5.15). Targets that it has not come to catch up by themselves, and do
// not count. Nothing is unwritten where it is not known what was written, or where a workflow delivers.
func (s *Snapshot) Unwritten(d *Deployment) (places []string) {
	i := s.FreightAt(d.Freight)
	if i < 0 || d.Wrote == nil || s.Stage.Delivery == DeliveryWorkflow {
		return nil
	}
	wrote, sets := TextsOf(d.Wrote), make(map[Spot]bool)
	for k := range s.Stage.Targets {
		t := &s.Stage.Targets[k]
		for _, v := range t.writes(s.Stage.Name, &s.Freight[i]) {
			sets[v.Spot()] = true
			if _, has := wrote[v.Spot()]; !has && d.cameTo(t.Name) {
				places = append(places, v.Place())
			}
		}
	}
	for _, v := range d.Wrote {
		if !sets[v.Spot()] && (!s.Stage.Rolls() || s.Stage.Touches(v.Path)) {
			places = append(places, v.Place())
		}
	}
	return places
}

// Gained reports whether a promotion of a freight would write values into a target that a deployment of it there did
// not, because the pipeline file has them only since.
func (s *Snapshot) Gained(d *Deployment, wrote map[Spot]string, t *Target) bool {
	i := s.FreightAt(d.Freight)
	if i < 0 || d.Wrote == nil {
		return false
	}
	for _, v := range t.writes(s.Stage.Name, &s.Freight[i]) {
		if _, has := wrote[v.Spot()]; !has {
			return true
		}
	}
	return false
}

// cameTo reports whether a deployment has brought its freight to a target. A stage that is one place has one, without a
// name.
func (d *Deployment) cameTo(t TargetName) bool {
	for i := range d.Results {
		if d.Results[i].Target == t {
			return true
		}
	}
	return t == ""
}

// writes returns the places at which a promotion of a freight writes values of the target, without the values. Those of
// another warehouse's freight stay as they are.
func (t *Target) writes(stage StageName, f *Freight) (all []Value) {
	lookup := Values(stage, *f)
	for i := range t.Changes {
		c := &t.Changes[i]
		for _, a := range c.Set {
			if _, err := a.Value.Expand(lookup); err == nil {
				all = append(all, Value{Files: c.Files, Path: c.Path, Key: a.Key})
			}
		}
	}
	for i := range t.Copies {
		if c := &t.Copies[i]; c.Concerns(*f) {
			all = append(all, Value{Files: c.Files, Path: c.Path, Key: EveryFile})
		}
	}
	return all
}
