package command

import "waybill/promotion"

// plays reports whether the person who makes a request plays a part in what it concerns: who has made the freight, who
// asked for its promotion, or who pushed last to the branch of that and restored our commit.
func plays(s *promotion.Snapshot, part string, r promotion.Request) bool {
	f, p := Concerned(s, r)
	if part == "author" {
		return f != nil && f.MadeBy(r.By)
	}
	if p == nil {
		return false
	}
	if pull := s.Pull(s.Attempt(p.Number)); part == "last-pusher" && pull != nil {
		return pull.Pusher.Is(r.By)
	}
	return part == "requester" && p.By.Is(r.By)
}

// Concerned returns the freight that a request is about, and the open promotion of that: the ones that are named, by
// their name or by the pull request that the request stands on; otherwise those that the stage is busy with. Both are
// nil where there are none.
func Concerned(s *promotion.Snapshot, r promotion.Request) (*promotion.Freight, *promotion.Promotion) {
	if isAboutFreight(r.Command.Verb) && (r.Command.Freight != "" || r.Pull != 0) {
		i, _ := NamedFreight(s, r)
		if i < 0 {
			return nil, nil
		}
		return &s.Freight[i], s.OpenOf(s.Freight[i].ID)
	}
	p := s.Active()
	if r.Command.Verb == promotion.CmdVerdict || r.Command.Verb == promotion.CmdVerify {
		p = judged(s)
	}
	if p == nil {
		return nil, nil
	}
	i := s.FreightAt(p.Freight.ID)
	if i < 0 {
		return nil, p
	}
	return &s.Freight[i], p
}

// judged returns the promotion that a verdict is about; nil if there is none.
func judged(s *promotion.Snapshot) *promotion.Promotion {
	if i := s.Judgeable(); i >= 0 {
		return s.Promotion(s.Deployments[i].Promotion)
	}
	return nil
}
