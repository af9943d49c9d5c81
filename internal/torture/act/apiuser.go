package act

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"waybill/app/api"
	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/plan"
	"waybill/internal/torture/shape"
	"waybill/internal/wireless"
	"waybill/promotion"
)

// APIUser gives commands and reports builds over the API.
type APIUser struct {
	acked     map[string]time.Time
	commander *Commander
	gaps      *ledger.Gaps
	github    *githubsim.Server
	log       *ledger.Journal
	program   Program

	tokens map[string]string // by login
	sent   []sent            // commands that the program accepted
	lost   int               // the first of them may be lost with a database
}

// tell reports a build over the API and returns the status of the answer; 0 without an answer.
func (u *APIUser) tell(s ledger.Source) int {
	ctx, cancel := context.WithTimeout(u.program.Context(), time.Minute)
	defer cancel()
	body, err := json.Marshal(api.Report{Warehouse: s.Warehouses[0], Version: s.Version, Commit: s.SHA})
	if err != nil {
		u.log.Broken(ledger.PeopleCanWork, "%v", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, PublicURL+"/api/v1/pipelines/"+shape.Home+"/freight",
		strings.NewReader(string(body)))
	if err != nil {
		u.log.Broken(ledger.PeopleCanWork, "%v", err)
		return 0
	}
	r.Header.Set("Authorization", "Bearer "+u.tokens[ci])
	answer, err := wireless.Answer(u.program.API(), r)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

// ci is the name of the token with which CI reports builds.
const ci = "ci"

// sent is a command that was given over the API.
type sent struct{ who, key, command string }

// GrantTokens gives every person and CI a token, also the stranger if there is one.
func (u *APIUser) GrantTokens(file string) error {
	u.tokens = map[string]string{}
	var lines strings.Builder
	for _, login := range []string{"ann", "bob", "eve", ledger.Stranger, ci} {
		if login == ledger.Stranger && u.github.AccountID(login) == 0 {
			continue
		}
		token := api.Token{Name: login, As: promotion.Actor{ID: u.github.AccountID(login), Login: promotion.Login(login)}}
		if login == ci {
			token = api.Token{Name: ci, Scope: api.Operate}
		}
		t, secret, err := api.NewToken(token)
		if err != nil {
			return err
		}
		u.tokens[login] = secret
		lines.WriteString(t.Line() + "\n")
	}
	return os.WriteFile(file, []byte(lines.String()), 0o600)
}

// typeCommand has a person give a command over the API, or send an accepted one again.
func (u *APIUser) typeCommand(a plan.Act) {
	s := sent{[]string{"ann", "bob", "bob", "eve"}[a.C%4], fmt.Sprint("key ", a.ID), u.commander.typed(a)}
	if all := u.sent; a.A%4 == 3 && len(all) > 0 {
		s = all[a.B%len(all)]
	}
	status, answer := u.give(s)
	u.log.Note("  %s over the API: %s: %d %s", s.who, s.command, status, answer.Outcome)
	u.log.Told.Prose("(%s over the API: %s)", s.who, s.command)
	if status == http.StatusOK {
		u.acked["api "+s.key] = time.Now()
		u.sent = append(u.sent, s)
	}
}

// give sends a command. The sender does not wait for a late answer.
func (u *APIUser) give(s sent) (status int, a api.Answer) {
	ctx, cancel := context.WithTimeout(u.program.Context(), 30*time.Millisecond)
	defer cancel()
	body, err := json.Marshal(api.Command{Command: s.command})
	if err != nil {
		u.log.Broken(ledger.PeopleCanWork, "%v", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, PublicURL+"/api/v1/pipelines/"+shape.Home+"/commands",
		strings.NewReader(string(body)))
	if err != nil {
		u.log.Broken(ledger.PeopleCanWork, "%v", err)
		return 0, a
	}
	r.Header.Set("Authorization", "Bearer "+u.tokens[s.who])
	r.Header.Set(api.IdempotencyKey, s.key)
	answer, err := wireless.Answer(u.program.API(), r)
	if err != nil {
		return 0, a
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusOK {
		err = json.NewDecoder(answer.Body).Decode(&a)
	}
	if err != nil && u.program.Context().Err() == nil {
		u.log.Broken(ledger.APIAnswers, "%v", err)
	}
	return answer.StatusCode, a
}

// WhyNotMerged asks the API about a promotion, and returns why it may not be merged; "" if it may, or if there is no
// answer. Another one that goes first in the branch is looked for once more before each merge, and what GitHub refuses
// at the moment is tried again.
func (u *APIUser) WhyNotMerged(number int64) string {
	r, err := http.NewRequestWithContext(u.program.Context(), http.MethodGet,
		fmt.Sprintf("%s/api/v1/pipelines/%s/promotions/%d", PublicURL, shape.Home, number), nil)
	if err != nil {
		u.log.Broken(ledger.APIAnswers, "%v", err)
		return ""
	}
	r.Header.Set("Authorization", "Bearer "+u.tokens[ci])
	answer, err := wireless.Answer(u.program.API(), r)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	var p api.Promotion
	if answer.StatusCode == http.StatusOK {
		err = json.NewDecoder(answer.Body).Decode(&p)
	}
	switch {
	case err != nil && u.program.Context().Err() == nil:
		u.log.Broken(ledger.APIAnswers, "%v", err)
	case !slices.Contains([]promotion.Code{"", promotion.InTurn, promotion.Refusing}, promotion.Code(p.Why.Code)):
		return fmt.Sprintf("%s: %s (%s)", p.State, p.Why.Sentence, p.Why.Code)
	}
	return ""
}

// LoseCommands records that an older copy of the database, which may lack the commands so far, takes its place.
func (u *APIUser) LoseCommands() { u.lost = len(u.sent) }

// CheckReplies checks that every command over the API has an answer, except those that were lost with a database.
func (u *APIUser) CheckReplies() {
	if u.gaps.Forgot {
		return // answers are deleted together with deliveries
	}
	for _, s := range u.sent[u.lost:] {
		if status, a := u.give(s); status != http.StatusOK || a.Outcome == api.Unanswered.Outcome {
			u.log.Broken(ledger.CommandIsAnswered, "%s of %s: %d %s", s.command, s.who, status, a.Outcome)
		}
	}
}
