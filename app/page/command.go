package page

import (
	"cmp"
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"

	"waybill/app/api"
	"waybill/promotion"
	"waybill/promotion/command"
)

// question is the page that asks whether to give a command, or shows the answer to it.
type question struct {
	Command string
	Does    string      // what the command does
	Now     *api.Stage  // the stage that it names, as it is now
	Plan    *api.Answer // what it would do now, if it is a promotion
	Key     string      // by which it is given once
	Answer  *api.Answer // after it was given
	Back    string
}

// ask shows the effect of a command and asks for confirmation. Nothing is done yet.
func ask(v *visit) (page, error) {
	q, c, err := v.question(v.r.URL.Query().Get("command"))
	if err != nil {
		return page{}, err
	}
	if q.Key = rand.Text(); v.Me.Acts && c.Verb == promotion.CmdPromote {
		c.Verb = promotion.CmdPlan
		if plan, err := v.give(command.Write(c), rand.Text()); err == nil {
			q.Plan = &plan // without it people decide by what the command does in general
		}
	}
	return page{template: "command.html", title: "/" + q.Command, data: q}, nil
}

// do gives the command and shows its answer. A page that is loaded again gives it no second time.
func do(v *visit) (page, error) {
	q, _, err := v.question(v.r.PostFormValue("command"))
	if err != nil {
		return page{}, err
	}
	answer, err := v.give(q.Command, v.r.PostFormValue("key"))
	if err != nil {
		return page{}, err
	}
	q.Answer, q.Now = &answer, nil // it may not be so any more
	return page{template: "command.html", title: "/" + q.Command, data: q}, nil
}

// question reads a command as it was typed.
func (v *visit) question(text string) (q *question, c promotion.Command, err error) {
	text = strings.TrimPrefix(strings.TrimSpace(text), "/")
	c, is := command.ParseCommand(text)
	if !is || c.Trouble != "" || strings.Contains(text, "\n") {
		return nil, c, &api.Problem{
			Status: http.StatusBadRequest, Title: "That is no command",
			Detail: cmp.Or(c.Trouble, "/"+text+" is none.") + " Commands are what people type below pull requests, such as " +
				"/hold prod; /help lists them.",
		}
	}
	q = &question{Command: text, Does: command.UsageOf(c.Verb).Does, Back: v.Home()}
	if c.Stage != "" {
		var s api.StageDetail
		path := "/stages/" + url.PathEscape(string(c.Stage))
		if err := v.get(&s, v.of(path)); err == nil { // else the answer to the command says that there is no such stage
			q.Now, q.Back = &s.Stage, q.Back+path
		}
	}
	return q, c, nil
}
