package handlers

import (
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// people decodes that a person has joined or left a repository, a team or an organization, or may do more or less
// there. The details are not looked at: all known rights are forgotten.
func (us Self) people(account string, i *github.Installation, sender *github.User) (Facts, error) {
	f := us.about(nil, i, sender)
	if account == "" {
		return Facts{}, incomplete("people")
	}
	f.People = promotion.Login(account)
	return f, nil
}

// ownerOf returns the account that a repository belongs to.
func ownerOf(r *github.Repository) string {
	owner, _, _ := strings.Cut(r.GetFullName(), "/")
	return owner
}
