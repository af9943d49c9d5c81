package contract

import (
	"bufio"
	"bytes"
	"io"
	"maps"
	"net"
	"net/http"
)

// Middleware checks every exchange of a server.
type Middleware struct {
	contract *Contract
	next     http.Handler
	report   func(error)
	uses     usage
}

// Middleware wraps the handler of an API. It must wrap nothing but the API. It calls report with the Violations of each
// exchange that has some, before the client receives the response. The response is held back until the handler returns.
// If the handler hijacks the connection or aborts, only its request is checked.
func (c *Contract) Middleware(next http.Handler, report func(error)) *Middleware {
	return &Middleware{contract: c, next: next, report: report}
}

// Used lists the operations of all exchanges, for tests of coverage.
func (m *Middleware) Used() []Use {
	return m.uses.used()
}

// ServeHTTP calls the handler, checks its response, and sends it.
func (m *Middleware) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := takeBody(request.Body)
	if err != nil {
		http.Error(w, "read request body: "+err.Error(), http.StatusBadRequest)
		return
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	m.uses.note(m.contract.operationsOf(request, body))

	held := &heldResponse{client: w, header: http.Header{}, status: http.StatusOK}
	m.handle(held, request, body)
	if held.hijacked {
		return
	}
	if err := m.contract.CheckExchange(Exchange{
		Request:     request,
		RequestBody: body,
		Status:      held.status,
		Header:      held.header,
		Body:        held.body.Bytes(),
	}); err != nil {
		m.report(err)
	}
	held.release()
}

// handle calls the handler. If there will be no response, it checks the request alone.
func (m *Middleware) handle(held *heldResponse, request *http.Request, body []byte) {
	answered := false
	defer func() {
		if answered && !held.hijacked {
			return
		}
		if err := m.contract.CheckRequest(request, body); err != nil {
			m.report(err)
		}
	}()
	m.next.ServeHTTP(held, request)
	answered = true
}

// heldResponse keeps a response until it is released.
type heldResponse struct {
	client   http.ResponseWriter
	header   http.Header
	status   int
	decided  bool
	hijacked bool
	body     bytes.Buffer
}

// Header returns the header to be sent.
func (h *heldResponse) Header() http.Header {
	return h.header
}

// WriteHeader sets the status. As in net/http only the first call counts.
func (h *heldResponse) WriteHeader(status int) {
	if !h.decided {
		h.status, h.decided = status, true
	}
}

// Write adds to the body.
func (h *heldResponse) Write(content []byte) (int, error) {
	h.decided = true
	return h.body.Write(content)
}

// Hijack gives the connection to the handler, which then sends no response. The simulator loses replies this way.
func (h *heldResponse) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	h.hijacked = true
	return http.NewResponseController(h.client).Hijack()
}

// release sends the response. An error means that the client has disconnected.
func (h *heldResponse) release() {
	maps.Copy(h.client.Header(), h.header)
	h.client.WriteHeader(h.status)
	_, _ = h.client.Write(h.body.Bytes())
}
