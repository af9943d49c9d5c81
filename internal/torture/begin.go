package torture

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"time"

	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/internal/slacksim"
	"waybill/internal/torture/act"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/shape"
	"waybill/internal/wireless"
	"waybill/promotion"
	"waybill/store"
)

// openChat starts the Slack of a history.
func openChat(m *Machine, log *ledger.Journal) (c *ledger.Chat, err error) {
	c = &ledger.Chat{Ids: map[string]string{}}
	c.Server, err = slacksim.Start(slacksim.Options{
		Offline: true, Clock: time.Now, Wire: toProgram{m}, Retries: []time.Duration{}, PostsPerSecond: 1,
		Report: func(err error) { log.Broken(ledger.SlackIsAsked, "%v", err) },
	})
	if err != nil {
		return nil, err
	}
	c.Room = c.AddChannel(shape.Room)
	for _, name := range []string{"ann", "bob", "eve", "zoe"} {
		c.Ids[name] = c.AddUser(slacksim.User{Name: name})
	}
	c.SetRequestURL(act.PublicURL)
	return c, nil
}

// toProgram carries Slack's requests to the program. They fail while it is dead.
type toProgram struct{ *Machine }

// RoundTrip implements http.RoundTripper.
func (x toProgram) RoundTrip(r *http.Request) (*http.Response, error) {
	if x.program == nil {
		return nil, io.ErrUnexpectedEOF
	}
	answer, err := wireless.Answer(x.handler(), r)
	if err == nil {
		x.taken(r.URL.Path, answer.StatusCode, answer.StatusCode/100 != 5) // a clock that is off refuses it
	}
	return answer, err
}

// link links people's accounts in Slack and GitHub, as they would in their browsers, and claims the channel for the
// first installation, as one of them would there.
func (w *World) link() error {
	return w.machine.program.service.Store.Update(w.machine.program.ctx, func(tx *store.Tx) error {
		for login := range w.ledger.Checkout.People {
			o := store.LinkOffer{State: login, For: store.SlackUser{Team: slacksim.Team, ID: w.ledger.Chat.Ids[login]},
				Name: login, Expires: tx.Now.Add(time.Minute)}
			if err := tx.People.OfferLink(o); err != nil {
				return err
			}
			if _, err := tx.People.CompleteLink(o.State, promotion.Actor{ID: w.ledger.GitHub.AccountID(login),
				Login: promotion.Login(login)}); err != nil {
				return err
			}
		}
		return tx.Names.ClaimChannel(store.Channel{ID: w.ledger.Chat.Room, Name: "#" + shape.Room,
			Installation: w.installation})
	})
}

// protect gives the branch of the stages its rules. Some people may bypass them.
func (w *World) protect() error {
	drawn := w.ledger.Shape
	if !drawn.Queued && !drawn.Current {
		return nil
	}
	p := githubsim.Protection{MergeQueue: drawn.Queued, UpToDate: drawn.Current, Bypass: []string{"ann", "bob"}}
	if drawn.Beset {
		p.Bypass = append(p.Bypass, ledger.Forger)
	}
	if drawn.Gated {
		p.RequiredChecks = []string{ledger.Gate}
	}
	return w.ledger.GitHub.Protect(shape.Home, "main", p)
}

// spoil begins GitHub's bad day, if the history has one. Before it the program has found its pipeline: what is merged
// earlier is no freight. What fails or comes in another order may leave the program without an event for a while.
func (w *World) spoil() {
	if len(w.ledger.Shape.Days) == 0 {
		return
	}
	days := make([]githubsim.Profile, len(w.ledger.Shape.Days))
	for i, day := range w.ledger.Shape.Days {
		days[i] = githubsim.Profile(day)
	}
	w.ledger.GitHub.Behave(w.plan.Seed, days...)
	w.ledger.Gaps.Miss(w.ledger.GitHub.Unsent())
	if w.ledger.Shape.Has(shape.Strict) {
		w.schedule.Restart(0) // its tokens keep the permission that is taken
		for _, p := range ledger.Permissions {
			if !w.ledger.GitHub.Grants(p.Name, p.Level) {
				w.ledger.Gaps.Deny(p.Name, 0)
			}
		}
	}
	w.ledger.Gaps.Deaf = w.ledger.Shape.Has(shape.Failing) || w.ledger.Shape.Has(shape.Noisy) ||
		w.ledger.Shape.Has(shape.Limiting)
	w.harden()
}

// harden makes GitHub as hard to live with as the history has it from its beginning on.
func (w *World) harden() {
	if n := w.ledger.Shape.Lag; n > 0 {
		w.ledger.GitHub.LagBehind(n)
	}
	if n := w.ledger.Shape.Content; n > 0 {
		w.ledger.GitHub.LimitContent(n, 60*n)
	}
}

