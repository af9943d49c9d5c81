package api

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
)

// maxCursor is longer than any cursor that was handed out.
const maxCursor = 1024

// nextCursor is the text by which a caller asks for the page that begins at x.
func nextCursor(x any) string {
	text, err := json.Marshal(x)
	if err != nil {
		panic(err) // a type that cannot be written down is a bug
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// decodeCursor reads a cursor that nextCursor has written.
func decodeCursor(text string, x any) error {
	wrong := badRequest("the cursor is not one that this server gave: take it from `next`, or leave it out")
	if len(text) > maxCursor {
		return wrong
	}
	plain, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return wrong
	}
	d := json.NewDecoder(bytes.NewReader(plain))
	d.DisallowUnknownFields()
	if d.Decode(x) != nil {
		return wrong
	}
	if _, err := d.Token(); err != io.EOF {
		return wrong
	}
	return nil
}
