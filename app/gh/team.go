package gh

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// InTeam asks whether a person is in a team of an organization, or in one that stands under it. Its token reads members
// and nothing else: an installation that does not grant that has everything but teams. A person who is only invited is
// not in, and a team that does not exist is empty.
func (h *Hub) InTeam(ctx context.Context, installation int64, org, slug string, login promotion.Login) (bool, error) {
	asked := func(err error) error {
		return fmt.Errorf("ask whether %s is in team %s/%s: %w", login, org, slug, classify(err))
	}
	read, over := "read", h.installationOf(installation)
	rest := h.rest(over.http(fmt.Sprintf("%d members", installation), github.InstallationTokenOptions{
		Permissions: &github.InstallationPermissions{Metadata: &read, Members: &read},
	}))
	path := fmt.Sprintf("orgs/%s/teams/%s/memberships/%s", url.PathEscape(org), url.PathEscape(slug),
		url.PathEscape(string(login)))
	request, err := rest.NewRequest(http.MethodGet, path, nil)
	if err != nil {
		return false, asked(err)
	}
	var answer struct {
		State string `json:"state"`
	}
	if _, err = rest.Do(ctx, request, &answer); err == nil {
		return answer.State == "active", nil
	}
	if err = classify(err); errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return false, asked(err)
}

// Called asks for the present login of the person with an id. It is empty if the id does not exist any more.
func (pe People) Called(ctx context.Context, id int64) (promotion.Login, error) {
	request, err := pe.c.rest.NewRequest(http.MethodGet, fmt.Sprintf("user/%d", id), nil)
	if err != nil {
		return "", pe.c.wrong(err, "ask for user %d, a collaborator", id)
	}
	var answer struct {
		ID    int64           `json:"id"`
		Login promotion.Login `json:"login"`
	}
	_, err = pe.c.rest.Do(ctx, request, &answer)
	if err = classify(err); errors.Is(err, ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", pe.c.wrong(err, "ask for user %d, a collaborator", id)
	}
	if answer.ID != id {
		return "", pe.c.wrong(incomplete("an id"), "ask for user %d, a collaborator", id)
	}
	return answer.Login, nil
}
