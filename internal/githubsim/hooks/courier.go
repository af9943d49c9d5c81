// Package hooks sends webhooks to the App, and simulates failures of their delivery.
package hooks

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// webhookTimeout is the time that GitHub waits for an answer to a webhook.
const webhookTimeout = 10 * time.Second

// keptFor is the time for which GitHub lists deliveries and can send them again.
const keptFor = 3 * 24 * time.Hour

// Delivery is one attempt to deliver a webhook. A redelivery is an entry of its own with the same GUID.
type Delivery struct {
	ID             int64
	GUID           string
	Event          string
	Action         string
	InstallationID int64
	RepositoryID   int64
	Redelivery     bool
	At             time.Time
	Status         string // "OK", or the error
	StatusCode     int    // 0 while it is queued
	Payload        []byte
	ResponseBody   string
	ResponseHeader http.Header
}

// Courier sends webhooks one after the other, in the order of the events, like a reliable network, unless SendAtOnce
// says otherwise. The methods of faults.go switch on network faults.
type Courier struct {
	appID  int64
	secret string
	seed   int64
	clock  func() time.Time
	client *http.Client
	ctx    context.Context // canceled when the courier is closed
	stop   context.CancelFunc

	mu       sync.Mutex
	changed  *sync.Cond
	url      string
	ids      int64
	queue    []*Delivery
	sending  int // how many are on their way
	closed   bool
	log      []*Delivery // everything that was sent, in order of sending
	lost     []*Delivery
	held     []*Delivery
	losing   bool
	holding  bool
	doubling bool
	noise    noise
	server   atomic.Pointer[enterpriseServer] // nil: it is github.com
	refusals []int                            // statuses of the next deliveries, which are not sent
	failures []error
}

// Setup configures the webhooks of a courier.
type Setup struct {
	AppID  int64
	Secret string // signs the webhooks
	Seed   int64  // makes the ids and GUIDs of two couriers differ
	Clock  func() time.Time
	URL    string // the address of the webhooks
	// Offline leaves queued webhooks to Post; nothing is sent over a network.
	Offline bool
}

// New returns a courier that sends until Close.
func New(s Setup) *Courier {
	ctx, stop := context.WithCancel(context.Background())
	c := &Courier{
		appID: s.AppID, secret: s.Secret, seed: s.Seed, clock: s.Clock,
		url: s.URL, client: client(), ctx: ctx, stop: stop, ids: 5_000_000 + s.Seed*1_000_000,
	}
	c.changed = sync.NewCond(&c.mu)
	if !s.Offline {
		go c.run()
	}
	return c
}

// client keeps connections of its own, as many as webhooks are sent at once.
func client() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	return &http.Client{Timeout: webhookTimeout, Transport: transport}
}

// SetWebhookURL changes the address of the App's webhooks; if empty, none are sent.
func (c *Courier) SetWebhookURL(url string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.url = url
}

// Close drops the queued webhooks.
func (c *Courier) Close() {
	c.stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.queue = nil
	c.changed.Broadcast()
	c.client.CloseIdleConnections()
}

// Take queues the webhook of an event. Without an address it drops the webhook, as GitHub does. An id of 0 means no
// installation or no repository.
func (c *Courier) Take(event, action string, installation, repository int64, body []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.url == "" {
		return
	}
	c.ids++
	d := &Delivery{
		ID: c.ids, GUID: GUID(c.seed, c.ids), Event: event, Action: action, InstallationID: installation,
		RepositoryID: repository,
		Payload:      body,
	}
	for _, one := range []*Delivery{d, c.repeats(d)} {
		switch {
		case one == nil:
		case c.losing:
			c.lost = append(c.lost, one)
		case c.holding:
			c.held = append(c.held, one)
		default:
			c.push(one)
		}
	}
}

// push queues a delivery, twice if DoubleWebhooks is on. The lock is held.
func (c *Courier) push(d *Delivery) {
	c.place(d)
	if c.doubling {
		again := *d
		c.place(&again)
	}
	c.changed.Broadcast()
}

// again queues a new attempt of an earlier delivery. The lock is held.
func (c *Courier) again(d *Delivery) {
	c.ids++
	c.push(&Delivery{
		ID: c.ids, GUID: d.GUID, Event: d.Event, Action: d.Action, InstallationID: d.InstallationID,
		RepositoryID: d.RepositoryID,
		Payload:      d.Payload, Redelivery: true,
	})
}

// GUID makes a deterministic GUID in the form of GitHub's.
func GUID(seed, id int64) string {
	sum := sha1.Sum(fmt.Appendf(nil, "%d/%d", seed, id))
	x := hex.EncodeToString(sum[:16])
	return x[:8] + "-" + x[8:12] + "-11ef-" + x[16:20] + "-" + x[20:32]
}

// run sends queued webhooks until the courier is closed.
func (c *Courier) run() {
	for {
		d, url, refusal, ok := c.next()
		if !ok {
			return
		}
		if refusal != 0 {
			d.StatusCode, d.Status = refusal, http.StatusText(refusal)
		} else {
			c.send(url, d)
		}
		c.done(d)
	}
}

