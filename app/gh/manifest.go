package gh

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"sync"

	"github.com/google/go-github/v60/github"
)

// NewApp is an App that GitHub has made of a manifest, with its secrets.
type NewApp struct {
	ID                          int64
	Name, Owner, Page           string
	WebhookSecret, PrivateKey   string
	ClientID, OAuthClientSecret string
}

// ErrSpent says that GitHub does not know the code of a manifest flow: it is good once, and for an hour.
var ErrSpent = errors.New("GitHub does not know this code: it is good once, and for an hour")

// manifestCode is what a code looks like. It becomes part of an address.
var manifestCode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z_-]{1,100}$`) })

// MakeApp ends the manifest flow at the GitHub whose REST API is at v3URL: it redeems the code that the person's
// browser brought. Nobody is signed in for that, and GitHub hands out the secrets this once.
func MakeApp(ctx context.Context, v3URL, code string) (NewApp, error) {
	if !manifestCode().MatchString(code) {
		return NewApp{}, fmt.Errorf("%w (and a code has no other characters than letters, digits, - and _)", ErrSpent)
	}
	base, err := baseURL(v3URL)
	if err != nil {
		return NewApp{}, err
	}
	only := Config{V3URL: v3URL}.withDefaults().Transport
	c := github.NewClient(&http.Client{Transport: only, Timeout: timeout, CheckRedirect: never})
	c.BaseURL, c.UserAgent = base, "waybill"
	made, answer, err := c.Apps.CompleteAppManifest(ctx, code)
	if err != nil && answer != nil && answer.StatusCode == http.StatusNotFound {
		return NewApp{}, ErrSpent
	}
	if err != nil {
		return NewApp{}, fmt.Errorf("redeem the code of the App: %w", classify(err))
	}
	return NewApp{
		ID: made.GetID(), Name: made.GetName(), Owner: made.GetOwner().GetLogin(), Page: made.GetHTMLURL(),
		WebhookSecret: made.GetWebhookSecret(), PrivateKey: made.GetPEM(),
		ClientID: made.GetClientID(), OAuthClientSecret: made.GetClientSecret(),
	}, nil
}
