package api

import (
	"encoding/json"
	"net/http"
)

// root is where everything begins that needs to know who asks.
const root = "/api/v1/"

// Route is one request that the API answers.
type Route struct {
	Method, Path string
	Needs        Scope
	At           Reach
	Says         string // the answer, in a sentence for docs/api.md
	Query        string // the parameters that it takes
	Asks         string // an example of these; empty: docs/api.md shows the answer without any
	Workflows    bool   // runs of workflows may ask, too
	Makes        bool   // 201 says that something was made
	Takes        any    // the zero value of its body; nil if it has none
	Body         string // an example of that
	Answers      any    // the zero value of its answer; of an element, for a stream

	do     func(s *Server, c *call) (answer any, err error)
	stream func(s *Server, c *call, w http.ResponseWriter) error // instead of do
}

// Reach is the subject of a route, and so the right that it needs.
type Reach int

const (
	// AnyPipeline is all pipelines that the caller may read: the handler leaves out the others.
	AnyPipeline Reach = iota
	// OnePipeline is the pipeline that the path names.
	OnePipeline
	// Everywhere is the whole server: a matter for tokens that are not bound to repositories.
	Everywhere
)

// Routes are all of them.
var Routes = []Route{
	{
		Method: http.MethodGet, Path: "/api/v1/pipelines", At: AnyPipeline, Query: "limit, cursor",
		Says: "All pipelines that the caller may read, by the name of their home repository.", Answers: Pipelines{},
		do: (*Server).pipelines,
	},
	{
		Method: http.MethodGet, Path: "/api/v1/pipelines/{owner}/{repo}", At: OnePipeline, Query: "stages, most",
		Says: "One pipeline: its files, the last and the next resync, and every stage with the freight that it hosts " +
			"and the reasons why it waits. `stages` leaves those that it names, as in a command (`*-prod`, " +
			"`group:prod`; 404 if there are none), and `most` the first so many.",
		Answers: Pipeline{}, do: (*Server).onePipeline,
	},
	{
		Method: http.MethodGet, Path: "/api/v1/pipelines/{owner}/{repo}/stages/{stage}", At: OnePipeline,
		Query:   "limit",
		Says:    "One stage, in any case of letters, and the state of the newest freight of its warehouses in it.",
		Answers: StageDetail{}, do: (*Server).oneStage,
	},
	{
		Method: http.MethodGet, Path: "/api/v1/pipelines/{owner}/{repo}/stages/{stage}/policy/{login}", At: OnePipeline,
		Says:    "A person's rights in a stage, as GitHub and the policy files say now, and the rule that decides each.",
		Answers: Explanation{}, do: (*Server).explain,
	},
	{
		Method: http.MethodGet, Path: "/api/v1/pipelines/{owner}/{repo}/freight", At: OnePipeline, Query: "limit, cursor",
		Says:    "The freight of all warehouses, newest first, and the stages that host it or have hosted it.",
		Answers: FreightPage{}, do: (*Server).freight,
	},
	{
		Method: http.MethodPost, Path: "/api/v1/pipelines/{owner}/{repo}/freight", Needs: Operate, At: OnePipeline,
		Says: "Makes freight of a report of CI, for a warehouse with `reports`: 201 if it is new, 200 if the same was " +
			"reported before. 403: the warehouse takes no reports of this run of a workflow. 409: that version is freight " +
			"already, with other contents. 422: no such warehouse or commit, or a value is missing that a stage writes.",
		Workflows: true, Makes: true, Takes: Report{},
		Body:    `{"warehouse": "image", "version": "1.4.2", "commit": "{commit}", "image": "ghcr.io/acme/api"}`,
		Answers: Freight{}, do: (*Server).report,
	},
	{
		Method: http.MethodGet, Path: "/api/v1/pipelines/{owner}/{repo}/promotions", At: OnePipeline,
		Query:   "stage, limit, cursor",
		Says:    "Promotions of the pipeline, or of the stages that `stage` names as in a command, newest first.",
		Answers: Promotions{}, do: (*Server).promotions,
	},
	{
		Method: http.MethodGet, Path: "/api/v1/pipelines/{owner}/{repo}/promotions/{number}", At: OnePipeline,
		Says: "One promotion, and everything that was done for it at GitHub.", Answers: PromotionDetail{},
		do: (*Server).onePromotion,
	},
	{
		Method: http.MethodGet, Path: "/api/v1/pipelines/{owner}/{repo}/events", At: OnePipeline, Query: "after",
		Says: "The audit trail as it is written, as server-sent events: new lines, or those after " +
			"`Last-Event-ID` or `after`.",
		Answers: Event{}, stream: (*Server).events,
	},
	{
		Method: http.MethodGet, Path: "/api/v1/pipelines/{owner}/{repo}/audit", At: OnePipeline, Query: "limit, cursor",
		Asks: "limit=1",
		Says: "The audit trail, newest line first.", Answers: Trail{}, do: (*Server).trail,
	},
	{
		Method: http.MethodGet, Path: "/api/v1/pipelines/{owner}/{repo}/numbers", At: OnePipeline,
		Query: "since, stages",
		Asks:  "since=2d",
		Says: "How delivery goes: how often, how long from the merge, how many changes fail, and how long until a stage is " +
			"well again; docs/numbers.md says what each number means. `since` is a time, a day (2026-01-31) or a number of " +
			"days (7d); without it, the last 28 days. `stages` leaves the stages that it names, as in a command; " +
			"404 if there are none.",
		Answers: Numbers{}, do: (*Server).numbers,
	},
	{
		Method: http.MethodGet, Path: "/api/v1/openapi.json", At: AnyPipeline,
		Says: "The description of all this for programs, in OpenAPI 3.0.", Answers: json.RawMessage{}, do: (*Server).openAPI,
	},
	{
		Method: http.MethodGet, Path: "/api/v1/me", At: AnyPipeline, Says: "Who the caller is.", Answers: Me{},
		do: (*Server).me,
	},
	{
		Method: http.MethodGet, Path: "/api/v1/doctor", At: Everywhere,
		Says: "What is wrong with the server, the App and the pipelines, and what to do. It asks GitHub three times and " +
			"Slack once, however many repositories there are.",
		Answers: Health{}, do: (*Server).doctor,
	},
	{
		Method: http.MethodGet, Path: "/api/v1/deliveries", At: Everywhere, Query: "state, limit, cursor",
		Says:    "Deliveries from outside, newest first: those that are parked, or `waiting`, or `handled`.",
		Answers: Deliveries{}, do: (*Server).deliveries,
	},
	{
		Method: http.MethodGet, Path: "/api/v1/deliveries/{guid}", At: Everywhere,
		Says: "One delivery, with its body for those who may operate.", Answers: DeliveryDetail{}, do: (*Server).oneDelivery,
	},
	{
		Method: http.MethodPost, Path: "/api/v1/deliveries/{guid}/replay", Needs: Operate, At: Everywhere,
		Says: "Has a delivery handled again that was parked.", Answers: Delivery{}, do: (*Server).replay,
	},
	{
		Method: http.MethodPost, Path: "/api/v1/pipelines/{owner}/{repo}/commands", At: OnePipeline,
		Says: "Gives a command in the name of the person who has signed in, or for whom the token acts: with their rights " +
			"on GitHub, and as if they had typed it on a pull request. With an `Idempotency-Key` of yours it happens once, " +
			"however often it is sent.",
		Takes: Command{}, Body: `{"command": "status"}`, Answers: Answer{}, do: (*Server).command,
	},
	{
		Method: http.MethodPost, Path: "/api/v1/pipelines/{owner}/{repo}/resync", Needs: Operate, At: OnePipeline,
		Says: "Reconciles the pipeline with GitHub now, and answers when that is done.", Answers: Resync{},
		do: (*Server).resync,
	},
}
