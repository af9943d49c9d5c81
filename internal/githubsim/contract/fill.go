package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Fill completes the JSON object that an operation answers with the given status. It keeps the values of have and adds
// neutral values for everything else that GitHub's description requires (null where allowed, else zero, empty, or the
// first of an enumeration; see neutral.go). The path may be a template or a real path.
//
// Values of have come back as their JSON would decode, numbers as json.Number. Fill returns an error if the operation,
// the status or a JSON answer is unknown. It does not check the values of have: CheckExchange does, when the answer is
// sent.
func (c *Contract) Fill(method, path string, status int, have map[string]any) (map[string]any, error) {
	schema, err := c.answerSchema(method, path, status)
	if err != nil {
		return nil, err
	}
	return fillObject(schema, have)
}

// FillList is Fill for operations that answer with an array of objects. It
// returns an empty array, not nil, if there are none.
func (c *Contract) FillList(method, path string, status int, have []map[string]any) ([]map[string]any, error) {
	schema, err := c.answerSchema(method, path, status)
	if err != nil {
		return nil, err
	}
	element := elementSchema(schema)
	if element == nil {
		return nil, fmt.Errorf("fill %s %s: the answer is no array", method, path)
	}
	filled := make([]map[string]any, len(have))
	for i, each := range have {
		if filled[i], err = fillObject(element, each); err != nil {
			return nil, err
		}
	}
	return filled, nil
}

// answerSchema returns the schema of an operation's JSON answer. For errors that any operation may answer it returns
// the common schema.
func (c *Contract) answerSchema(method, path string, status int) (*openapi3.Schema, error) {
	r, _, ok := c.find(method, path)
	if !ok {
		return nil, fmt.Errorf("fill %s %s: GitHub has no such operation, or vendor-spec/subset.txt leaves it out", method,
			path)
	}
	documented := r.spec.Responses.Status(status)
	if isCommonError(status) && (documented == nil || len(documented.Value.Content) == 0) {
		return c.commonError(status, nil), nil
	}
	if documented == nil {
		return nil, fmt.Errorf("fill %s %s: GitHub documents only status %s, not %d", method, path,
			strings.Join(r.statuses(), ", "), status)
	}
	content := documented.Value.Content.Get("application/json")
	if content == nil {
		return nil, fmt.Errorf("fill %s %s: the answer %s is not JSON", method, path, http.StatusText(status))
	}
	return content.Schema.Value, nil
}

// elementSchema returns the schema of an array's elements, also if the array is one of several alternatives.
func elementSchema(schema *openapi3.Schema) *openapi3.Schema {
	if schema.Items != nil {
		return schema.Items.Value
	}
	for _, branch := range slices.Concat(schema.OneOf, schema.AnyOf) {
		if element := elementSchema(branch.Value); element != nil {
			return element
		}
	}
	return nil
}

// fillObject completes a copy of one object.
func fillObject(schema *openapi3.Schema, have map[string]any) (map[string]any, error) {
	if have == nil {
		have = map[string]any{}
	}
	plain, err := asJSON(have)
	if err != nil {
		return nil, err
	}
	return completeObject(schema, plain.(map[string]any)), nil
}

