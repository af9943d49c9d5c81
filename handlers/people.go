package handlers

import (
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// people decodes that a person has joined or left a repository, a team or an organization, or has other rights there.
// The details are not read: all known rights are dropped.
func (us Self) people(account string, i *github.Installation, sender *github.User) (Told, error) {
	f := us.about(nil, i, sender)
	if account == "" {
		return Told{}, incomplete("people")
	}
	f.Account = promotion.Login(account)
	f.tell(&PeopleChanged{})
	return f, nil
}

// ownerOf returns the account that a repository belongs to.
func ownerOf(r *github.Repository) string {
	owner, _, _ := strings.Cut(r.GetFullName(), "/")
	return owner
}