// signIn holds the OAuth credentials that the program and GitHub share.
var signIn = githubsim.OAuth{ClientID: "Iv1.torture", ClientSecret: "nobody signs in without this", As: "ann"}

// build creates the organisation, its repositories and its people.
func (w *World) build() error {
	files := map[string]string{"README.md": "# deploy\n"}
	for path, text := range w.ledger.Checkout.Pipeline.Lacking(func(*shape.Stage, string) bool { return false }) {
		if s := w.ledger.Checkout.Pipeline.Stage(shape.StageOf(path)); !s.Rolls() || w.ledger.Shape.Knows(path) {
			files[path] = *text
		}
	}
	files[".github/waybill.yml"] = w.ledger.Checkout.PipelineText()
	w.ledger.Log.Told.Pipeline = files[".github/waybill.yml"]
	w.ledger.Log.Told.Policy = w.ledger.Checkout.Pipeline.PolicyText()
	maps.Copy(files, w.ledger.Checkout.WorkflowFiles())
	files[".github/waybill.policy.yml"] = w.ledger.Checkout.Pipeline.PolicyText()
	repos := w.ledger.Shape.Repos()
	for _, wh := range w.ledger.Checkout.Pipeline.Warehouses {
		if repo := w.ledger.Checkout.Pipeline.Sources[wh]; !slices.Contains(repos, repo) {
			repos = append(repos, repo)
		}
	}
	errs := []error{w.ledger.GitHub.CreateOrg("acme"),
		w.ledger.GitHub.CreateRepo(shape.Home, shape.Belonging(&w.ledger.Checkout.Pipeline, shape.Here, files))}
	for _, repo := range repos[1:] {
		errs = append(errs, w.ledger.GitHub.CreateRepo(repo, map[string]string{".github/waybill.yml": shape.Allowing}))
	}
	for _, login := range []string{"ann", "bob", "eve"} {
		errs = append(errs, w.ledger.GitHub.CreateUser(login, "acme"))
		for _, repo := range repos {
			errs = append(errs, w.ledger.GitHub.SetPermission(repo, login, w.ledger.Checkout.People[login]))
		}
	}
	errs = append(errs, w.cast.Admit(repos))
	errs = append(errs, w.ledger.Checkout.MakePlaces(files)...)
	w.cast.Monitor.ShowFirst()
	w.cast.Accidents.Installed = repos
	var err error
	w.installation, err = w.ledger.GitHub.InstallApp("acme", repos...)
	if !slices.ContainsFunc(w.ledger.Checkout.Pipeline.Warehouses,
		func(wh string) bool { return w.ledger.Checkout.Pipeline.Kinds[wh] == "pull-requests" }) {
		errs = append(errs, w.openForum())
	}
	for _, d := range w.ledger.GitHub.Waiting() {
		w.ledger.GitHub.Lose(d.ID) // the program starts after its installation
	}
	return errors.Join(append(errs, err)...)
}

// openForum merges a pull request that is no freight. People give commands on it.
func (w *World) openForum() (err error) {
	w.ledger.Checkout.Forum, err = w.ledger.GitHub.OpenPull(shape.Home, githubsim.PullSpec{
		Title: "Hello", Head: "hello", Author: "ann", Files: map[string]*string{"HELLO.md": githubsim.Text("hello\n")},
	})
	if err == nil {
		_, err = w.ledger.GitHub.MergePull(shape.Home, w.ledger.Checkout.Forum, "ann", "squash")
	}
	return err
}

// settings returns the settings of the program.
func (w *World) settings(tokens string) config.Server {
	s := config.Server{
		PublicURL:   act.PublicURL,
		DatabaseURL: config.Secret(w.machine.database),
		Resync:      config.DefaultResync,
		GitHub: config.GitHub{
			WebURL: w.ledger.GitHub.URL(), V3APIURL: w.ledger.GitHub.V3URL(), V4APIURL: w.ledger.GitHub.V4URL(),
			AppID:         w.ledger.GitHub.AppID(),
			PrivateKey:    config.Secret(w.ledger.GitHub.PrivateKeyPEM()),
			WebhookSecret: config.Secret(w.ledger.GitHub.WebhookSecret()),
			OAuthClientID: signIn.ClientID, OAuthClientSecret: config.Secret(signIn.ClientSecret),
		},
	}
	s.Slack, s.APITokensFile = slackSettings(w.ledger.Chat), tokens
	if w.machine.ear != nil {
		w.machine.ear.settings(&s)
	}
	return s
}

// slackSettings returns the settings by which the program reaches Slack, which are empty without a Slack.
func slackSettings(c *ledger.Chat) config.Slack {
	if c == nil {
		return config.Slack{}
	}
	return config.Slack{BotToken: config.Secret(c.BotToken()), SigningSecret: config.Secret(c.SigningSecret()),
		APIURL: c.APIURL()}
}
