package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"waybill/app/api"
	"waybill/internal/torture/shape"
	"waybill/internal/wireless"
	"waybill/promotion"
)

// ci is what reports what it has made.
const ci = "ci"

// sent is a command that was given over the API.
type sent struct{ who, key, command string }

// grantTokens gives everybody a token.
func (w *World) grantTokens(file string) error {
	w.tokens = map[string]string{}
	var lines strings.Builder
	for _, login := range []string{"ann", "bob", "eve", ci} {
		token := api.Token{Name: login, As: promotion.Actor{ID: w.github.AccountID(login), Login: promotion.Login(login)}}
		if login == ci {
			token = api.Token{Name: ci, Scope: api.Operate}
		}
		t, secret, err := api.NewToken(token)
		if err != nil {
			return err
		}
		w.tokens[login] = secret
		lines.WriteString(t.Line() + "\n")
	}
	return os.WriteFile(file, []byte(lines.String()), 0o600)
}

// typeCommand has somebody give a command over the API, or send one again whose answer they have not seen.
func (w *World) typeCommand(a Act) {
	s := sent{[]string{"ann", "bob", "bob", "eve"}[a.C%4], fmt.Sprint("key ", a.ID), w.typed(a)}
	if all := w.sent; a.A%4 == 3 && len(all) > 0 {
		s = all[a.B%len(all)]
	}
	status, answer := w.give(s)
	w.note("  %s over the API: %s: %d %s", s.who, s.command, status, answer.Outcome)
	w.told.prose("(%s over the API: %s)", s.who, s.command)
	if status == http.StatusOK {
		w.acked["api "+s.key] = time.Now()
		w.sent = append(w.sent, s)
	}
}

// give sends a command. Whoever sends it does not wait for the answer.
func (w *World) give(s sent) (status int, a api.Answer) {
	ctx, cancel := context.WithTimeout(w.program.ctx, 30*time.Millisecond)
	defer cancel()
	body, err := json.Marshal(api.Command{Command: s.command})
	if err != nil {
		w.broken("people can work", "%v", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, publicURL+"/api/v1/pipelines/"+shape.Home+"/commands", strings.NewReader(string(body)))
	if err != nil {
		w.broken("people can work", "%v", err)
		return 0, a
	}
	r.Header.Set("Authorization", "Bearer "+w.tokens[s.who])
	r.Header.Set(api.IdempotencyKey, s.key)
	answer, err := wireless.Answer(w.program.service.Handler(), r)
	if err != nil {
		return 0, a
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusOK {
		err = json.NewDecoder(answer.Body).Decode(&a)
	}
	if err != nil && w.program.ctx.Err() == nil {
		w.broken("the API answers", "%v", err)
	}
	return answer.StatusCode, a
}

// checkTyped: everybody who asks again has their answer in the end, and what was asked once was done once.
func (w *World) checkTyped() {
	for _, twice := range w.texts(`SELECT surface FROM requests WHERE surface LIKE 'api:%' OR surface LIKE 'slack:%/%/%/_%' GROUP BY surface HAVING COUNT(*) > 1`) {
		w.broken("a command happens once", "%s", twice)
	}
}

// checkReplies: every command over the API is answered.
func (w *World) checkReplies() {
	if w.forgot {
		return // answers are kept as long as deliveries
	}
	for _, s := range w.sent {
		if status, a := w.give(s); status != http.StatusOK || a.Outcome == api.Unanswered.Outcome {
			w.broken("a command over the API is answered", "%s of %s: %d %s", s.command, s.who, status, a.Outcome)
		}
	}
}
