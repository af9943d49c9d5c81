package handlers

import (
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// people decodes that a person has joined or left a repository, a team or an organization, or has other rights there.
// The details are not read: all known rights are dropped.
func (us Self) people(account promotion.Actor, i *github.Installation, sender *github.User) (Told, error) {
	f := us.about(nil, i, sender)
	if account.Login == "" {
		return Told{}, incomplete("people")
	}
	f.Account = account
	f.tell(&PeopleChanged{})
	return f, nil
}

// ownerOf returns the account that a repository belongs to.
func ownerOf(r *github.Repository) promotion.Actor {
	owner, _, _ := strings.Cut(r.GetFullName(), "/")
	return promotion.Actor{ID: r.GetOwner().GetID(), Login: promotion.Login(owner)}
}

// organization decodes a change of an organization: of its members, or of its name.
func (us Self) organization(e *github.OrganizationEvent) (Told, error) {
	f, err := us.people(accountOf(e.Organization), e.Installation, e.Sender)
	if err == nil && e.GetAction() == "renamed" {
		f.tell(&OwnerRenamed{})
	}
	return f, err
}

// accountOf returns the account of an organization.
func accountOf(o *github.Organization) promotion.Actor {
	return promotion.Actor{ID: o.GetID(), Login: promotion.Login(o.GetLogin())}
}
