package contract

import (
	"fmt"
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// unknownFields lists, by JSON pointer, the members of value that the schema does not describe. JSON Schema accepts
// them and GitHub ignores them in requests, so a test that relies on one proves nothing.
func unknownFields(value any, schema *openapi3.Schema) []string {
	return undescribed(value, "", []*openapi3.Schema{schema})
}

// undescribed lists the members of value that none of the schemas describes.
func undescribed(value any, at string, schemas []*openapi3.Schema) []string {
	var applying []*openapi3.Schema
	for _, schema := range schemas {
		applying = append(applying, inForce(schema, value)...)
	}
	switch v := value.(type) {
	case map[string]any:
		return undescribedMembers(v, at, applying)
	case []any:
		return undescribedElements(v, at, applying)
	}
	return nil
}

// undescribedMembers checks each member of an object. An object is free-form if no schema names a property of it.
func undescribedMembers(object map[string]any, at string, schemas []*openapi3.Schema) []string {
	if !slices.ContainsFunc(schemas, namesProperties) || slices.ContainsFunc(schemas, isFreeForm) {
		return nil
	}
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		pointer := at + "/" + name
		describing := propertySchemas(schemas, name)
		if len(describing) == 0 {
			unknown = append(unknown, pointer)
			continue
		}
		unknown = append(unknown, undescribed(object[name], pointer, describing)...)
	}
	return unknown
}

// undescribedElements checks each element of an array.
func undescribedElements(array []any, at string, schemas []*openapi3.Schema) []string {
	var items []*openapi3.Schema
	for _, schema := range schemas {
		if schema.Items != nil {
			items = append(items, schema.Items.Value)
		}
	}
	var unknown []string
	for i, element := range array {
		unknown = append(unknown, undescribed(element, fmt.Sprintf("%s/%d", at, i), items)...)
	}
	return unknown
}

// inForce returns the schema and those of its parts that apply to value: every allOf, and the branches of oneOf and
// anyOf that accept it. If no branch does, the value violates the schema anyway, and all branches apply.
func inForce(schema *openapi3.Schema, value any) []*openapi3.Schema {
	schemas := []*openapi3.Schema{schema}
	for _, part := range schema.AllOf {
		schemas = append(schemas, inForce(part.Value, value)...)
	}
	for _, branches := range []openapi3.SchemaRefs{schema.OneOf, schema.AnyOf} {
		accepting := slices.DeleteFunc(slices.Clone(branches), func(b *openapi3.SchemaRef) bool {
			return b.Value.VisitJSON(value, openapi3.FailFast()) != nil
		})
		if len(accepting) == 0 {
			accepting = branches
		}
		for _, branch := range accepting {
			schemas = append(schemas, inForce(branch.Value, value)...)
		}
	}
	return schemas
}

// propertySchemas returns the schemas of a property: those for its name, or else those for any property.
func propertySchemas(schemas []*openapi3.Schema, name string) []*openapi3.Schema {
	var named, others []*openapi3.Schema
	for _, schema := range schemas {
		if property := schema.Properties[name]; property != nil {
			named = append(named, property.Value)
		}
		if schema.AdditionalProperties.Schema != nil {
			others = append(others, schema.AdditionalProperties.Schema.Value)
		}
	}
	if len(named) > 0 {
		return named
	}
	return others
}

// namesProperties reports whether a schema names properties.
func namesProperties(schema *openapi3.Schema) bool {
	return len(schema.Properties) > 0 || schema.AdditionalProperties.Schema != nil
}

// isFreeForm reports whether a schema allows any property. Beside named properties it returns false: there GitHub's
// description only loosens a branch.
func isFreeForm(schema *openapi3.Schema) bool {
	open := schema.AdditionalProperties.Has
	return open != nil && *open && len(schema.Properties) == 0
}
