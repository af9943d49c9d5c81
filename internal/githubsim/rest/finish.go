package rest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"

	"waybill/internal/githubsim/access"
	"waybill/internal/githubsim/wire"
)

// finish completes an answer with the fields that GitHub's description requires, and adds the headers of every answer.
func (a *API) finish(c *call, r route, out reply) reply {
	if out.Header == nil {
		out.Header = http.Header{}
	}
	if a.Contract != nil && out.Status < 300 && out.Body != nil {
		filled, err := a.fill(r, out)
		if err != nil {
			a.Report(fmt.Errorf("complete %s %s: %w", r.method, r.template, err))
		} else {
			out.Body = filled
		}
	}
	encoded, err := wire.Encode(out.Body)
	if err != nil {
		a.Report(fmt.Errorf("encode %s %s: %w", r.method, r.template, err))
	}
	out.Body = encoded
	out.Header.Set("X-GitHub-Media-Type", "github.v3; format=json")
	out.Header.Set("X-GitHub-Request-Id", fmt.Sprintf("SIM0:%X", a.nextRequest()))
	if c.request.Method == http.MethodGet && out.Status == http.StatusOK {
		tag(c.request, &out, encoded, a.TagTokens)
	}
	if out.Status == http.StatusNotModified {
		a.Limits.Refund(c.who, access.Core)
	}
	a.Limits.Headers(c.who, access.Core, out.Header)
	return out
}

// nextRequest returns the number of the request for X-GitHub-Request-Id.
func (a *API) nextRequest() int64 {
	a.requests++
	return a.requests
}

// tag adds the ETag and replaces an unchanged answer by a 304. It may depend on the token.
func tag(r *http.Request, out *reply, encoded []byte, onToken bool) {
	if onToken {
		encoded = append([]byte(r.Header.Get("Authorization")), encoded...)
	}
	sum := sha256.Sum256(encoded)
	etag := `W/"` + hex.EncodeToString(sum[:]) + `"`
	out.Header.Set("ETag", etag)
	out.Header.Set("Cache-Control", "private, max-age=60, s-maxage=60")
	out.Header.Set("Vary", "Accept, Authorization, Cookie, X-GitHub-OTP, Accept-Encoding, Accept, X-Requested-With")
	if r.Header.Get("If-None-Match") == etag {
		out.Status, out.Body = http.StatusNotModified, []byte(nil)
	}
}

// fill adds the fields that GitHub's description requires and the simulator does not model.
func (a *API) fill(r route, out reply) (any, error) {
	switch body := out.Body.(type) {
	case obj:
		return a.Contract.Fill(r.method, r.template, out.Status, body)
	case []any:
		objects := make([]map[string]any, 0, len(body))
		for _, one := range body {
			object, isObject := one.(obj)
			if !isObject {
				return body, nil
			}
			objects = append(objects, object)
		}
		return a.Contract.FillList(r.method, r.template, out.Status, objects)
	}
	return out.Body, nil
}
