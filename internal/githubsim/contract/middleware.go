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

// Middleware wraps the handler of an API, and nothing but an API, so that report
// is called with the Violations of each exchange that has some, before the
// client sees the response. The response is held back until the handler is done;
// a handler that hijacks the connection or aborts has only its request checked.
func (c *Contract) Middleware(next http.Handler, report func(error)) *Middleware {
	return &Middleware{contract: c, next: next, report: report}
}

// Used lists the operations that went through, for tests of coverage.
func (m *Middleware) Used() []Use {
	return m.uses.used()
}

// ServeHTTP lets the handler answer and checks the answer on its way out.
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

// handle runs the handler and checks the request alone if there will be no
// response to check it with.
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

// WriteHeader decides the status. As in net/http only the first decision counts.
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

// Hijack hands the connection to the handler, which then owes no response: the
// simulator loses replies this way.
func (h *heldResponse) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	h.hijacked = true
	return http.NewResponseController(h.client).Hijack()
}

// release sends the response. An error means that the client is gone.
func (h *heldResponse) release() {
	maps.Copy(h.client.Header(), h.header)
	h.client.WriteHeader(h.status)
	_, _ = h.client.Write(h.body.Bytes())
}
