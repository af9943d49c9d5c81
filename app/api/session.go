package api

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"waybill/promotion"
)

// sealer signs data that browsers keep for us, so that it comes back as it was or not at all.
type sealer struct {
	key []byte
}

// newSealer derives a key for one purpose from the secret of the App's sign-in: nothing needs to be stored, and a new
// secret signs all people out.
func newSealer(secret, purpose string) (sealer, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "waybill "+purpose, sha256.Size)
	return sealer{key}, err
}

// seal writes x down and signs it.
func (s sealer) seal(x any) string {
	plain, err := json.Marshal(x)
	if err != nil {
		panic(err) // a type that cannot be written down is a bug
	}
	body := base64.RawURLEncoding.EncodeToString(plain)
	return body + "." + s.sign(body)
}

// open reads data that seal has written, and reports whether it has.
func (s sealer) open(sealed string, x any) bool {
	body, signature, found := strings.Cut(sealed, ".")
	if !found || !hmac.Equal([]byte(signature), []byte(s.sign(body))) {
		return false
	}
	plain, err := base64.RawURLEncoding.DecodeString(body)
	return err == nil && json.Unmarshal(plain, x) == nil
}

func (s sealer) sign(body string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(body))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// sessionTime is how long a person stays signed in. Their rights are asked again every few minutes.
const sessionTime = 12 * time.Hour

// session is the data in the browser of a person who has signed in.
type session struct {
	ID    int64           `json:"id"`
	Login promotion.Login `json:"login"`
	Until time.Time       `json:"until"`
}

// session returns who has signed in with the browser that sends a request.
func (s *SignIn) session(r *http.Request, now time.Time) (promotion.Actor, bool) {
	if s == nil {
		return promotion.Actor{}, false
	}
	cookie, err := r.Cookie(s.cookieName("session"))
	if err != nil {
		return promotion.Actor{}, false
	}
	var kept session
	if !s.sessions.open(cookie.Value, &kept) || !now.Before(kept.Until) || kept.ID == 0 {
		return promotion.Actor{}, false
	}
	return promotion.Actor{ID: kept.ID, Login: kept.Login}, true
}

// remember signs a person in.
func (s *SignIn) remember(w http.ResponseWriter, who promotion.Actor, now time.Time) {
	http.SetCookie(w, s.cookie("session", s.sessions.seal(session{who.ID, who.Login, now.Add(sessionTime)}), sessionTime))
}

// cookie is one that scripts cannot read and other sites cannot send with anything but a link. An empty value ends it.
func (s *SignIn) cookie(name, value string, lasts time.Duration) *http.Cookie {
	c := &http.Cookie{
		Name: s.cookieName(name), Value: value, Path: "/", MaxAge: int(lasts.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.secure,
	}
	if value == "" {
		c.MaxAge = -1
	}
	return c
}

// cookieName has browsers refuse the cookie from any host but this one, where they can tell.
func (s *SignIn) cookieName(name string) string {
	if s.secure {
		return "__Host-waybill-" + name
	}
	return "waybill-" + name
}