// asJSON returns a value as decoding its JSON would, so that callers may state structs, times and typed slices.
// Integers keep their precision. What is JSON already, as most values are, is copied.
func asJSON(value any) (any, error) {
	switch v := value.(type) {
	case nil, bool, json.Number:
		return v, nil
	case string:
		return strings.ToValidUTF8(v, "\ufffd"), nil
	case int:
		return json.Number(strconv.Itoa(v)), nil
	case int64:
		return json.Number(strconv.FormatInt(v, 10)), nil
	case map[string]any:
		return objectAsJSON(v)
	case []any:
		return arrayAsJSON(v)
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var plain any
	if err := decoder.Decode(&plain); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	return plain, nil
}

func objectAsJSON(object map[string]any) (any, error) {
	if object == nil {
		return nil, nil
	}
	plain := make(map[string]any, len(object))
	for name, value := range object {
		var err error
		if plain[name], err = asJSON(value); err != nil {
			return nil, err
		}
	}
	return plain, nil
}

func arrayAsJSON(array []any) (any, error) {
	if array == nil {
		return nil, nil
	}
	plain := make([]any, len(array))
	for i, value := range array {
		var err error
		if plain[i], err = asJSON(value); err != nil {
			return nil, err
		}
	}
	return plain, nil
}

// complete adds the values that the schema requires to a given value. A given null stays.
func complete(schema *openapi3.Schema, have any) any {
	switch v := have.(type) {
	case map[string]any:
		return completeObject(schema, v)
	case []any:
		return completeArray(schema, v)
	}
	return have
}

// completeArray completes each element in place.
func completeArray(schema *openapi3.Schema, array []any) any {
	element := elementSchema(schema)
	if element == nil {
		return array
	}
	for i, each := range array {
		array[i] = complete(element, each)
	}
	return array
}

// completeObject completes an object in place. It adds the properties that always apply first, so that all known values
// take part in the choice of an alternative.
func completeObject(schema *openapi3.Schema, object map[string]any) map[string]any {
	parts := conjuncts(schema)
	for _, part := range parts {
		for _, name := range part.Required {
			describing := propertySchemas(parts, name)
			if _, stated := object[name]; !stated && len(describing) > 0 {
				object[name] = neutral(conjunction(describing), name)
			}
		}
	}
	for name, value := range object {
		if describing := propertySchemas(parts, name); len(describing) > 0 {
			object[name] = complete(conjunction(describing), value)
		}
	}
	for _, part := range parts {
		if branches := slices.Concat(part.OneOf, part.AnyOf); len(branches) > 0 {
			object = completeOneOf(part, branches, object)
		}
	}
	return object
}

// conjuncts returns the schemas that a value must match together: the schema itself and those in its allOf.
func conjuncts(schema *openapi3.Schema) []*openapi3.Schema {
	parts := []*openapi3.Schema{schema}
	for _, part := range schema.AllOf {
		parts = append(parts, conjuncts(part.Value)...)
	}
	return parts
}

// conjunction returns the schema of values that match every given schema.
func conjunction(schemas []*openapi3.Schema) *openapi3.Schema {
	if len(schemas) == 1 {
		return schemas[0]
	}
	return openapi3.NewAllOfSchema(schemas...)
}

// completeOneOf completes an object as the first alternative that the schema accepts. It prefers an alternative that
// describes all the given fields.
func completeOneOf(schema *openapi3.Schema, branches openapi3.SchemaRefs, object map[string]any) map[string]any {
	var valid map[string]any
	for _, branch := range branches {
		candidate := cloneJSON(object).(map[string]any)
		nameBranch(schema.Discriminator, branch, candidate)
		candidate = completeObject(branch.Value, candidate)
		if schema.VisitJSON(candidate, openapi3.FailFast()) != nil {
			continue
		}
		if len(unknownFields(candidate, schema)) == 0 {
			return candidate
		}
		if valid == nil {
			valid = candidate
		}
	}
	if valid == nil {
		return object
	}
	return valid
}

// nameBranch sets the discriminator property of an object if the schema has one and the object does not have it.
func nameBranch(discriminator *openapi3.Discriminator, branch *openapi3.SchemaRef, object map[string]any) {
	if discriminator == nil || object[discriminator.PropertyName] != nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(discriminator.Mapping)) {
		if discriminator.Mapping[name].Ref == branch.Ref {
			object[discriminator.PropertyName] = name
			return
		}
	}
}

// cloneJSON copies a decoded JSON value.
func cloneJSON(value any) any {
	switch v := value.(type) {
	case map[string]any:
		copied := make(map[string]any, len(v))
		for name, member := range v {
			copied[name] = cloneJSON(member)
		}
		return copied
	case []any:
		copied := make([]any, len(v))
		for i, element := range v {
			copied[i] = cloneJSON(element)
		}
		return copied
	}
	return value
}
