package app

import (
	"encoding/json"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"waybill/app/api"
	"waybill/config"
	"waybill/handlers"
)

// Handler returns all routes: the webhook, health, readiness, metrics, and the API with its sign-in.
func (a *App) Handler(
	o handlers.Options, chat config.Slack, registry *prometheus.Registry, reading http.Handler,
) (http.Handler, error) {
	o.Inbox, o.Clock = a.inbox, a.Clock
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
		mux.Handle("/api/slack/", routes)
	}
	mux.Handle("/api/github/hook", hook)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, nil) })
	mux.HandleFunc("GET /readyz", a.readyz)
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.Handle("/api/v1/", reading)
	mux.Handle(api.SignInPath, reading)
	mux.Handle(api.CallbackPath, reading)
	mux.Handle(api.LinkPath, reading)
	return mux, nil
}

// readyz answers 200 when the database can be written and GitHub could be reached at the last try, else 503 with the
// errors.
func (a *App) readyz(w http.ResponseWriter, r *http.Request) {
	trouble := map[string]string{}
	if err := a.Store.Ping(r.Context()); err != nil {
		trouble["database"] = err.Error()
	}
	if err := a.loop.Ready.Last(); err != "" {
		trouble["github"] = err
	}
	status := http.StatusOK
	if len(trouble) > 0 {
		status = http.StatusServiceUnavailable
	}
	answer(w, status, trouble)
}

func answer(w http.ResponseWriter, status int, trouble map[string]string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"ok": status == http.StatusOK, "trouble": trouble})
}
