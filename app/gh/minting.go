package gh

import (
	"net/http"
	"strings"
)

// minting is the transport by which the tokens of an installation are asked for, and whatever else is asked with them.
type minting struct {
	gate *gate
	next http.RoundTripper
}

// RoundTrip asks for a token, unless GitHub has answered that it gives none before a time.
func (m minting) RoundTrip(request *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(request.URL.Path, "/access_tokens") {
		return m.next.RoundTrip(request)
	}
	if pause := m.gate.shut(resourceREST); pause > 0 {
		discard(request)
		return nil, &failure{class: ClassLimited, text: "GitHub gives no token now", after: pause}
	}
	response, err := m.next.RoundTrip(request)
	if err != nil || response.StatusCode != http.StatusForbidden && response.StatusCode != http.StatusTooManyRequests {
		return response, err
	}
	body, err := readAll(response.Body)
	if err != nil {
		return nil, err
	}
	response.Body = readable(body)
	_ = m.gate.note(resourceREST, response.StatusCode, response.Header, body) // the answer itself says what is wrong
	return response, nil
}
