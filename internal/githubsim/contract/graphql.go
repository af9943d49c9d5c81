package contract

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// graphqlRoute is the Operation named in violations of GraphQL exchanges.
const graphqlRoute = "POST /graphql"

// GraphQLSchema returns GitHub's public GraphQL schema. It is shared: read only.
func (c *Contract) GraphQLSchema() *ast.Schema {
	return c.graphql
}

// CheckGraphQL compares a document and its variables with GitHub's public
// schema, as they arrive after encoding. If the document has several operations,
// the variables must suit each of them. The error is nil or lists every violation as Violations.
func (c *Contract) CheckGraphQL(document string, variables map[string]any) error {
	f := &findings{operation: graphqlRoute}
	encoded, err := json.Marshal(variables)
	if err != nil {
		return fmt.Errorf("encode variables: %w", err)
	}
	var sent map[string]any
	if err := json.Unmarshal(encoded, &sent); err != nil {
		return fmt.Errorf("decode variables: %w", err)
	}
	parsed := c.parseGraphQL(f, document)
	if parsed == nil {
		return f.err()
	}
	for _, operation := range parsed.Operations {
		c.checkVariables(f, operation, sent)
	}
	return f.err()
}

// graphqlRequest is the body of a GraphQL request.
type graphqlRequest struct {
	Query         string         `json:"query"`
	OperationName string         `json:"operationName"`
	Variables     map[string]any `json:"variables"`
}

// graphqlOperation finds the operation that a request body runs, and records violations in the body.
func (c *Contract) graphqlOperation(f *findings, body []byte) *ast.OperationDefinition {
	var request graphqlRequest
	if err := json.Unmarshal(body, &request); err != nil {
		f.add(Request, "body: %v", err)
		return nil
	}
	parsed := c.parseGraphQL(f, request.Query)
	if parsed == nil {
		return nil
	}
	operation := parsed.Operations.ForName(request.OperationName)
	if operation == nil {
		f.add(Request, "document: it has no operation %q", request.OperationName)
		return nil
	}
	c.checkVariables(f, operation, request.Variables)
	return operation
}

// parseGraphQL returns the document, or nil after recording its violations.
func (c *Contract) parseGraphQL(f *findings, document string) *ast.QueryDocument {
	parsed, problems := gqlparser.LoadQueryWithRules(c.graphql, document, rules.NewDefaultRules())
	for _, problem := range problems {
		f.add(Request, "document: %v", problem)
	}
	return parsed
}

// checkVariables records violations in the variables of an operation.
func (c *Contract) checkVariables(f *findings, operation *ast.OperationDefinition, variables map[string]any) {
	if _, err := validator.VariableValues(c.graphql, operation, variables); err != nil {
		f.add(Request, "%v", err)
	}
	for name := range variables {
		if operation.VariableDefinitions.ForName(name) == nil {
			f.add(Request, "variable.%s: the operation declares no such variable", name)
		}
	}
}

// checkGraphQLExchange checks a GraphQL request and its answer.
func (c *Contract) checkGraphQLExchange(x Exchange) error {
	f := &findings{operation: graphqlRoute}
	if x.Request.Method != http.MethodPost {
		f.add(Route, "GraphQL is asked with POST, not %s", x.Request.Method)
		return f.err()
	}
	operation := c.graphqlOperation(f, x.RequestBody)
	c.checkGraphQLAnswer(f, operation, x)
	return f.err()
}

// graphqlFields returns the top-level fields that a request body selects.
func (c *Contract) graphqlFields(body []byte) []string {
	operation := c.graphqlOperation(&findings{}, body)
	if operation == nil {
		return nil
	}
	var names []string
	for _, selection := range operation.SelectionSet {
		if field, ok := selection.(*ast.Field); ok {
			names = append(names, "graphql/"+field.Name)
		}
	}
	return names
}
