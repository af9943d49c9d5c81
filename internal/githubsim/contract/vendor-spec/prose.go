package main

import (
	"bytes"
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/parser"
)

// dropProse returns a GraphQL schema without descriptions, which are most of it, and without repeated fields: the
// published schema declares two fields of EnterpriseOwnerInfo twice, and no parser accepts that.
func dropProse(schema []byte) ([]byte, error) {
	document, err := parser.ParseSchema(&ast.Source{Name: "schema.graphql", Input: string(schema)})
	if err != nil {
		return nil, fmt.Errorf("parse schema: %w", err)
	}
	for _, definition := range document.Definitions {
		definition.Fields = declaredOnce(definition.Fields)
	}
	var out bytes.Buffer
	formatter.NewFormatter(&out, formatter.WithoutDescription(), formatter.WithIndent(" ")).FormatSchemaDocument(document)
	return out.Bytes(), nil
}

// declaredOnce returns the fields without repetitions of a name.
func declaredOnce(fields ast.FieldList) ast.FieldList {
	var kept ast.FieldList
	for _, field := range fields {
		if kept.ForName(field.Name) == nil {
			kept = append(kept, field)
		}
	}
	return kept
}
