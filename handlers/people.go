package handlers

import (
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// people decodes that somebody has joined or left a repository, a team or an organization, or may do more or less
// there. What exactly is not looked at: what was known of anybody's rights is forgotten.
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
