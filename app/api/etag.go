package api

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// dated is an answer that has the time at which it was made. The same state has the same tag at any time.
type dated interface{ undated() any }

func (p Pipeline) undated() any    { p.At = time.Time{}; return p }
func (s StageDetail) undated() any { s.At = time.Time{}; return s }
func (h Health) undated() any      { h.At = time.Time{}; return h }

// undated leaves out the range, too, which ends now and usually begins some days before.
func (n Numbers) undated() any { n.At, n.Since = time.Time{}, time.Time{}; return n }

// tagOf returns the ETag of an answer. It is weak: answers with the same tag say the same, at other times.
func tagOf(answer any) (string, error) {
	if d, is := answer.(dated); is {
		answer = d.undated()
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return "", fmt.Errorf("make a tag of an answer: %w", err)
	}
	sum := sha256.Sum256(text)
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`, nil
}

// has reports whether a caller has the answer with a tag already (RFC 9110, 13.1.2).
func has(r *http.Request, tag string) bool {
	opaque := func(tag string) string { return strings.TrimPrefix(strings.TrimSpace(tag), "W/") }
	for _, header := range r.Header.Values("If-None-Match") {
		for known := range strings.SplitSeq(header, ",") {
			if opaque(known) == "*" || opaque(known) == opaque(tag) {
				return true
			}
		}
	}
	return false
}
