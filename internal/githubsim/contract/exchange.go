package contract

import "net/http"

// Exchange is one request with its response, both bodies read.
type Exchange struct {
	Request     *http.Request // its Body is not read
	RequestBody []byte
	Status      int
	Header      http.Header // of the response
	Body        []byte      // of the response
}

// CheckExchange compares a request and its response, REST or GraphQL, with
// GitHub's description. The error is nil or lists every violation as Violations.
func (c *Contract) CheckExchange(x Exchange) error {
	if isGraphQL(x.Request) {
		return c.checkGraphQLExchange(x)
	}
	r, operation, f := c.begin(x.Request)
	if r == nil {
		return f.err()
	}
	r.checkRequest(f, operation, x.Request, x.RequestBody)
	c.checkResponse(f, r, x)
	return f.err()
}

// CheckRequest compares a request whose response never arrived. The error is
// nil or lists every violation as Violations.
func (c *Contract) CheckRequest(request *http.Request, body []byte) error {
	if isGraphQL(request) {
		f := &findings{operation: graphqlRoute}
		c.graphqlOperation(f, body)
		return f.err()
	}
	r, operation, f := c.begin(request)
	if r == nil {
		return f.err()
	}
	r.checkRequest(f, operation, request, body)
	return f.err()
}

// begin finds the route of a request, or records an unknown route as a violation.
func (c *Contract) begin(request *http.Request) (*route, Operation, *findings) {
	path := request.URL.EscapedPath()
	r, operation, ok := c.find(request.Method, path)
	if !ok {
		f := &findings{operation: request.Method + " " + path}
		f.add(Route, "GitHub has no such operation, or vendor-spec/subset.txt leaves it out")
		return nil, Operation{}, f
	}
	return &r, operation, &findings{operation: operation.String()}
}

// operationsOf returns the names of the operations that a request uses: one REST operation, or every top-level field of
// a GraphQL operation. Unknown operations are left out.
func (c *Contract) operationsOf(request *http.Request, body []byte) []string {
	if isGraphQL(request) {
		return c.graphqlFields(body)
	}
	_, operation, ok := c.find(request.Method, request.URL.EscapedPath())
	if !ok {
		return nil
	}
	return []string{operation.ID}
}
