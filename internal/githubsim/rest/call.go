package rest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"waybill/internal/githubsim/gitstore"
	"waybill/internal/githubsim/hub"
	"waybill/internal/githubsim/render"
)

// call is one request to a route, with its caller and repository already looked up.
type call struct {
	*hub.Hub
	Render  *render.Renderer
	api     *API
	request *http.Request
	raw     []byte
	params  map[string]string
	who     hub.Caller
	repo    *hub.Repository
}

// decode decodes the JSON body into in. An empty body or null leaves in unchanged.
func (c *call) decode(in any) error {
	raw := bytes.TrimSpace(c.raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if !json.Valid(raw) {
		return hub.Refuse(http.StatusBadRequest, "Problems parsing JSON")
	}
	if err := json.Unmarshal(raw, in); err != nil {
		return hub.Invalid("Invalid request.\n\n%s", err)
	}
	return nil
}

// number parses a numeric parameter of the path.
func (c *call) number(name string) (int, error) {
	n, err := strconv.Atoi(c.params[name])
	if err != nil {
		return 0, hub.NotFound()
	}
	return n, nil
}

// id parses an id of the path.
func (c *call) id(name string) (int64, error) {
	n, err := strconv.ParseInt(c.params[name], 10, 64)
	if err != nil {
		return 0, hub.NotFound()
	}
	return n, nil
}

// query returns a parameter of the query, or its default.
func (c *call) query(name, otherwise string) string {
	if value := c.request.URL.Query().Get(name); value != "" {
		return value
	}
	return otherwise
}

// commit finds the commit that {ref} names. The error for a missing one is that of the commits endpoints.
func (c *call) commit(param string) (gitstore.Commit, error) {
	sha, found := c.repo.Seen().Resolve(c.params[param])
	if !found {
		return gitstore.Commit{}, hub.Invalid("No commit found for SHA: %s", c.params[param])
	}
	return c.repo.Seen().Commit(sha)
}

func (c *call) installation() (*hub.Installation, error) {
	id, err := c.id("installation_id")
	if err != nil {
		return nil, err
	}
	for _, i := range c.Apps.Installations() {
		if i.ID == id {
			return i, nil
		}
	}
	return nil, hub.NotFound()
}

// wants reports whether the client accepts a media type such as "raw".
func (c *call) wants(format string) bool {
	accept := c.request.Header.Get("Accept")
	return strings.Contains(accept, "."+format+"+json") || strings.HasSuffix(accept, "."+format) ||
		strings.Contains(accept, "."+format+",")
}

func ok(body any) reply      { return reply{Status: http.StatusOK, Body: body} }
func created(body any) reply { return reply{Status: http.StatusCreated, Body: body} }
func nothing() reply         { return reply{Status: http.StatusNoContent} }
