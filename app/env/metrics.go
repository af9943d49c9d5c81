package env

import (
	"github.com/prometheus/client_golang/prometheus"
)

// metrics are counted where work is done. What waits is counted when it is asked for (census.go).
type metrics struct {
	Received   *prometheus.CounterVec // requests to the webhook, by outcome
	Deliveries *prometheus.CounterVec // deliveries handled
	Ignored    *prometheus.CounterVec // deliveries that carry no facts, or that cannot be read
	Parked     prometheus.Counter     // deliveries set aside for a person

	Withheld *prometheus.CounterVec // answers that people do not get
	Unread   *prometheus.CounterVec // what is not read of pull requests of forks

	decisions, promotions, effects, views, requests *prometheus.CounterVec

	decisionTook, effectTook, requestTook, resyncTook *prometheus.HistogramVec

	Sweeps                       *prometheus.CounterVec // searches for missed deliveries
	Missed, Redelivered, GivenUp prometheus.Counter     // the deliveries that they found missing, asked for, and gave up

	resyncs                                          *prometheus.CounterVec
	resynced, unresynced, remaining, reset, answered *prometheus.GaugeVec

	Panics    *prometheus.CounterVec // bugs, by the kind of work that they were contained in
	Errors    *prometheus.CounterVec // errors of workers
	Forgotten prometheus.Counter     // rows that retention has removed

	stages, installations, repos bounded
	catalogue                    catalogue
}

var seconds = []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100}

func newMetrics(r prometheus.Registerer) *metrics {
	m := &metrics{catalogue: catalogue{registry: r}}
	m.ofWebhooks(&m.catalogue)
	m.ofWork(&m.catalogue)
	m.ofResyncs(&m.catalogue)
	return m
}

func (m *metrics) ofWebhooks(c *catalogue) {
	m.Received = c.counter(Metric{
		Name: "waybill_webhook_requests_total", Labels: []string{"outcome", "event"},
		Help: "Requests to the webhook by their outcome; the event is empty unless the signature was found right.",
		Act: "`refused`: compare the secret of the App with the server's. `lost`: the database cannot be written, " +
			"see the log. `turned-away`: more webhooks at once than fit; GitHub is asked for them again. " +
			"`idle`: nothing; they tell nothing.",
	})
	m.Deliveries = c.counter(Metric{
		Name: "waybill_deliveries_handled_total", Labels: []string{"event"},
		Help: "Deliveries whose facts have been recorded.",
		Act: "Nothing. If it stands still while `waybill_webhook_requests_total` of `stored` rises, look at " +
			"`waybill_queue_oldest_seconds`.",
	})
	m.Ignored = c.counter(Metric{
		Name: "waybill_deliveries_ignored_total", Labels: []string{"event"},
		Help: "Deliveries that tell nothing, or that cannot be read.",
		Act:  "Nothing, unless it rises after an upgrade of GitHub Enterprise Server: then report it as a bug.",
	})
	m.Parked = c.counter(Metric{
		Name: "waybill_deliveries_parked_total", Help: "Deliveries that were set aside for a person to look at.",
		Act: "`waybill deliveries list` shows them with their errors, `waybill deliveries replay` tries them again.",
	}).WithLabelValues()
	m.Withheld = c.counter(Metric{
		Name: "waybill_answers_withheld_total", Labels: []string{"kind", "who"},
		Help: "Answers that people did not get, because they had had enough within an hour, or because GitHub allows no " +
			"more comments now: words or a reaction on GitHub, or a message in Slack. Writers may write in the home " +
			"repository. The commands were obeyed or refused all the same.",
		Act: "`writer`: does an automation give commands as a person? Have it use the API. `other`: nothing, or limit on " +
			"GitHub who may comment.",
	})
	m.Unread = c.counter(Metric{
		Name: "waybill_readings_withheld_total", Labels: []string{"what"},
		Help: "Pull requests of forks that were not read, or not to the end, because enough was read within an hour for " +
			"people without write access, or because little was left of the hour: which files they change, or the " +
			"pipeline files that they propose. Their checks say so.",
		Act: "Nothing: who may write has one read with *Re-run* on its check. If it rises for long, limit on GitHub who " +
			"may open pull requests.",
	})
	m.Sweeps = c.counter(Metric{
		Name: "waybill_sweep_runs_total", Labels: []string{"outcome"},
		Help: "Searches for missed deliveries, by how they ended.",
		Act:  "`failed`: GitHub cannot be asked as the App, see the log. Lost webhooks are found once it can.",
	})
	m.Missed = c.counter(Metric{
		Name: "waybill_sweep_missed_total", Help: "Deliveries that GitHub attempted in vain.",
		Act: "The server was away, or the proxy before it refuses: look there. Waybill has GitHub send them again.",
	}).WithLabelValues()
	m.Redelivered = c.counter(Metric{
		Name: "waybill_sweep_redelivered_total", Help: "Redeliveries that GitHub was asked for.", Act: "Nothing.",
	}).WithLabelValues()
	m.GivenUp = c.counter(Metric{
		Name: "waybill_sweep_given_up_total",
		Help: "Missed deliveries that will not come, and were made up for by a resync.",
		Act:  "Commands among them are lost: their people see no reaction, and repeat them. All else is found again.",
	}).WithLabelValues()
}

