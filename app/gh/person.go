package gh

import (
	"net/http"

	"waybill/promotion"
)

// PersonalClient returns a client for one repository that acts for a person, with a token of theirs: it sees what they
// see, may what they may, and what it writes is theirs. It reads, and proposes files; what asks who our App is fails.
// Of the configuration it needs the addresses. It asks nothing yet: a wrong token shows at the first call, as
// ErrRefused.
func PersonalClient(config Config, token string, repo promotion.Repo) (*Client, error) {
	h, err := newHub(config)
	if err != nil {
		return nil, err
	}
	if _, _, err := split(repo); err != nil {
		return nil, err
	}
	i := h.newInstallation(0)
	over := &http.Client{
		Transport: i.limited("", personal{token, h.config.Transport}), Timeout: timeout, CheckRedirect: never,
	}
	return h.newClient(i, repo, over), nil
}

// personal is the transport that adds a person's token.
type personal struct {
	token string
	next  http.RoundTripper
}

// RoundTrip sends a request with the token. That GitHub does not know the token is a refusal: nobody makes a new one.
func (p personal) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+p.token)
	response, err := p.next.RoundTrip(request)
	if err == nil && response.StatusCode == http.StatusUnauthorized {
		response.Body.Close()
		return nil, refused("GitHub does not take the token: it is wrong, or has expired")
	}
	return response, err
}
