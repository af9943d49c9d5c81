package contract

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
)

// Transport checks every exchange of a client. It reads bodies to their end and passes copies on.
type Transport struct {
	contract *Contract
	next     http.RoundTripper
	report   func(error)
	uses     usage
}

// Transport wraps a client's transport. It calls report with the Violations of each exchange that has some, before the
// client receives the response. If a request gets no response, only the request is checked.
func (c *Contract) Transport(next http.RoundTripper, report func(error)) *Transport {
	return &Transport{contract: c, next: next, report: report}
}

// Used lists the operations of all exchanges, for tests of coverage.
func (t *Transport) Used() []Use {
	return t.uses.used()
}

// RoundTrip sends a request and checks it together with its response.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := takeBody(request.Body)
	if err != nil {
		return nil, fmt.Errorf("read request body: %w", err)
	}
	sent := request.Clone(request.Context())
	sent.Body = http.NoBody
	if len(body) > 0 {
		sent.Body = io.NopCloser(bytes.NewReader(body))
	}
	t.uses.note(t.contract.operationsOf(request, body))

	response, err := t.next.RoundTrip(sent)
	if err != nil {
		t.reportAny(t.contract.CheckRequest(request, body))
		return nil, err
	}
	answer, err := takeBody(response.Body)
	if err != nil {
		return nil, fmt.Errorf("read response body: %w", err)
	}
	response.Body = io.NopCloser(bytes.NewReader(answer))
	t.reportAny(t.contract.CheckExchange(Exchange{
		Request:     request,
		RequestBody: body,
		Status:      response.StatusCode,
		Header:      response.Header,
		Body:        answer,
	}))
	return response, nil
}

// reportAny reports an error if there is one.
func (t *Transport) reportAny(err error) {
	if err != nil {
		t.report(err)
	}
}

// takeBody reads a body to its end and closes it. Some clients leave it nil.
func takeBody(body io.ReadCloser) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	content, err := io.ReadAll(body)
	if closeErr := body.Close(); err == nil {
		err = closeErr
	}
	return content, err
}
