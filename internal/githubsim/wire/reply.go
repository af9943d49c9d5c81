package wire

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
)

// Reply is an answer. A nil body is empty, bytes are sent unchanged, everything else as JSON.
type Reply struct {
	Status int
	Body   any
	Header http.Header
}

// Encode encodes a body; bytes stay unchanged.
func Encode(body any) ([]byte, error) {
	switch raw := body.(type) {
	case nil:
		return nil, nil
	case []byte:
		return raw, nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(text.Bytes()), nil
}

// Write sends a reply.
func Write(w http.ResponseWriter, r *http.Request, out Reply) {
	encoded, err := Encode(out.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	for key, values := range out.Header {
		w.Header()[key] = values
	}
	if len(encoded) > 0 && w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(encoded)))
	if out.Status == http.StatusNoContent || out.Status == http.StatusNotModified {
		w.Header().Del("Content-Length")
	}
	w.WriteHeader(out.Status)
	if r.Method != http.MethodHead {
		w.Write(encoded)
	}
}

// ReadBody reads a request's body. If it is too large, ReadBody answers the request itself.
func ReadBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, LargestBody))
	if err != nil {
		Write(w, r, Reply{Status: http.StatusRequestEntityTooLarge, Body: map[string]any{
			"message": "Payload too big", "documentation_url": "https://docs.github.com/rest", "status": "413",
		}})
	}
	return raw, err
}
