package contract

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Operation is one operation of GitHub's REST API.
type Operation struct {
	ID     string            // GitHub's name for it, "checks/create"
	Method string            // "POST"
	Path   string            // the template, "/repos/{owner}/{repo}/check-runs"
	Params map[string]string // the template's parameters in the path at hand, unescaped
}

// String returns method and template, the way GitHub's reference titles an
// operation.
func (o Operation) String() string {
	return o.Method + " " + o.Path
}

// Operation finds the operation of a request for the escaped path. The path may have the /api/v3 prefix of GitHub
// Enterprise Server. Parameters for a branch, a ref or a file path may span segments, as they do on GitHub. It returns
// false if GitHub has no such operation, or Waybill has not vendored it.
func (c *Contract) Operation(method, path string) (Operation, bool) {
	_, operation, ok := c.find(method, path)
	return operation, ok
}

// Operations lists every operation of the contract, ordered by path and method.
func (c *Contract) Operations() []Operation {
	operations := make([]Operation, len(c.routes))
	for i, r := range c.routes {
		operations[i] = Operation{ID: r.spec.OperationID, Method: r.method, Path: r.template}
	}
	slices.SortFunc(operations, func(a, b Operation) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
	})
	return operations
}

// route is an operation with the pattern of its paths.
type route struct {
	method, template string
	pattern          *regexp.Regexp
	params           []string // names of the pattern's groups, in order
	parameters       openapi3.Parameters
	spec             *openapi3.Operation
}

var placeholder = regexp.MustCompile(`\{([^}]+)\}`)

// routesOf compiles the routes of a description, the most specific first: if two templates match, GitHub uses the one
// with more literal characters.
func routesOf(doc *openapi3.T) []route {
	var routes []route
	for template, item := range doc.Paths.Map() {
		for method, spec := range item.Operations() {
			r := route{
				method:     method,
				template:   template,
				parameters: slices.Concat(item.Parameters, spec.Parameters),
				spec:       spec,
			}
			r.compile()
			routes = append(routes, r)
		}
	}
	slices.SortFunc(routes, func(a, b route) int {
		return cmp.Or(
			cmp.Compare(literalLength(b.template), literalLength(a.template)),
			cmp.Compare(a.template, b.template),
			cmp.Compare(a.method, b.method),
		)
	})
	return routes
}

// compile builds the pattern. GitHub's description marks the parameters that may contain slashes.
func (r *route) compile() {
	var pattern strings.Builder
	rest := r.template
	for _, at := range placeholder.FindAllStringSubmatchIndex(r.template, -1) {
		name := r.template[at[2]:at[3]]
		literal := r.template[len(r.template)-len(rest) : at[0]]
		rest = r.template[at[1]:]
		r.params = append(r.params, name)
		switch {
		case mayBeAbsent(r.template, name):
			pattern.WriteString(regexp.QuoteMeta(strings.TrimSuffix(literal, "/")) + `(?:/(.*))?`)
		case r.spansSegments(name):
			pattern.WriteString(regexp.QuoteMeta(literal) + `(.+)`)
		default:
			pattern.WriteString(regexp.QuoteMeta(literal) + `([^/]+)`)
		}
	}
	pattern.WriteString(regexp.QuoteMeta(rest))
	r.pattern = regexp.MustCompile(`^` + pattern.String() + `$`)
}

// spansSegments reports whether a path parameter may contain slashes.
func (r *route) spansSegments(name string) bool {
	parameter := r.parameters.GetByInAndName(openapi3.ParameterInPath, name)
	return parameter != nil && parameter.Extensions["x-multi-segment"] == true
}

// literalLength counts the characters of a template outside its placeholders.
func literalLength(template string) int {
	return len(placeholder.ReplaceAllString(template, ""))
}

// find returns the most specific route for a request.
func (c *Contract) find(method, path string) (route, Operation, bool) {
	path = withoutPrefix(path)
	for _, r := range c.routes {
		if r.method != method {
			continue
		}
		if groups := r.pattern.FindStringSubmatch(path); groups != nil {
			return r, r.operation(groups[1:]), true
		}
	}
	return route{}, Operation{}, false
}

// operation returns the Operation of the route with these escaped parameter values.
func (r *route) operation(values []string) Operation {
	params := make(map[string]string, len(values))
	for i, value := range values {
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		params[r.params[i]] = value
	}
	return Operation{ID: r.spec.OperationID, Method: r.method, Path: r.template, Params: params}
}

// withoutPrefix removes the prefix under which GitHub Enterprise Server, and the simulator, serve the REST API.
func withoutPrefix(path string) string {
	if strings.HasPrefix(path, "/api/v3/") {
		return strings.TrimPrefix(path, "/api/v3")
	}
	return path
}

// isGraphQL reports whether a request goes to the GraphQL API, which is one
// route on github.com and another on GitHub Enterprise Server.
func isGraphQL(r *http.Request) bool {
	return r.URL.Path == "/graphql" || r.URL.Path == "/api/graphql"
}
