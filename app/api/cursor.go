package api

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
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

// errCursor is the answer to a text that is no cursor.
var errCursor = badRequest("the cursor is not one that this server has given for this list, or the server's secret " +
	"has changed since: take it from `next`, or leave it out")

// decodeCursor reads a cursor that nextCursor has written.
func decodeCursor(text string, x any) error {
	if len(text) > maxCursor {
		return errCursor
	}
	plain, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return errCursor
	}
	d := json.NewDecoder(bytes.NewReader(plain))
	d.DisallowUnknownFields()
	if d.Decode(x) != nil {
		return errCursor
	}
	if _, err := d.Token(); err != io.EOF {
		return errCursor
	}
	return nil
}

// veil seals the cursors of a list of which their bearer may not see all. A cursor that can be read names the next
// entry, and one that anybody can make asks whether there are entries behind a name.
type veil struct {
	key  []byte
	aead cipher.AEAD
}

// newVeil returns a veil whose key is derived from a secret of the server: all servers of a database have the same.
func newVeil(secret string) (veil, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "waybill cursors", sha256.Size)
	if err != nil {
		return veil{}, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return veil{}, err
	}
	aead, err := cipher.NewGCM(block)
	return veil{key, aead}, err
}

// hide returns a cursor of which nobody can read where the next page begins. The same place has the same cursor, so
// that the same page has the same ETag.
func (v veil) hide(x any) string {
	text := []byte(nextCursor(x))
	mac := hmac.New(sha256.New, v.key)
	mac.Write(text)
	nonce := mac.Sum(nil)[:v.aead.NonceSize()]
	return base64.RawURLEncoding.EncodeToString(v.aead.Seal(nonce, nonce, text, nil))
}

// lift reads a cursor that hide has made.
func (v veil) lift(text string, x any) error {
	hidden, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(text) > maxCursor || len(hidden) < v.aead.NonceSize() {
		return errCursor
	}
	plain, err := v.aead.Open(nil, hidden[:v.aead.NonceSize()], hidden[v.aead.NonceSize():], nil)
	if err != nil {
		return errCursor
	}
	return decodeCursor(string(plain), x)
}
