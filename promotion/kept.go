package promotion

import "slices"

// goesTo reports whether the promotion is to update a target.
func (p *Promotion) GoesTo(t TargetName) bool { return len(p.Only) == 0 || slices.Contains(p.Only, t) }
