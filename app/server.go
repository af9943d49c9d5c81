package app

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"waybill/app/api"
	"waybill/app/page"
	"waybill/config"
	"waybill/handlers"
	"waybill/store/driver"
)

// maxScrapes is how many answers with all metrics are made at once: each counts rows of the database.
const maxScrapes = 4

// Handler returns all routes: the webhook, health, readiness, metrics, the API with its sign-in, and the pages.
func (a *App) Handler(
	o handlers.Options, chat config.Slack, metrics http.Handler, reading *api.Server,
) (http.Handler, error) {
	o.Inbox, o.Clock = a.inbox, a.Clock
	if a.origins != nil {
		o.Admits = a.origins.admits
	}
	o.Count = func(outcome handlers.Outcome, event string) {
		a.Metrics.Received.WithLabelValues(string(outcome), event).Inc()
	}
	hook, err := handlers.GitHub(o)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	if chat.SigningSecret != "" {
		routes, err := handlers.Slack(handlers.SlackOptions{
			SigningSecret: string(chat.SigningSecret), Inbox: o.Inbox, Clock: o.Clock, Count: o.Count,
		})
		if err != nil {
			return nil, err
		}
		mux.Handle("/api/slack/", handlers.Arrived(routes))
	}
	mux.Handle(handlers.GitHubPath, handlers.Arrived(hook))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { answer(w, probed{OK: true}) })
	mux.HandleFunc("GET /readyz", a.readyz)
	mux.Handle("GET /metrics", metrics)
	mux.Handle("/api/v1/", handlers.Arrived(reading))
	mux.Handle(api.SignInPath, reading)
	mux.Handle(api.CallbackPath, reading)
	mux.Handle(api.LinkPath, reading)
	mux.Handle("POST "+api.SignOutPath, reading)
	mux.Handle("/", handlers.Arrived(page.New(reading, reading.SignsIn(), a.Clock)))
	return mux, nil
}

// metricsOf answers requests for metrics. These name repositories, so that only the server's own network gets them,
// unless the settings open them.
func metricsOf(registry *prometheus.Registry, open bool) http.Handler {
	all := promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !open && !handlers.Inside(r) {
			http.Error(w, "metrics are for the server's own network, without a proxy between; WAYBILL_METRICS_FROM=anywhere "+
				"opens them", http.StatusForbidden)
			return
		}
		all.ServeHTTP(w, r)
	})
}

// readyz answers 200 if the server can do its work, else 503 with the reasons: the last use of the database failed, or
// GitHub has not recognised the App since the start. It neither reads nor writes. With ?verbose it lists what it has
// looked at, the installations for which GitHub does not answer, what the App lacks on GitHub and which feature that
// switches off, and the accounts that have the name of an owner whom
// the server works for, all by id. They are no reason for 503: the server works for all others. It names nobody: the
// API's doctor does.
func (a *App) readyz(w http.ResponseWriter, r *http.Request) {
	trouble := map[string]string{}
	if err := a.Store.Trouble(); err != nil {
		trouble["database"] = err.Error()
		if errors.Is(err, driver.ErrUnreachable) { // it names the server and the role, and everybody may read this
			trouble["database"] = "its server cannot be reached, or refuses the connection: the log and the API's doctor say why"
		}
	}
	if err := a.loop.SignIn.Last(); err != "" {
		trouble["github"] = err
	}
	state := probed{OK: len(trouble) == 0, Trouble: trouble}
	if r.URL.Query().Has("verbose") {
		state.Checks = map[string]string{}
		for _, name := range []string{"database", "github"} {
			state.Checks[name] = cmp.Or(trouble[name], "ok")
		}
		state.Installations, state.Owners = a.loop.Reach.Failing(), a.Owners.Others()
		for _, l := range a.Grants.All() {
			state.Missing = append(state.Missing, missing{l.Name, l.Event, l.Installation, l.Off})
		}
	}
	answer(w, state)
}

// probed is an answer of /healthz and /readyz.
type probed struct {
	OK            bool              `json:"ok"`
	Trouble       map[string]string `json:"trouble"`
	Checks        map[string]string `json:"checks,omitempty"`        // what was looked at: "ok", or the trouble
	Installations map[int64]string  `json:"installations,omitempty"` // for which GitHub does not answer, and why not
	// Owners are accounts that are not served because they have the name of another one.
	Owners []int64 `json:"owners,omitempty"`
	// Missing are the permissions and events that the App lacks.
	Missing []missing `json:"missing,omitempty"`
}

// missing is a permission or an event that the App lacks, and the feature that is off.
type missing struct {
	Name         string `json:"name"`
	Event        bool   `json:"event,omitempty"`
	Installation int64  `json:"installation,omitempty"` // that has not accepted it
	Off          string `json:"off"`
}

func answer(w http.ResponseWriter, state probed) {
	w.Header().Set("Content-Type", "application/json")
	if !state.OK {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(state)
}
