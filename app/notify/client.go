package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

const (
	// answerTime is how long the receiver may take.
	answerTime = 10 * time.Second
	// maxAnswer is how much of an answer is read, so that the connection can be used again.
	maxAnswer = 64 << 10
)

// client posts events.
type client struct{ http *http.Client }

// newClient makes a client that follows no redirect: the address in the settings is the receiver, and nobody else.
func newClient(wire http.RoundTripper) client {
	return client{&http.Client{
		Transport:     wire,
		Timeout:       answerTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// refusal is the error that the receiver answers otherwise than that it has an event.
type refusal struct{ status int }

func (r refusal) Error() string { return fmt.Sprintf("the receiver answers %d", r.status) }

// post sends an event. Only an answer from 200 to 299 says that the receiver has it. No error repeats the path of the
// address, which may be a secret; the name of the host may be in one.
func (c client) post(ctx context.Context, to Receiver, m message) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(m.Body))
	if err != nil {
		return errors.New("the address of the receiver is none")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "waybill")
	request.Header.Set("X-Waybill-Event", m.Kind)
	request.Header.Set("X-Waybill-Delivery", m.ID)
	request.Header.Set("X-Hub-Signature-256", sign(to.Secret, m.Body))
	response, err := c.http.Do(request)
	if err != nil {
		var at *url.Error
		if errors.As(err, &at) {
			err = at.Err
		}
		return fmt.Errorf("the receiver does not answer: %w", err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, maxAnswer))
	if response.StatusCode/100 != 2 {
		return refusal{response.StatusCode}
	}
	return nil
}
