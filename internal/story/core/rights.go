package core

import (
	"waybill/promotion"
	"waybill/promotion/command"
)

// rights holds the permissions on the home repository. Everyone may write until a story grants another permission.
type rights struct {
	granted map[promotion.Login]promotion.Permission
	ids     map[promotion.Login]int64
}

func newRights() *rights {
	return &rights{granted: map[promotion.Login]promotion.Permission{}, ids: map[promotion.Login]int64{}}
}

// of returns a person's permission.
func (r *rights) of(login promotion.Login) promotion.Permission {
	if p, granted := r.granted[login]; granted {
		return p
	}
	return promotion.Write
}

// actor returns the person with that login. All mentions of a login get the same id.
func (r *rights) actor(login promotion.Login) promotion.Actor {
	if r.ids[login] == 0 {
		r.ids[login] = int64(len(r.ids) + 1)
	}
	return promotion.Actor{ID: r.ids[login], Login: login}
}

// keeps reports whether the author of an approval still has the permission to give it.
func (r *rights) keeps(p *promotion.Pipeline, a promotion.Approval) bool {
	verb := promotion.CmdApprove
	if a.Kind == promotion.Admission {
		verb = promotion.CmdAdmit
	}
	return command.Entitles(p.Policy, verb, a.Stage, r.of(a.By.Login), nil)
}

// asker returns whether the person who asked for a promotion still has the permission to do so.
func (r *rights) asker(p *promotion.Pipeline, of promotion.Promotion) promotion.Asker {
	if of.By.Bot() {
		return promotion.Asker{}
	}
	lost := command.MayNotAsk(p.Policy, &of, r.of(of.By.Login), nil)
	return promotion.Asker{Person: of.By.ID, Lost: lost}
}
