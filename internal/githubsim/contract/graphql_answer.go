package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// checkGraphQLAnswer records violations in the answer to an operation. The operation is nil if the request runs none.
// Errors of the document have status 200 and a list of errors; only errors of the caller have another status.
func (c *Contract) checkGraphQLAnswer(f *findings, operation *ast.OperationDefinition, x Exchange) {
	switch {
	case isOutagePage(x):
		return
	case isCommonError(x.Status):
		c.checkError(f, nil, x)
		return
	case x.Status != http.StatusOK:
		f.add(Response, "status %d: GitHub answers GraphQL with 200", x.Status)
		return
	}
	var answer map[string]any
	if err := json.Unmarshal(x.Body, &answer); err != nil {
		f.add(Response, "body: %v", err)
		return
	}
	checkEnvelope(f, answer)
	if data, ok := answer["data"].(map[string]any); ok && operation != nil {
		root := c.graphql.Query
		if operation.Operation == ast.Mutation {
			root = c.graphql.Mutation
		}
		check := answerCheck{schema: c.graphql, findings: f}
		check.object(root, operation.SelectionSet, data, "/data")
	}
}

// checkEnvelope records violations outside of the data.
func checkEnvelope(f *findings, answer map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(answer)) {
		if name != "data" && name != "errors" && name != "extensions" {
			f.add(Response, "body: /%s: a GraphQL answer has no such member", name)
		}
	}
	failures, _ := answer["errors"].([]any)
	if answer["data"] == nil && len(failures) == 0 {
		f.add(Response, "body: it has neither data nor errors")
	}
	for i, each := range failures {
		failure, _ := each.(map[string]any)
		if message, _ := failure["message"].(string); message == "" {
			f.add(Response, "body: /errors/%d/message: an error says what is wrong", i)
		}
	}
}

// answerCheck compares data with a document's selections and with the types of the schema.
type answerCheck struct {
	schema   *ast.Schema
	findings *findings
}

// asked is a member that a document selects: its field, possibly several times with different selections, and whether
// it must be present.
type asked struct {
	fields   []*ast.Field
	required bool
}

// object compares an object with a selection on a type.
func (a answerCheck) object(on *ast.Definition, selections ast.SelectionSet, object map[string]any, at string) {
	concrete := a.concreteType(on, object)
	want := map[string]*asked{}
	a.collect(want, concrete, selections, true)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if _, answered := object[name]; !answered && want[name].required {
			a.findings.add(Response, "body: %s/%s: it was asked for and is missing", at, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		pointer := at + "/" + name
		if want[name] == nil {
			a.findings.add(Response, "body: %s: it was not asked for", pointer)
			continue
		}
		var below ast.SelectionSet
		for _, field := range want[name].fields {
			below = append(below, field.SelectionSet...)
		}
		a.value(want[name].fields[0].Definition.Type, below, object[name], pointer)
	}
}

// concreteType returns the type of an object. For an interface or union it is the type in __typename, or nil if the
// document did not select that.
func (a answerCheck) concreteType(on *ast.Definition, object map[string]any) *ast.Definition {
	if on.Kind == ast.Object {
		return on
	}
	name, _ := object["__typename"].(string)
	return a.schema.Types[name]
}

// collect adds the fields that selections require of an object of the concrete type. If the type is unknown, or a
// directive decides, a member is optional.
func (a answerCheck) collect(want map[string]*asked, concrete *ast.Definition, selections ast.SelectionSet,
	required bool) {
	for _, selection := range selections {
		switch s := selection.(type) {
		case *ast.Field:
			if want[s.Alias] == nil {
				want[s.Alias] = &asked{}
			}
			want[s.Alias].fields = append(want[s.Alias].fields, s)
			want[s.Alias].required = want[s.Alias].required || required && len(s.Directives) == 0
		case *ast.InlineFragment:
			a.collectFragment(want, concrete, s.TypeCondition, s.SelectionSet, required && len(s.Directives) == 0)
		case *ast.FragmentSpread:
			a.collectFragment(want, concrete, s.Definition.TypeCondition, s.Definition.SelectionSet,
				required && len(s.Directives) == 0)
		}
	}
}

// collectFragment adds the fields of a fragment if it applies to the type.
func (a answerCheck) collectFragment(want map[string]*asked, concrete *ast.Definition, condition string,
	selections ast.SelectionSet, required bool) {
	switch {
	case condition == "":
		a.collect(want, concrete, selections, required)
	case concrete == nil:
		a.collect(want, nil, selections, false)
	case condition == concrete.Name, slices.Contains(a.schema.GetPossibleTypes(a.schema.Types[condition]), concrete):
		a.collect(want, concrete, selections, required)
	}
}

// value compares a value with its type and, below it, with the selection.
func (a answerCheck) value(of *ast.Type, selections ast.SelectionSet, value any, at string) {
	if value == nil {
		if of.NonNull {
			a.findings.add(Response, "body: %s: %s is never null", at, of)
		}
		return
	}
	if of.Elem != nil {
		elements, ok := value.([]any)
		if !ok {
			a.findings.add(Response, "body: %s: want a list, got %T", at, value)
		}
		for i, element := range elements {
			a.value(of.Elem, selections, element, fmt.Sprintf("%s/%d", at, i))
		}
		return
	}
	definition := a.schema.Types[of.NamedType]
	if definition.IsCompositeType() {
		object, ok := value.(map[string]any)
		if !ok {
			a.findings.add(Response, "body: %s: want %s, got %T", at, of.NamedType, value)
			return
		}
		a.object(definition, selections, object, at)
		return
	}
	if !isLeaf(definition, value) {
		a.findings.add(Response, "body: %s: %v is no %s", at, value, of.NamedType)
	}
}

// isLeaf reports whether value is valid for a scalar or an enumeration.
func isLeaf(definition *ast.Definition, value any) bool {
	text, isText := value.(string)
	number, isNumber := value.(float64)
	switch {
	case definition.Kind == ast.Enum:
		return isText && definition.EnumValues.ForName(text) != nil
	case definition.Name == "Int":
		return isNumber && number == math.Trunc(number)
	case definition.Name == "Float":
		return isNumber
	case definition.Name == "Boolean":
		_, isBool := value.(bool)
		return isBool
	case definition.Name == "DateTime":
		_, err := time.Parse(time.RFC3339, text)
		return isText && err == nil
	}
	return isText
}