func (m *metrics) ofWork(c *catalogue) {
	m.decisions = c.counter(Metric{
		Name: "waybill_decisions_total", Labels: []string{"outcome"},
		Help: "Decisions on stages: something changed, nothing did, or the stage could not be decided.",
		Act:  "`failed`: the log names the stage; it is tried again each minute, and no other stage waits for it.",
	})
	m.decisionTook = c.histogram(Metric{
		Name: "waybill_decision_duration_seconds", Help: "How long a decision on a stage took.",
		Act: "Usual is below 0.1. If it rises, the disk is slow or the processor is busy.",
	}, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3)
	m.promotions = c.counter(Metric{
		Name: "waybill_promotions_total", Labels: []string{"repo", "stage", "class", "outcome"},
		Help: "Promotions that have ended, by the home repository of their pipeline.",
		Act: "`verification-failed` and `failed` are for the people of the stage: `/why` and the comment on the " +
			"pull request say why. `failed` in many stages at once is for the operator: see the log.",
	})
	m.effects = c.counter(Metric{
		Name: "waybill_effects_total", Labels: []string{"verb", "outcome"},
		Help: "Effects that were tried: done, to be tried again, or failed.",
		Act: "`again`: GitHub refuses or does not answer, see `waybill_github_requests_total` and the log. " +
			"`failed`: a person has to look; `/why` has GitHub's words.",
	})
	m.effectTook = c.histogram(Metric{
		Name: "waybill_effect_duration_seconds", Labels: []string{"verb"}, Help: "How long a try of an effect took.",
		Act: "GitHub is slow, or its limits are used up: see `waybill_github_request_duration_seconds`.",
	}, seconds...)
	m.views = c.counter(Metric{
		Name: "waybill_views_total", Labels: []string{"kind", "outcome"},
		Help: "Check runs, comments, labels, deployments and messages that were shown, or are to be tried again.",
		Act:  "`again`: as for `waybill_effects_total`. Promotions go on; people see an older state meanwhile.",
	})
	m.requests = c.counter(Metric{
		Name: "waybill_github_requests_total", Labels: []string{"route", "status"},
		Help: "Requests to GitHub by class and status of the answer; 304 costs nothing, 0 is no answer.",
		Act: "`401`: the App's key. `403` and `429`: limits, or a permission that is missing. `5xx` and `0`: " +
			"GitHub or the network, githubstatus.com.",
	})
	m.requestTook = c.histogram(Metric{
		Name: "waybill_github_request_duration_seconds", Labels: []string{"route"}, Help: "How long GitHub took to answer.",
		Act: "GitHub or the network is slow. Everything happens later, and nothing is lost.",
	}, seconds...)
	m.remaining = c.gauge(Metric{
		Name: "waybill_github_remaining", Labels: []string{"installation", "resource"},
		Help: "What is left of an installation's hour.",
		Act: "Below a fifth of it answers, views and resyncs wait for the next hour, at 0 everything does. Find out who " +
			"else uses the App; resync less often (`resync`).",
	})
	m.reset = c.gauge(Metric{
		Name: "waybill_github_reset_timestamp_seconds", Labels: []string{"installation", "resource"},
		Help: "When an installation's hour ends.", Act: "Nothing. What waits for it goes on then.",
	})
	m.answered = c.gauge(Metric{
		Name: "waybill_github_answered", Labels: []string{"installation"},
		Help: "1 if GitHub answered the last request for an installation, 0 if it did not, or with an error of its own.",
		Act:  "All at 0: GitHub or the network. One at 0: its work is tried again, and others do not wait for it.",
	})
	m.Errors = c.counter(Metric{
		Name: "waybill_worker_errors_total", Labels: []string{"worker"},
		Help: "Errors of workers that are not GitHub's: a step, or work that is done by the clock, is tried again.",
		Act:  "The log has them. Usually the database cannot be read or written: the disk is full, or the file is damaged.",
	})
	m.Panics = c.counter(Metric{
		Name: "waybill_panics_total", Labels: []string{"where"},
		Help: "Bugs that were contained, by the work in which they happened.",
		Act:  "Report it with the stack from the log. That work is parked or tried again, all else goes on.",
	})
	m.Forgotten = c.counter(Metric{
		Name: "waybill_forgotten_rows_total", Help: "Old rows that were deleted because nothing needs them.", Act: "Nothing.",
	}).WithLabelValues()
}

func (m *metrics) ofResyncs(c *catalogue) {
	m.resyncs = c.counter(Metric{
		Name: "waybill_resync_total", Labels: []string{"result"}, Help: "Resyncs of pipelines by result.",
		Act: "`failed`: `waybill status` says why; it is repeated with delays.",
	})
	m.resyncTook = c.histogram(Metric{
		Name: "waybill_resync_duration_seconds", Help: "How long a resync of a pipeline took.",
		Act: "Many things have changed, or GitHub is slow.",
	}, 0.1, 0.3, 1, 3, 10, 30, 100, 300)
	m.resynced = c.gauge(Metric{
		Name: "waybill_resync_last_timestamp_seconds", Labels: []string{"repo"},
		Help: "When the last complete resync of a pipeline ended.",
		Act:  "If it is older than two intervals: `waybill resync`, and read its error.",
	})
	m.unresynced = c.gauge(Metric{
		Name: "waybill_resync_failures", Labels: []string{"repo"},
		Help: "Resyncs of a pipeline that have failed since the last complete one.",
		Act:  "`waybill status` says which repository could not be read, and why.",
	})
}
