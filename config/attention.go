package config

import (
	"strings"

	"waybill/promotion"
)

// attentionFile says who and what is put on the pull requests of a stage.
type attentionFile struct{ labels, reviewers, assignees found[[]found[string]] }

// mostPeople is how many people GitHub lets be assigned, and how many of each are put on a pull request.
const mostPeople = 10

var (
	pullLabel = matching("a label of 50 characters at most", `^[^\s,\pC](?:[^,\pC]{0,48}[^\s,\pC])?$`)
	login     = matching("the login of a person on GitHub", `^[A-Za-z0-9](?:-?[A-Za-z0-9_]){0,99}$`)
	reviewer  = matching("the login of a person on GitHub, or a team such as acme/platform",
		`^[A-Za-z0-9](?:-?[A-Za-z0-9_]){0,99}(?:/[a-z0-9_-]{1,100})?$`)
)

var attentionForm = object[attentionFile]{
	what:  "the attention that pull requests get",
	anyOf: []string{"labels", "reviewers", "assignees"},
	fields: []field[attentionFile]{
		key("labels", some("labels", mostPeople, pullLabel),
			func(a *attentionFile) *found[[]found[string]] { return &a.labels },
			"The labels that they get. GitHub makes those that the repository does not have.").otherwise("none"),
		key("reviewers", some("reviewers", mostPeople, reviewer),
			func(a *attentionFile) *found[[]found[string]] { return &a.reviewers },
			"The people, and teams as acme/platform, who are asked for a review.").otherwise("nobody"),
		key("assignees", some("assignees", mostPeople, login),
			func(a *attentionFile) *found[[]found[string]] { return &a.assignees },
			"The people who are assigned to them.").otherwise("nobody"),
	},
}.form()

// compileAttention compiles what is put on the pull requests of a stage. Labels that are commands are refused: from
// Waybill they would command nothing, and from a person who takes them for others they would.
func compileAttention(s *compiled) {
	f := s.file.value.attention
	if !f.given() || !f.good() {
		return
	}
	r := s.reader.key("pull-request")
	if s.Delivery == promotion.DeliveryCommit || s.Delivery == promotion.DeliveryWorkflow {
		s.reader.errorf(f.key, "`pull-request` is about pull requests, and this stage opens none; remove it")
	}
	for i, l := range f.value.labels.value {
		for _, ours := range []string{"promote/", "waybill/", "stage/"} {
			if strings.HasPrefix(strings.ToLower(l.value), ours) {
				r.key("labels").element(i).errorf(l.at, "labels that begin with %s are Waybill's own; choose another name", ours)
			}
		}
	}
	s.Attention = promotion.Attention{
		Labels: texts(f.value.labels.value), Reviewers: texts(f.value.reviewers.value),
		Assignees: texts(f.value.assignees.value),
	}
}

func texts(all []found[string]) (values []string) {
	for _, one := range all {
		values = append(values, one.value)
	}
	return values
}
