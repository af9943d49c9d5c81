package decide

import (
	"time"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/gate"
)

// AskMakers returns the freight of which it must be known who has made it before a request can be carried out, and is
// not; nil if there is none. A request that names no freight, and stands on none, is about the one that it will mean.
func AskMakers(s *promotion.Snapshot, r promotion.Request, now time.Time) *promotion.Freight {
	if !command.LeavesOutAuthor(s.Pipeline, r.Command) {
		return nil
	}
	if r.Command.Freight == "" && r.Pull == 0 {
		r.Command.Freight = guessed(s, r, now)
	}
	f, _ := command.Concerned(s, r)
	if f == nil {
		return nil
	}
	if _, unknown := f.Unknown(); !unknown {
		return nil
	}
	return f
}

// guessed returns the name of the freight that a request means which names none; empty if it means what the stage is
// busy with.
func guessed(s *promotion.Snapshot, r promotion.Request, now time.Time) string {
	switch r.Command.Verb {
	case promotion.CmdPromote:
		if i, _ := command.FreightMeant(s, r, gate.KeeperOf(s, now).Available); i >= 0 {
			return s.Freight[i].Name
		}
	case promotion.CmdRetry:
		if p := command.ToRetry(s, r); p != nil {
			return p.Freight.Name
		}
	}
	return ""
}
