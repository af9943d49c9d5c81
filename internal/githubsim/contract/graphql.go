package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// graphqlOperation is the Operation named in violations of GraphQL exchanges.
const graphqlOperation = "POST /graphql"

// GraphQLSchema returns GitHub's public GraphQL schema. It is shared: read only.
func (c *Contract) GraphQLSchema() *ast.Schema {
	return c.graphql
}

// CheckGraphQL compares a document and its variables with GitHub's public
// schema. If the document has several operations, the variables must suit each
// of them. The error is nil or lists every violation as Violations.
func (c *Contract) CheckGraphQL(document string, variables map[string]any) error {
	f := &findings{operation: graphqlOperation}
	parsed := c.parseGraphQL(f, document)
	if parsed == nil {
		return f.err()
	}
	for _, operation := range parsed.Operations {
		c.checkVariables(f, operation, variables)
	}
	return f.err()
}

// graphqlRequest is the body of a GraphQL request.
type graphqlRequest struct {
	Query         string         `json:"query"`
	OperationName string         `json:"operationName"`
	Variables     map[string]any `json:"variables"`
}

// checkGraphQLRequest checks the body of a GraphQL request and returns the
// operation that it runs, nil if it runs none.
func (c *Contract) checkGraphQLRequest(body []byte) (*ast.OperationDefinition, error) {
	f := &findings{operation: graphqlOperation}
	operation := c.graphqlOperation(f, body)
	return operation, f.err()
}

// graphqlOperation finds the operation that a request body runs, and notes what
// is wrong with it.
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

// parseGraphQL returns the document, or nil after noting what is wrong with it.
func (c *Contract) parseGraphQL(f *findings, document string) *ast.QueryDocument {
	parsed, problems := gqlparser.LoadQueryWithRules(c.graphql, document, rules.NewDefaultRules())
	for _, problem := range problems {
		f.add(Request, "document: %v", problem)
	}
	if len(problems) > 0 {
		return nil
	}
	return parsed
}

// checkVariables notes what is wrong with the variables of an operation.
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
	f := &findings{operation: graphqlOperation}
	if x.Request.Method != http.MethodPost {
		f.add(Route, "GraphQL is asked with POST, not %s", x.Request.Method)
		return f.err()
	}
	c.graphqlOperation(f, x.RequestBody)
	if err := checkGraphQLStatus(x); err != nil {
		f.add(Response, "%v", err)
	}
	return f.err()
}

// checkGraphQLStatus checks the envelope of a GraphQL answer: failures of the
// document come with 200 and errors, only those of the caller with a status.
func checkGraphQLStatus(x Exchange) error {
	if isOutagePage(x) || isCommonError(x.Status) {
		return nil
	}
	if x.Status != http.StatusOK {
		return fmt.Errorf("status %d: GitHub answers GraphQL with 200", x.Status)
	}
	var answer struct {
		Data   json.RawMessage `json:"data"`
		Errors []struct {
			Message string `json:"message"`
		} `json:"errors"`
	}
	if err := json.Unmarshal(x.Body, &answer); err != nil {
		return fmt.Errorf("body: %w", err)
	}
	if answer.Data == nil && len(answer.Errors) == 0 {
		return errors.New("body: it has neither data nor errors")
	}
	for _, each := range answer.Errors {
		if each.Message == "" {
			return errors.New("body: /errors: an error says what is wrong")
		}
	}
	return nil
}

// graphqlFields names the top-level fields that a request body asks for.
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
