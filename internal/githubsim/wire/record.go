package wire

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// RecordedRequest is one request to an API, in order of arrival.
type RecordedRequest struct {
	Method string
	Route  string // template: /repos/{owner}/{repo}/pulls; /graphql for GraphQL; empty if unknown
	Path   string // with the query
	// Fields are the top-level fields of a GraphQL document (createRef, createPullRequest).
	Fields []string
	Writes bool // it may change something: it is no GET, and no query
	Status int  // 0 if the reply was lost or not sent yet
	At     time.Time
}

// recorder records the requests and the last answers.
type recorder struct {
	mu       sync.Mutex
	requests []RecordedRequest
	last     map[string]saved // by request; bounded by mostSaved
}

// mostSaved is the number of answers kept for stale reads. If there are more, all are dropped.
const mostSaved = 1000

// saved is the last good answer to a request, for stale reads.
type saved struct {
	at     time.Time
	status int
	header http.Header
	body   []byte
}

// list lists every request so far.
func (r *recorder) list() []RecordedRequest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

// forget clears the list.
func (r *recorder) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = nil
}

// begin records a request and returns its index in the list.
func (r *recorder) begin(request RecordedRequest) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, request)
	return len(r.requests) - 1
}

func (r *recorder) end(place, status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if place < len(r.requests) {
		r.requests[place].Status = status
	}
}

// topFields lists the top-level fields of a GraphQL request, none if it does not parse, and whether these are
// mutations.
func topFields(body []byte) (fields []string, writes bool) {
	var in struct {
		Query string `json:"query"`
	}
	if json.Unmarshal(body, &in) != nil {
		return nil, false
	}
	document, err := parser.ParseQuery(&ast.Source{Input: in.Query})
	if err != nil {
		return nil, false
	}
	for _, operation := range document.Operations {
		writes = writes || operation.Operation == ast.Mutation
		for _, selection := range operation.SelectionSet {
			if field, isField := selection.(*ast.Field); isField {
				fields = append(fields, field.Name)
			}
		}
	}
	return fields, writes
}

// keep stores the last good answer to a read, unless it was itself one of before.
func (r *recorder) keep(at time.Time, request *http.Request, body []byte, answer *buffered) {
	reads := request.Method == http.MethodGet || request.URL.Path == "/api/graphql"
	if answer.Status != http.StatusOK || answer.old || !reads {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil || len(r.last) >= mostSaved {
		r.last = map[string]saved{}
	}
	r.last[question(request, body)] = saved{
		at: at, status: answer.Status, header: answer.Header().Clone(), body: bytes.Clone(answer.Body.Bytes()),
	}
}

func (r *recorder) recall(request *http.Request, body []byte) (saved, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	old, found := r.last[question(request, body)]
	return old, found
}

// question is what a request asks, and for whom.
func question(request *http.Request, body []byte) string {
	return request.Header.Get("Authorization") + "\n" + request.URL.RequestURI() + "\n" + string(body)
}
