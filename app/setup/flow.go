package setup

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"waybill/app/gh"
)

// Flow is one run of GitHub's manifest flow, with a server on this machine to which GitHub sends the browser back.
type Flow struct {
	Wish Wish
	// Keep stores what GitHub hands out once. It is called before the person is told that all is well.
	Keep func(gh.NewApp) error
	// Say tells the person at the terminal of something that did not end the flow.
	Say func(text string)

	back  string // where GitHub sends the browser
	door  string // the part of the address that nobody else on this machine can guess
	state string // what GitHub has to bring back
	ended chan error

	mu   sync.Mutex
	made gh.NewApp
	over bool // the flow has ended, well or not
}

const (
	// donePath is where GitHub sends the browser back to.
	donePath = "/made"
	// patience is how long GitHub waits for the code to be redeemed. The person has as long to decide.
	patience = time.Hour
	// redeeming is how long one try to redeem the code may take.
	redeeming = time.Minute
)

// Start makes ready a flow on the address of a listener, and returns the address to open in a browser.
func (f *Flow) Start(listener net.Listener) string {
	here := "http://" + listener.Addr().String()
	f.back, f.door, f.state, f.ended = here+donePath, rand.Text(), rand.Text(), make(chan error, 1)
	return here + "/" + f.door
}

// Wait serves the pages of a started flow until GitHub has made the App and its secrets are kept, and returns the App.
func (f *Flow) Wait(ctx context.Context, listener net.Listener) (gh.NewApp, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience,
		errors.New("nobody has made the App within an hour: run waybill setup again"))
	defer cancel()
	server := &http.Server{Handler: f.handler(), ReadHeaderTimeout: 10 * time.Second}
	go server.Serve(listener)
	err := error(nil)
	select {
	case err = <-f.ended:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	bye, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if server.Shutdown(bye) != nil {
		server.Close() // a browser keeps a connection that it does not use
	}
	f.mu.Lock() // what finish has begun, it ends
	defer f.mu.Unlock()
	if f.over {
		select {
		case err = <-f.ended:
		default: // received above
		}
	}
	f.over = true
	return f.made, err
}

// handler returns the pages. They are for this machine only, also where a name of somebody else leads to it.
func (f *Flow) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /"+f.door, f.begin)
	mux.HandleFunc("GET "+donePath, f.finish)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !local((&url.URL{Host: r.Host}).Hostname()) {
			http.Error(w, "open the address that the terminal shows", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// begin shows what will be made, and a button that takes it to GitHub.
func (f *Flow) begin(w http.ResponseWriter, _ *http.Request) {
	m := f.Wish.Manifest(f.back)
	text, err := json.Marshal(m)
	if err != nil {
		show(w, http.StatusInternalServerError, page{Title: "This should not have happened", Text: err.Error()})
		return
	}
	show(w, http.StatusOK, page{Title: "Make the GitHub App " + m.Name, To: f.Wish.NewAppURL(f.state),
		GitHub: f.Wish.GitHub.WebURL, Manifest: string(text), Wish: f.Wish, Asks: m})
}

// finish takes the code that GitHub sends back with the browser.
func (f *Flow) finish(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(f.state)) != 1 {
		f.Say("An answer came that does not belong to this setup, and was not used. Go on in the browser, or begin again " +
			"at the address above.")
		show(w, http.StatusForbidden, page{Title: "This answer does not belong to this setup",
			Text: "Nothing was done. Open the address that the terminal shows, and begin again."})
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		show(w, http.StatusConflict, page{Title: "This has been answered already", Text: "The terminal says how it ended."})
		return
	}
	// GitHub spends the code, also when the browser has gone meanwhile.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), redeeming)
	defer cancel()
	made, err := f.redeem(ctx, query.Get("code"), query.Get("error"), query.Get("error_description"))
	var again retry
	if errors.As(err, &again) {
		f.Say(err.Error() + ". Load the page in the browser again.")
		show(w, http.StatusBadGateway, page{Title: "The code could not be redeemed yet",
			Text: err.Error() + ". The App exists already: load this page again within an hour."})
		return
	}
	f.over, f.made = true, made
	if err != nil {
		show(w, http.StatusBadRequest, page{Title: "The App is not set up", Text: err.Error()})
	} else {
		show(w, http.StatusOK, page{Title: made.Name + " exists", Install: InstallURL(made),
			Text: "Its settings are written. Install it now, and look into the terminal for what comes then."})
	}
	f.ended <- err
}

// retry is an error after which the same code may be redeemed again.
type retry struct{ error }

func (r retry) Unwrap() error { return r.error }

// redeem changes a code for the App and keeps its secrets.
func (f *Flow) redeem(ctx context.Context, code, refused, why string) (gh.NewApp, error) {
	switch {
	case refused != "":
		return gh.NewApp{}, fmt.Errorf("GitHub made no App: %s (%s)", why, refused)
	case code == "":
		return gh.NewApp{}, errors.New("GitHub sent no code: run waybill setup again")
	}
	made, err := Redeem(ctx, f.Wish.GitHub, code)
	if err != nil && !errors.Is(err, gh.ErrSpent) {
		return gh.NewApp{}, retry{err}
	}
	if err != nil {
		return gh.NewApp{}, err
	}
	return made, f.Keep(made)
}

// Redeem changes the code of an App that GitHub has made for the App and its secrets.
func Redeem(ctx context.Context, github GitHub, code string) (gh.NewApp, error) {
	made, err := gh.MakeApp(ctx, github.V3URL, code)
	if errors.Is(err, gh.ErrSpent) {
		return made, fmt.Errorf("%w. Delete the App that was made, at %s/settings/apps or in the settings of its "+
			"organization, and run waybill setup again", err, github.WebURL)
	}
	return made, err
}

// InstallURL is GitHub's page on which an App is installed.
func InstallURL(a gh.NewApp) string { return a.Page + "/installations/new" }
