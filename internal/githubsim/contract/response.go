package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// checkResponse records violations in a response.
func (c *Contract) checkResponse(f *findings, r *route, x Exchange) {
	documented := r.spec.Responses.Status(x.Status)
	switch {
	case isUnchanged(x) || isOutagePage(x) || isRawAnswer(x):
	case isCommonError(x.Status):
		c.checkError(f, documented, x)
	case documented == nil:
		f.add(Response, "status %d: GitHub documents only %s", x.Status, strings.Join(r.statuses(), ", "))
	case len(documented.Value.Content) == 0:
		if len(x.Body) > 0 {
			f.add(Response, "status %d: it has a body, but GitHub sends none", x.Status)
		}
	default:
		checkResponseBody(f, documented.Value.Content, x)
	}
}

// checkResponseBody checks a body against the content that an operation
// documents for its status.
func checkResponseBody(f *findings, documented openapi3.Content, x Exchange) {
	value, err := decodeJSON(x)
	if err != nil {
		f.add(Response, "status %d: %v", x.Status, err)
		return
	}
	content := documented.Get(x.Header.Get("Content-Type"))
	if content == nil {
		f.add(Response, "status %d: GitHub does not answer with content type %q", x.Status, x.Header.Get("Content-Type"))
		return
	}
	f.addBody(Response, content.Schema.Value, value)
}

// checkError checks the body of an error against the schema that the operation documents, or else against the common
// schema of errors.
func (c *Contract) checkError(f *findings, documented *openapi3.ResponseRef, x Exchange) {
	bodiless := documented != nil && len(documented.Value.Content) == 0
	if bodiless && len(x.Body) == 0 {
		return
	}
	value, err := decodeJSON(x)
	if err != nil {
		f.add(Response, "status %d: %v", x.Status, err)
		return
	}
	fields, ok := value.(map[string]any)
	if !ok {
		f.add(Response, "status %d: body: want an object with a message, got %T", x.Status, value)
		return
	}
	if message, _ := fields["message"].(string); message == "" {
		f.add(Response, "status %d: body: /message: an error says what is wrong", x.Status)
	}
	if stated, ok := fields["status"]; ok && stated != strconv.Itoa(x.Status) {
		f.add(Response, `status %d: body: /status: want "%d", got %v`, x.Status, x.Status, stated)
	}
	if x.Status < 400 && x.Header.Get("Location") == "" {
		f.add(Response, "status %d: a redirect says where to", x.Status)
	}
	schema := c.commonError(x.Status, fields)
	if documented != nil && !bodiless {
		schema = anyOf(documented.Value.Content.Get("application/json").Schema.Value)
	}
	f.addBody(Response, schema, withoutStatus(fields))
}

// statuses lists the statuses that the operation documents.
func (r *route) statuses() []string {
	return slices.Sorted(maps.Keys(r.spec.Responses.Map()))
}

// decodeJSON returns the response's body as JSON.
func decodeJSON(x Exchange) (any, error) {
	if contentType := x.Header.Get("Content-Type"); !strings.Contains(contentType, "json") {
		return nil, fmt.Errorf("content type %q is not JSON", contentType)
	}
	var value any
	if err := json.Unmarshal(x.Body, &value); err != nil {
		return nil, fmt.Errorf("body: %w", err)
	}
	return value, nil
}
