package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"waybill/promotion"
	"waybill/store"
)

// Scope is the scope of a token. Each includes those before it.
type Scope int

const (
	// Read lets its bearer see.
	Read Scope = iota
	// Operate lets its bearer repeat work of the server: a resync, a delivery.
	Operate
)

// scopeNames are the scopes as the token file spells them.
var scopeNames = []string{"read", "operate"}

// String returns the scope as the token file spells it.
func (s Scope) String() string { return scopeNames[s] }

// ParseScope reads a scope as the token file spells it.
func ParseScope(s string) (Scope, bool) {
	i := slices.Index(scopeNames, s)
	return Scope(max(i, 0)), i >= 0
}

// permissionFor is the permission on the home repository that a person needs in place of a token's scope.
var permissionFor = map[Scope]promotion.Permission{Read: promotion.Read, Operate: promotion.Write}

// Caller is the sender of a request: a token's bearer, a run of a workflow, a person who has signed in, or, where reads
// are open, anyone.
type Caller struct {
	token  *Token
	run    *promotion.Run // of a workflow that GitHub vouches for
	person promotion.Actor
}

// String names the caller for logs and the audit trail, never by anything secret.
func (c Caller) String() string {
	switch {
	case c.token != nil:
		return "token " + c.token.Name
	case c.run != nil:
		return c.run.String()
	case !c.person.Bot():
		return string(c.person.Login)
	}
	return "nobody"
}

// Person is the person who has signed in, or for whom the token acts; the zero actor if there is none.
func (c Caller) Person() promotion.Actor {
	if c.token != nil {
		return c.token.As
	}
	return c.person
}

// reporter returns who reports a version of CI, as far as that tells who stands behind it: the person who has started
// the run of a workflow, or in whose name a token acts.
func (c Caller) reporter() promotion.Hand {
	if c.run != nil {
		by := promotion.Actor{ID: c.run.ActorID, Login: c.run.Actor}
		return promotion.HandOf(promotion.ReporterPart, by, strings.HasSuffix(string(by.Login), "[bot]"))
	}
	h := promotion.HandOf(promotion.ReporterPart, c.Person(), false)
	if h.By.ID == 0 {
		h.Text = "the token with which it was reported names no person"
	}
	return h
}

// everywhere lets those through who may do what is about the whole server.
func (s *Server) everywhere(who Caller, needs Scope) error {
	if s.openReads && needs == Read {
		return nil
	}
	return who.mayEverywhere(needs)
}

// mayEverywhere lets tokens through that are good for the whole server.
func (c Caller) mayEverywhere(needs Scope) error {
	switch {
	case c.token == nil:
		return forbidden("that is about the whole server: it needs a token, signing in is not enough")
	case len(c.token.Repos) > 0:
		return forbidden("that is about the whole server: it needs a token without repos=, and %s has one", c.token.Name)
	case c.token.Scope < needs:
		return c.lacks(needs)
	}
	return nil
}

// lacks returns the error with the right that the caller would need.
func (c Caller) lacks(needs Scope) error {
	if c.token != nil {
		return forbidden("that needs a token with scope=%s, and %s has scope=%s", needs, c.token.Name, c.token.Scope)
	}
	return forbidden("that needs %s permission on the home repository", permissionFor[needs])
}

// identify finds out who sends a request. A token that is no good is refused even where a session would do.
func (s *Server) identify(r *http.Request, needs Scope) (Caller, error) {
	if header := r.Header.Get("Authorization"); header != "" {
		return s.bearer(r, header)
	}
	if who, signedIn := s.signIn.session(r, s.clock()); signedIn {
		if err := new(http.CrossOriginProtection).Check(r); err != nil {
			return Caller{}, forbidden("the request comes from a page of another site, which may not act for %s", who.Login)
		}
		return Caller{person: who}, nil
	}
	if s.openReads && needs == Read {
		return Caller{}, nil
	}
	return Caller{}, s.unauthorized("this needs to know who asks")
}

// bearer finds the token that a request bears.
func (s *Server) bearer(r *http.Request, header string) (Caller, error) {
	scheme, secret, _ := strings.Cut(header, " ")
	secret = strings.TrimSpace(secret)
	switch bearer := strings.EqualFold(scheme, "Bearer"); {
	case bearer && s.workflows != nil && isToken(secret):
		return s.workflow(r, secret)
	case !bearer || s.tokens == nil:
		return Caller{}, s.unauthorized("this is not a token that opens anything here")
	}
	token, err := s.tokens.find(secret, s.clock())
	if err != nil {
		zerolog.Ctx(r.Context()).Error().Err(err).Msg("no token is accepted")
		return Caller{}, unavailable("the token file cannot be used, so no token is accepted: the server's log says " +
			"what is wrong with it")
	}
	if token == nil {
		return Caller{}, s.unauthorized("this token is unknown, or has expired")
	}
	return Caller{token: token}, s.noteScopes(r.Context())
}

// workflow finds the run of a workflow that a request comes from.
func (s *Server) workflow(r *http.Request, secret string) (Caller, error) {
	run, err := s.workflows.run(r.Context(), secret)
	switch {
	case errors.Is(err, errIssuer):
		zerolog.Ctx(r.Context()).Warn().Err(err).Msg("no token of a workflow is accepted")
		return Caller{}, unavailable("%s, so no token of a workflow can be checked: the server's log says more", errIssuer)
	case err != nil:
		return Caller{}, s.unauthorized("this token of a workflow is no good: " + err.Error())
	}
	return Caller{run: run}, nil
}

// may reports whether the caller has a scope on a pipeline. Not to know is no.
func (s *Server) may(c *call, row store.PipelineRow, needs Scope) bool {
	switch {
	case c.who.run != nil:
		return false // it may report, and nothing else
	case c.who.token != nil:
		t := c.who.token
		return t.Scope >= needs && t.opens(row.Repo) && s.bound(c.Context(), t, row)
	case !c.who.person.Bot():
		return s.permission(c.Context(), row, c.who.person) >= permissionFor[needs]
	}
	return s.openReads && needs == Read
}

// permission is a person's permission on a pipeline's home repository: as GitHub said a short while ago, or says now.
func (s *Server) permission(ctx context.Context, row store.PipelineRow, who promotion.Actor) promotion.Permission {
	p, err := s.adapter.Permission(ctx, row, who)
	if err != nil && !errors.Is(err, context.Canceled) {
		zerolog.Ctx(ctx).Warn().Err(err).Stringer("who", Caller{person: who}).Str("repo",
			string(row.Repo)).Msg("may not read: GitHub cannot be asked")
	}
	return p
}
