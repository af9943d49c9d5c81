package contract

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
)

// checkRequest records violations in a request.
func (r *route) checkRequest(f *findings, operation Operation, request *http.Request, body []byte) {
	r.checkParameters(f, operation, request)
	r.checkRequestBody(f, request, body)
}

// checkParameters checks the values in path and query, and that every parameter of the query is documented.
func (r *route) checkParameters(f *findings, operation Operation, request *http.Request) {
	query := request.URL.Query()
	input := &openapi3filter.RequestValidationInput{
		Request:     request,
		PathParams:  operation.Params,
		QueryParams: query,
		Options: &openapi3filter.Options{
			SkipSettingDefaults:     true,
			SchemaValidationOptions: []openapi3.SchemaValidationOption{openapi3.DisableSchemaErrorDetails()},
		},
	}
	for _, ref := range r.parameters {
		parameter := ref.Value
		if parameter.In == openapi3.ParameterInPath && mayBeAbsent(r.template, parameter.Name) {
			continue
		}
		if err := openapi3filter.ValidateParameter(request.Context(), input, parameter); err != nil {
			f.add(Request, "%v", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if r.parameters.GetByInAndName(openapi3.ParameterInQuery, name) == nil {
			f.add(Request, "query: %s: GitHub has no such parameter", name)
		}
	}
}

// checkRequestBody checks the body and its content type.
func (r *route) checkRequestBody(f *findings, request *http.Request, body []byte) {
	var described *openapi3.RequestBody
	if r.spec.RequestBody != nil {
		described = r.spec.RequestBody.Value
	}
	switch {
	case saysNothing(body):
		if described != nil && described.Required {
			f.add(Request, "body: it is missing")
		}
		return
	case described == nil:
		f.add(Request, "body: the operation takes none")
		return
	}
	content := described.Content.Get(request.Header.Get("Content-Type"))
	if content == nil {
		f.add(Request, "body: GitHub takes no content type %q here", request.Header.Get("Content-Type"))
		return
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		f.add(Request, "body: %v", err)
		return
	}
	f.addBody(Request, acceptedBody(r.spec.OperationID, content.Schema.Value, value), value)
	for _, sentence := range unwrittenRules(r.spec.OperationID, value) {
		f.add(Request, "body: %s", sentence)
	}
}

// unwrittenRules returns the violations of rules that GitHub states in prose rather than in the schema.
func unwrittenRules(operationID string, body any) []string {
	fields, _ := body.(map[string]any)
	switch operationID {
	case "checks/create", "checks/update":
		return concludedWhenCompleted(fields)
	}
	return nil
}

// concludedWhenCompleted checks a check run against "required if you provide completed_at or a status of completed" and
// "you cannot change a check run conclusion to stale, only GitHub can set this".
func concludedWhenCompleted(run map[string]any) []string {
	_, concluded := run["conclusion"]
	_, finished := run["completed_at"]
	switch {
	case run["status"] == "completed" && !concluded:
		return []string{`/conclusion: a check run with status "completed" needs one`}
	case finished && !concluded:
		return []string{"/conclusion: a check run with completed_at needs one"}
	case run["conclusion"] == "stale":
		return []string{`/conclusion: only GitHub sets "stale"`}
	}
	return nil
}
