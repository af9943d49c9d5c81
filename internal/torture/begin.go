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
	"waybill/internal/torture/shape"
	"waybill/internal/wireless"
	"waybill/promotion"
	"waybill/store"
)

// openChat makes the Slack of a history.
func openChat(m *Machine, log *Journal) (c *chat, err error) {
	c = &chat{ids: map[string]string{}}
	c.Server, err = slacksim.Start(slacksim.Options{
		Offline: true, Clock: time.Now, Wire: toProgram{m}, Retries: []time.Duration{}, PostsPerSecond: 1,
		Report: func(err error) { log.broken("Slack is asked what it can answer", "%v", err) },
	})
	if err != nil {
		return nil, err
	}
	c.AddChannel(shape.Room)
	for _, name := range []string{"ann", "bob", "eve", "zoe"} {
		c.ids[name] = c.AddUser(slacksim.User{Name: name})
	}
	c.SetRequestURL(publicURL)
	return c, nil
}

// toProgram carries what Slack tells to the program: to nobody while it is dead.
type toProgram struct{ *Machine }

// RoundTrip implements http.RoundTripper.
func (x toProgram) RoundTrip(r *http.Request) (*http.Response, error) {
	if x.program == nil {
		return nil, io.ErrUnexpectedEOF
	}
	return wireless.Answer(x.handler(), r)
}

// link says who people in Slack are on GitHub, as if they had said so in their browsers.
func (w *World) link() error {
	return w.machine.program.service.Store.Update(w.machine.program.ctx, func(tx *store.Tx) error {
		for login := range w.checkout.people {
			o := store.LinkOffer{State: login, For: store.SlackUser{Team: slacksim.Team, ID: w.chat.ids[login]}, Name: login, Expires: tx.Now.Add(time.Minute)}
			if err := tx.People.OfferLink(o); err != nil {
				return err
			}
			if _, err := tx.People.CompleteLink(o.State, promotion.Actor{ID: w.github.AccountID(login), Login: promotion.Login(login)}); err != nil {
				return err
			}
		}
		return nil
	})
}

// protect gives the branch of the stages a merge queue. People may go around it.
func (w *World) protect() error {
	p := githubsim.Protection{MergeQueue: true, Bypass: []string{"ann", "bob"}}
	if w.shape.Gated {
		p.RequiredChecks = []string{gate}
	}
	return w.github.Protect(shape.Home, "main", p)
}

// allowing is a file by which a repository allows the pipeline to write there.
const allowing = "version: 1\nallow: [" + shape.Home + "]\n"

// publicURL is where the program would be, and signIn what it and GitHub know each other's sign-in by.
const publicURL = "http://waybill.invalid"

var signIn = githubsim.OAuth{ClientID: "Iv1.torture", ClientSecret: "nobody signs in without this", As: "ann"}

// build makes the organisation, its repositories and its people.
func (w *World) build() error {
	files := map[string]string{"README.md": "# deploy\n"}
	for path, text := range w.checkout.pipeline.Lacking(func(*shape.Stage, string) bool { return false }) {
		if s := w.checkout.pipeline.Stage(shape.StageOf(path)); !s.Rolls() || w.shape.Knows(path) {
			files[path] = *text
		}
	}
	files[".github/waybill.yml"] = w.checkout.pipelineText()
	w.log.told.pipeline, w.log.told.policy = files[".github/waybill.yml"], w.checkout.pipeline.PolicyText()
	maps.Copy(files, w.checkout.workflowFiles())
	files[".github/waybill.policy.yml"] = w.checkout.pipeline.PolicyText()
	repos := w.shape.Repos()
	for _, wh := range w.checkout.pipeline.Warehouses {
		if repo := w.checkout.pipeline.Sources[wh]; !slices.Contains(repos, repo) {
			repos = append(repos, repo)
		}
	}
	errs := []error{w.github.CreateOrg("acme"), w.github.CreateRepo(shape.Home, shape.Belonging(&w.checkout.pipeline, shape.Here, files))}
	for _, repo := range repos[1:] {
		errs = append(errs, w.github.CreateRepo(repo, map[string]string{".github/waybill.yml": allowing}))
	}
	for _, login := range []string{"ann", "bob", "eve"} {
		errs = append(errs, w.github.CreateUser(login, "acme"))
		for _, repo := range repos {
			errs = append(errs, w.github.SetPermission(repo, login, w.checkout.people[login]))
		}
	}
	errs = append(errs, w.checkout.makePlaces(files)...)
	w.cast.monitor.showFirst()
	w.cast.accidents.installed = repos
	_, err := w.github.InstallApp("acme", repos...)
	if !slices.ContainsFunc(w.checkout.pipeline.Warehouses, func(wh string) bool { return w.checkout.pipeline.Kinds[wh] == "pull-requests" }) {
		errs = append(errs, w.openForum())
	}
	for _, d := range w.github.Waiting() {
		w.github.Lose(d.ID) // the program is started after it was installed
	}
	return errors.Join(append(errs, err)...)
}

// openForum merges a pull request that is no freight, where people give commands.
func (w *World) openForum() (err error) {
	w.checkout.forum, err = w.github.OpenPull(shape.Home, githubsim.PullSpec{
		Title: "Hello", Head: "hello", Author: "ann", Files: map[string]*string{"HELLO.md": githubsim.Text("hello\n")},
	})
	if err == nil {
		_, err = w.github.MergePull(shape.Home, w.checkout.forum, "ann", "squash")
	}
	return err
}

// settings are those of the program.
func (w *World) settings(tokens string) config.Server {
	s := config.Server{
		PublicURL:   publicURL,
		DatabaseURL: "sqlite://" + w.machine.file,
		Resync:      config.DefaultResync,
		GitHub: config.GitHub{
			WebURL: w.github.URL(), V3APIURL: w.github.V3URL(), V4APIURL: w.github.V4URL(), AppID: w.github.AppID(),
			PrivateKey: config.Secret(w.github.PrivateKeyPEM()), WebhookSecret: config.Secret(w.github.WebhookSecret()),
			OAuthClientID: signIn.ClientID, OAuthClientSecret: config.Secret(signIn.ClientSecret),
		},
	}
	s.Slack, s.APITokensFile = w.chat.settings(), tokens
	if w.machine.ear != nil {
		w.machine.ear.settings(&s)
	}
	return s
}
