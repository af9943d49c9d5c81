package gh

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// step is one field of a mutation: one thing that GitHub is to do.
type step struct {
	field string // createCheckRun
	input map[string]any
	wants string // the fields of its answer: checkRun { id }
	into  any    // where that goes
}

// mutationsAtOnce is how many steps one request has at most. Others have measured that GitHub carries out 76.
const mutationsAtOnce = 50

// mutate has GitHub carry out several steps, one after the other, and returns the error of each; nil is done. GitHub
// goes on after one that fails. If GitHub does not answer a request, it is not known which of its steps were done.
// Steps that GitHub says were too many in one request are carried out in smaller ones.
func (g graph) mutate(ctx context.Context, steps []step) []error {
	errs := make([]error, len(steps))
	var todo []int
	for i, s := range steps {
		if errs[i] = g.lacks(ctx, fieldNeeds[s.field]); errs[i] == nil {
			todo = append(todo, i)
		}
	}
	for size := mutationsAtOnce; len(todo) > 0; {
		size = min(size, len(todo))
		some := make([]step, size)
		for i, at := range todo[:size] {
			some[i] = steps[at]
		}
		var left []int
		for i, err := range g.mutateAtOnce(ctx, some) {
			if errs[todo[i]] = asRefusal(err); ClassOf(err) == ClassTooMuch && size > 1 {
				left = append(left, todo[i])
			}
		}
		todo = append(left, todo[size:]...)
		if len(left) > 0 {
			size /= 2
		}
	}
	return errs
}

// mutateAtOnce has GitHub carry out several steps in one request.
func (g graph) mutateAtOnce(ctx context.Context, steps []step) []error {
	var variables, fields []string
	inputs := map[string]any{}
	for i, s := range steps {
		kind := strings.ToUpper(s.field[:1]) + s.field[1:] + "Input!"
		variables = append(variables, fmt.Sprintf("$i%d: %s", i, kind))
		fields = append(fields, fmt.Sprintf("%s: %s(input: $i%d) { %s }", alias(i), s.field, i, s.wants))
		inputs[fmt.Sprintf("i%d", i)] = s.input
	}
	document := "mutation Do(" + strings.Join(variables, ", ") + ") {\n  " + strings.Join(fields, "\n  ") + "\n}"
	answers := map[string]json.RawMessage{}
	failures, err := g.send(ctx, document, inputs, &answers)
	errs := make([]error, len(steps))
	for i, s := range steps {
		if errs[i] = err; err == nil {
			errs[i] = g.outcome(ctx, i, s, answers[alias(i)], failures)
		}
	}
	return errs
}

// alias is the name of a step in the document and in the answer.
func alias(i int) string { return fmt.Sprintf("s%d", i) }

// outcome returns the error of a step. An error that belongs to none of them is one of the whole request. The thing
// that is not found is the one that the step was to change.
func (g graph) outcome(ctx context.Context, i int, s step, answer json.RawMessage, failures []graphQLError) error {
	var own []graphQLError
	for _, f := range failures {
		switch {
		case len(f.Path) > 0 && f.Path[0] != alias(i):
			continue
		case f.Type == "NOT_FOUND":
			return notFound("%s", f.Message)
		}
		if len(f.Path) == 1 { // the alias says less than the field
			f.Path = []any{s.field}
		}
		own = append(own, f)
	}
	switch {
	case len(own) > 0:
		return g.failure(ctx, own)
	case len(answer) == 0 || string(answer) == "null":
		return incomplete("what became of " + s.field)
	}
	if err := json.Unmarshal(answer, s.into); err != nil {
		return fmt.Errorf("decode GraphQL answer: %w", err)
	}
	return nil
}
