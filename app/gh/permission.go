package gh

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"waybill/promotion"
)

// Permission is a person's permission in the repository.
type Permission struct {
	Actor promotion.Actor // with the id that renames do not change
	Level string          // none, read, write or admin: GitHub counts triage as read and maintain as write
	Role  string          // none, read, triage, write, maintain, admin, or the name of a custom role
}

// Permission asks for a person's permission in the repository, the highest of all that they were granted. A person who
// is unknown there has none. It is an error, and no answer, if the repository cannot be reached.
func (pe People) Permission(ctx context.Context, login promotion.Login) (Permission, error) {
	path := fmt.Sprintf("repos/%s/%s/collaborators/%s/permission", pe.c.owner, pe.c.name, url.PathEscape(string(login)))
	request, err := pe.c.rest.NewRequest(http.MethodGet, path, nil)
	if err != nil {
		return Permission{}, pe.c.wrong(err, "ask for the permission of %s", login)
	}
	var answer struct { // go-github v60 does not know role_name
		Permission string `json:"permission"`
		RoleName   string `json:"role_name"`
		User       *struct {
			ID    int64           `json:"id"`
			Login promotion.Login `json:"login"`
		} `json:"user"`
	}
	_, err = pe.c.rest.Do(ctx, request, &answer)
	if err = classify(err); errors.Is(err, ErrNotFound) {
		return Permission{Level: "none", Role: "none"}, pe.c.lost(ctx)
	}
	if err != nil {
		return Permission{}, pe.c.wrong(err, "ask for the permission of %s", login)
	}
	if answer.Permission == "" {
		return Permission{}, pe.c.wrong(incomplete("a permission"), "ask for the permission of %s", login)
	}
	p := Permission{Level: answer.Permission, Role: answer.RoleName}
	if p.Role == "" {
		p.Role = p.Level
	}
	if answer.User != nil {
		p.Actor = promotion.Actor{ID: answer.User.ID, Login: answer.User.Login}
	}
	return p, nil
}

// ID asks for GitHub's id of the repository. The answer costs nothing while a token lasts and it has not changed.
func (c *Client) ID(ctx context.Context) (int64, error) {
	found, _, err := c.rest.Repositories.Get(ctx, c.owner, c.name)
	if err == nil && found.GetID() == 0 {
		err = incomplete("the id of a repository")
	}
	return found.GetID(), c.wrong(classify(err), "ask for the id")
}

// Public reports whether everybody may read the repository.
func (c *Client) Public(ctx context.Context) (bool, error) {
	found, _, err := c.rest.Repositories.Get(ctx, c.owner, c.name)
	if err == nil && found.Private == nil {
		err = incomplete("whether a repository is private")
	}
	return !found.GetPrivate(), c.wrong(classify(err), "ask for the visibility")
}
