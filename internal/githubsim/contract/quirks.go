package contract

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// This file lists the exceptions: requests of real clients and answers of GitHub that deviate from the description.
// Each entry names the client, or GitHub. Deviations that only Waybill makes must not be added.

// saysNothing reports whether a body counts as absent. ghinstallation asks for
// an unrestricted access token with the body null.
func saysNothing(body []byte) bool {
	trimmed := bytes.TrimSpace(body)
	return len(trimmed) == 0 || bytes.Equal(trimmed, []byte("null"))
}

// labelNames is the other form in which GitHub's prose allows labels: "You can
// also pass an array of labels directly". go-github uses it.
var labelNames = openapi3.NewArraySchema().WithItems(openapi3.NewStringSchema())

// acceptedBody returns the schema against which a request body is checked.
func acceptedBody(operationID string, described *openapi3.Schema, body any) *openapi3.Schema {
	_, isArray := body.([]any)
	if isArray && (operationID == "issues/add-labels" || operationID == "issues/set-labels") {
		return labelNames
	}
	return described
}

// mayBeAbsent reports whether a path parameter may be left out with its slash:
// the root folder is /repos/{owner}/{repo}/contents, or contents/ for go-github.
func mayBeAbsent(template, parameter string) bool {
	return template == "/repos/{owner}/{repo}/contents/{path}" && parameter == "path"
}

// widenConclusions adds conclusions to the check runs that REST lists: those that webhooks report of the same runs
// (check-run-with-simple-check-suite) and that GraphQL's CheckConclusionState has. GitHub gives stale to runs that it
// waited for too long, and startup_failure to workflows that do not parse.
func widenConclusions(checkRun *openapi3.SchemaRef) {
	conclusion := checkRun.Value.Properties["conclusion"].Value
	conclusion.Enum = append(conclusion.Enum, "stale", "startup_failure")
}

// widenGrants has the list of installations show the permissions that one installation shows: the list is described by
// an older copy of them, without merge_queues.
func widenGrants(doc *openapi3.T) {
	all := doc.Paths.Find("/app/installations").Get.Responses.Status(http.StatusOK).Value.Content["application/json"]
	one := doc.Components.Schemas["installation"].Value
	all.Schema.Value.Items.Value.Properties["permissions"] = one.Properties["permissions"]
}

// describedAction returns the action under which a webhook is described. The sender of a repository_dispatch chooses
// its action freely; the description says so in prose, and has one sample.
func describedAction(event, action string) string {
	if event == "repository_dispatch" {
		return "sample.collected"
	}
	return action
}

// isCommonError reports whether GitHub may answer any operation with this status, documented or not: redirects from
// names that a repository had before, malformed JSON, authentication, permission, deleted resources, conflicts,
// validation, limits and outages. For example, creating a check run documents only 201. GitHub also sends a body where
// the description has none, for example if a merge conflicts.
func isCommonError(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusTemporaryRedirect,
		http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound,
		http.StatusMethodNotAllowed, http.StatusConflict, http.StatusGone,
		http.StatusUnprocessableEntity, http.StatusTooManyRequests:
		return true
	}
	return status >= http.StatusInternalServerError
}

// commonError returns the schema of an error that an operation does not document. The errors of a 422 are objects or,
// for some operations, sentences.
func (c *Contract) commonError(status int, body map[string]any) *openapi3.Schema {
	if status != http.StatusUnprocessableEntity {
		return c.schemas["basic-error"].Value
	}
	if list, _ := body["errors"].([]any); len(list) > 0 {
		if _, isSentence := list[0].(string); isSentence {
			return c.schemas["validation-error-simple"].Value
		}
	}
	return c.schemas["validation-error"].Value
}

// anyOf replaces oneOf. Where the description offers two bodies for an error, as for a stale sha in PUT contents,
// neither has required properties. Every body then matches both, which oneOf forbids.
func anyOf(schema *openapi3.Schema) *openapi3.Schema {
	if len(schema.OneOf) == 0 {
		return schema
	}
	return &openapi3.Schema{AnyOf: schema.OneOf}
}

// withoutStatus returns an error's body without the member status, which GitHub adds to every error although few of the
// schemas have it.
func withoutStatus(body map[string]any) map[string]any {
	rest := maps.Clone(body)
	delete(rest, "status")
	return rest
}

// isUnchanged reports whether the response to a conditional request is 304. GitHub answers every GET like this, whether
// or not the operation documents it.
func isUnchanged(x Exchange) bool {
	conditional := x.Request.Header.Get("If-None-Match") != "" || x.Request.Header.Get("If-Modified-Since") != ""
	return x.Status == http.StatusNotModified && x.Request.Method == http.MethodGet && conditional && len(x.Body) == 0
}

// isOutagePage reports whether the response comes from a proxy in front of GitHub rather than from GitHub: an HTML
// page, or an empty body.
func isOutagePage(x Exchange) bool {
	return x.Status >= http.StatusInternalServerError && !strings.Contains(x.Header.Get("Content-Type"), "json")
}

// isRawAnswer reports whether the response is in one of the media types that a client requests by Accept. GitHub
// documents them in prose, without a schema.
func isRawAnswer(x Exchange) bool {
	if x.Status != http.StatusOK || strings.Contains(x.Header.Get("Content-Type"), "json") {
		return false
	}
	return slices.ContainsFunc([]string{"raw", "diff", "patch", "sha", "html"}, func(form string) bool {
		accept := x.Request.Header.Get("Accept")
		return strings.Contains(accept, "application/vnd.github."+form) || strings.Contains(accept,
			"application/vnd.github.v3."+form)
	})
}