// next waits for a delivery to send. It returns false if the courier is closed.
func (c *Courier) next() (d *Delivery, url string, refusal int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.queue) == 0 && !c.closed {
		c.changed.Wait()
	}
	if c.closed {
		return nil, "", 0, false
	}
	d, c.queue = c.queue[0], c.queue[1:]
	if len(c.refusals) > 0 {
		refusal, c.refusals = c.refusals[0], c.refusals[1:]
	}
	c.sending++
	d.At = c.clock().UTC()
	return d, c.url, refusal, true
}

func (c *Courier) done(d *Delivery) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sending--
	if c.closed {
		return
	}
	c.log = slices.DeleteFunc(append(c.log, d), func(old *Delivery) bool { return d.At.Sub(old.At) > keptFor })
	if d.StatusCode < 200 || d.StatusCode > 299 {
		c.failures = append(c.failures, fmt.Errorf("webhook %s %s (%s): %d %s", d.Event, d.Action, d.GUID, d.StatusCode,
			d.Status))
	}
	c.changed.Broadcast()
}

// send sends one webhook and records the result. Like GitHub, it does not retry.
func (c *Courier) send(url string, d *Delivery) {
	request, err := http.NewRequestWithContext(c.ctx, http.MethodPost, url, bytes.NewReader(d.Payload))
	if err != nil {
		d.StatusCode, d.Status = http.StatusBadGateway, err.Error()
		return
	}
	request.Header = c.Header(d)
	response, err := c.client.Do(request)
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		d.StatusCode, d.Status = http.StatusGatewayTimeout, "timed out"
		return
	}
	if err != nil {
		d.StatusCode, d.Status = http.StatusBadGateway, "failed to connect to host"
		return
	}
	defer response.Body.Close()
	d.answered(response)
}

// answered records the App's answer.
func (d *Delivery) answered(response *http.Response) {
	body, _ := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	d.StatusCode, d.Status = response.StatusCode, http.StatusText(response.StatusCode)
	if response.StatusCode < 300 {
		d.Status = "OK"
	}
	d.ResponseBody, d.ResponseHeader = string(body), response.Header
}

// FromEnterprise has webhooks name the Enterprise Server that sends them.
func (c *Courier) FromEnterprise(host, version string) {
	c.server.Store(&enterpriseServer{host, version})
}

// enterpriseServer is what webhooks of an Enterprise Server say of it.
type enterpriseServer struct{ host, version string }

// Header returns the headers of a webhook.
func (c *Courier) Header(d *Delivery) http.Header {
	h := http.Header{}
	h.Set("Accept", "*/*")
	h.Set("Content-Type", "application/json")
	h.Set("User-Agent", "GitHub-Hookshot/044aadd")
	h.Set("X-GitHub-Delivery", d.GUID)
	h.Set("X-GitHub-Event", d.Event)
	if from := c.server.Load(); from != nil {
		h.Set("X-GitHub-Enterprise-Host", from.host)
		h.Set("X-GitHub-Enterprise-Version", from.version)
	}
	h.Set("X-GitHub-Hook-ID", strconv.FormatInt(c.appID+1, 10))
	h.Set("X-GitHub-Hook-Installation-Target-ID", strconv.FormatInt(c.appID, 10))
	h.Set("X-GitHub-Hook-Installation-Target-Type", "integration")
	h.Set("X-Hub-Signature", "sha1="+sign(sha1.New, c.secret, d.Payload))
	h.Set("X-Hub-Signature-256", "sha256="+sign(sha256.New, c.secret, d.Payload))
	return h
}

func sign(algorithm func() hash.Hash, secret string, body []byte) string {
	mac := hmac.New(algorithm, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// Settle waits until every queued webhook was sent. It does not wait for held or lost webhooks. Its error joins the
// webhooks since the last call that were not answered with a 2xx.
func (c *Courier) Settle(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changed.Broadcast()
	})
	defer stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for (len(c.queue) > 0 || c.sending > 0) && !c.closed {
		if ctx.Err() != nil {
			return fmt.Errorf("wait for webhooks: %d queued: %w", len(c.queue), ctx.Err())
		}
		c.changed.Wait()
	}
	failures := c.failures
	c.failures = nil
	return errors.Join(failures...)
}

// WebhookURL returns the address of the App's webhooks, or "".
func (c *Courier) WebhookURL() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.url
}

// Resend makes a new attempt of a delivery.
func (c *Courier) Resend(d Delivery) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.again(&d)
}

// Listed returns the attempts that GitHub still lists, in order of sending.
func (c *Courier) Listed() []Delivery {
	return slices.DeleteFunc(c.Deliveries(), func(d Delivery) bool { return c.clock().Sub(d.At) > keptFor })
}

// Delivered returns the number of attempts that Deliveries lists.
func (c *Courier) Delivered() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.log)
}

// Deliveries lists every attempt to deliver a webhook in the three days before the newest one, in order of sending.
func (c *Courier) Deliveries() []Delivery {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]Delivery, 0, len(c.log))
	for _, d := range c.log {
		one := *d
		one.Payload = slices.Clone(d.Payload)
		all = append(all, one)
	}
	return all
}
