package core

import (
	"waybill/promotion"
	"waybill/promotion/command"
)

// rights is who may do what on the home repository. Everybody may write until something else is granted.
type rights struct {
	granted map[promotion.Login]promotion.Permission
	ids     map[promotion.Login]int64
}

func newRights() *rights {
	return &rights{granted: map[promotion.Login]promotion.Permission{}, ids: map[promotion.Login]int64{}}
}

// of returns somebody's permission.
func (r *rights) of(login promotion.Login) promotion.Permission {
	if p, granted := r.granted[login]; granted {
		return p
	}
	return promotion.Write
}

// actor returns the person with that login, who keeps the id that the first mention gave.
func (r *rights) actor(login promotion.Login) promotion.Actor {
	if r.ids[login] == 0 {
		r.ids[login] = int64(len(r.ids) + 1)
	}
	return promotion.Actor{ID: r.ids[login], Login: login}
}

// keeps reports whether the giver of an approval still has the right to give it.
func (r *rights) keeps(p *promotion.Pipeline, a promotion.Approval) bool {
	verb := promotion.CmdApprove
	if a.Kind == promotion.Admission {
		verb = promotion.CmdAdmit
	}
	return command.Entitles(p.Policy, verb, a.Stage, r.of(a.By.Login), nil)
}
