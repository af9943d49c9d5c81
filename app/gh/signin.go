package gh

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/oauth2"

	"waybill/promotion"
)

// Web is the App's side of GitHub's web flow: how people prove to us who they are.
type Web struct {
	hub  *Hub
	flow oauth2.Config
}

// Web returns the web flow for an App's client id and secret. GitHub sends people back to callback.
func (h *Hub) Web(id, secret, callback string) *Web {
	web := strings.TrimSuffix(h.config.WebURL, "/")
	return &Web{hub: h, flow: oauth2.Config{
		ClientID: id, ClientSecret: secret, RedirectURL: callback,
		Endpoint: oauth2.Endpoint{
			AuthURL: web + "/login/oauth/authorize", TokenURL: web + "/login/oauth/access_token",
			AuthStyle: oauth2.AuthStyleInParams,
		},
	}}
}

// SignInURL is the page on which GitHub asks a person whether to sign in. The code that it sends back with state can
// only be redeemed with the verifier.
func (w *Web) SignInURL(state, verifier string) string {
	return w.flow.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier))
}

// SignedIn redeems a code for the person who has agreed. The person's token is used for this one question and
// forgotten: the App itself asks for the person's rights.
func (w *Web) SignedIn(ctx context.Context, code, verifier string) (promotion.Actor, error) {
	over := &http.Client{Transport: w.hub.config.Transport, Timeout: timeout, CheckRedirect: never}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, over)
	token, err := w.flow.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		return promotion.Actor{}, notRedeemed(err)
	}
	user, _, err := w.hub.rest(over).WithAuthToken(token.AccessToken).Users.Get(ctx, "")
	if err != nil {
		return promotion.Actor{}, fmt.Errorf("ask who has signed in: %w", classify(err))
	}
	if user.GetID() == 0 || user.GetLogin() == "" {
		return promotion.Actor{}, errors.New("ask who has signed in: GitHub did not say")
	}
	return promotion.Actor{ID: user.GetID(), Login: promotion.Login(user.GetLogin())}, nil
}

// notRedeemed says why a code was not taken in GitHub's words. The answer itself is left out: it may contain anything.
func notRedeemed(err error) error {
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		return fmt.Errorf("redeem a sign-in: GitHub answered %q: %s", refused.ErrorCode, refused.ErrorDescription)
	}
	return fmt.Errorf("redeem a sign-in: %w", err)
}
