package config

import (
	"net"
	"net/url"
	"strings"
)

// actionsIssuer vouches for runs of GitHub Actions on github.com.
const actionsIssuer = "https://token.actions.githubusercontent.com"

// workflows reads whose tokens of workflows are accepted. They are meant for the address at which people reach this
// server, where nothing else is said; a server without one accepts none.
func (e *environment) workflows(web, public string) Workflows {
	w := Workflows{Issuer: strings.TrimSuffix(e.url("WAYBILL_OIDC_ISSUER", issuerOf(web)), "/"),
		Audience: e.getenv("WAYBILL_OIDC_AUDIENCE")}
	if w.Audience == "" {
		w.Audience = public
	}
	stated := e.getenv("WAYBILL_OIDC_ISSUER") != ""
	switch {
	case stated && w.Audience == "":
		e.wrong("WAYBILL_OIDC_AUDIENCE",
			"is missing: WAYBILL_OIDC_ISSUER is set, and tokens must say whom they are meant for")
	case stated && !secured(w.Issuer):
		e.wrong("WAYBILL_OIDC_ISSUER", "must begin with https://: whoever answers there says who may report freight")
	case w.Audience == "" || !secured(w.Issuer):
		return Workflows{}
	}
	return w
}

// issuerOf returns the issuer that belongs to a GitHub: that of GitHub Enterprise Server has it on its own host.
func issuerOf(web string) string {
	web = strings.TrimSuffix(web, "/")
	if web == githubWeb {
		return actionsIssuer
	}
	return web + "/_services/token"
}

// secured reports whether no one can listen, or answer in its place, on the way to an address.
func secured(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
