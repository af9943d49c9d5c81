package record

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/bradleyfalzon/ghinstallation/v2"
)

// Exchange is a request and its answer, without secrets.
type Exchange struct {
	Method, Path string
	Sent         string `json:",omitempty"`
	Status       int
	Header       map[string]string
	Got          string
}

// kept are the fields of an answer's header that are stored: none of them has a secret.
var kept = []string{
	"Date", "Deprecation", "ETag", "Link", "Location", "Retry-After", "Sunset", "X-GitHub-Api-Version-Selected",
	"X-GitHub-Enterprise-Version", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Resource",
}

// client sends requests as the test App and as its installation, and keeps the exchanges.
type client struct {
	host       Host
	app, bot   *http.Client
	mu         sync.Mutex
	exchanges  []Exchange
	repository string // the GraphQL id of the scratch repository
	branch     string // its default branch
	install    int64
}

// connect finds the installation of the App on the scratch repository.
func connect(ctx context.Context, host Host) (*client, error) {
	c := &client{host: host}
	signer, err := ghinstallation.NewAppsTransport(c, host.AppID, host.Key)
	if err != nil {
		return nil, fmt.Errorf("read the App's key: %w", err)
	}
	signer.BaseURL = host.API
	c.app = &http.Client{Transport: signer}
	p := &player{client: c, ctx: ctx}
	found := p.asApp("GET", p.repo("/installation"), nil)
	if p.err != nil {
		return nil, p.err
	}
	id, ok := found.at("id").(float64)
	if !ok {
		return nil, fmt.Errorf("the App is not installed on %s: %d %s", host.Repo, found.status, found.text("message"))
	}
	c.install = int64(id)
	c.bot = &http.Client{Transport: ghinstallation.NewFromAppsTransport(signer, c.install)}
	shown := p.rest("GET", p.repo(""), nil)
	c.repository, c.branch = shown.text("node_id"), shown.text("default_branch")
	if p.err == nil && c.branch == "" {
		p.err = fmt.Errorf("look at %s: %d %s", host.Repo, shown.status, shown.text("message"))
	}
	return c, p.err
}

// RoundTrip sends a request and keeps the exchange.
func (c *client) RoundTrip(request *http.Request) (*http.Response, error) {
	var sent []byte
	if request.Body != nil {
		var err error
		if sent, err = io.ReadAll(request.Body); err != nil {
			return nil, err
		}
		request = request.Clone(request.Context())
		request.Body = io.NopCloser(bytes.NewReader(sent))
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	got, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(got))
	one := Exchange{
		Method: request.Method, Path: request.URL.RequestURI(), Sent: clean(string(sent)), Status: response.StatusCode,
		Header: map[string]string{}, Got: clean(string(got)),
	}
	for _, name := range kept {
		if value := response.Header.Get(name); value != "" {
			one.Header[name] = clean(value)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.exchanges = append(c.exchanges, one)
	return response, nil
}

// take returns the exchanges since the last call.
func (c *client) take() []Exchange {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.exchanges
	c.exchanges = nil
	return taken
}

// answer is a decoded answer.
type answer struct {
	status int
	header http.Header
	body   any
}

// at returns a part of the body: at("head", "sha"), at(0, "id"). It is nil if there is none.
func (a answer) at(path ...any) any {
	value := a.body
	for _, step := range path {
		switch at := step.(type) {
		case string:
			object, _ := value.(map[string]any)
			value = object[at]
		case int:
			items, _ := value.([]any)
			if at >= len(items) {
				return nil
			}
			value = items[at]
		}
	}
	return value
}

// text returns a part of the body that is a text; empty if it is none.
func (a answer) text(path ...any) string {
	text, _ := a.at(path...).(string)
	return text
}

// number returns a part of the body that is a number, as it is written in paths.
func (a answer) number(path ...any) string {
	n, _ := a.at(path...).(float64)
	return fmt.Sprintf("%.0f", n)
}

// said is the status with what GitHub says of it: the message, and the codes of the errors.
func (a answer) said() string {
	said := fmt.Sprint(a.status)
	if message := a.text("message"); message != "" {
		said += " " + message
	}
	errs, _ := a.at("errors").([]any)
	for i, one := range errs {
		switch text, isText := one.(string); {
		case isText:
			said += "; " + text
		case a.text("errors", i, "type") != "":
			said += "; " + a.text("errors", i, "type") + ": " + a.text("errors", i, "message")
		default:
			said += strings.TrimRight("; "+a.text("errors", i, "code")+" "+a.text("errors", i, "message"), " ")
		}
	}
	return said
}

// send sends a request. After the first error of the network or of the sender everything returns the zero answer.
func (p *player) send(by *http.Client, method, address string, body any, header http.Header) (a answer) {
	if p.err != nil {
		return answer{}
	}
	var sent io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			p.err = err
			return answer{}
		}
		sent = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(p.ctx, method, address, sent)
	if err != nil {
		p.err = err
		return answer{}
	}
	request.Header.Set("Accept", "application/vnd.github+json")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, values := range header {
		request.Header[name] = values
	}
	response, err := by.Do(request)
	if err != nil {
		p.err = err
		return answer{}
	}
	defer response.Body.Close()
	a = answer{status: response.StatusCode, header: response.Header}
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		p.err = err
		return answer{}
	}
	if len(raw) > 0 && json.Unmarshal(raw, &a.body) != nil {
		a.body = map[string]any{"message": "an answer that is no JSON"}
	}
	return a
}
