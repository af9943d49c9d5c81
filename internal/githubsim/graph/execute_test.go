package graph

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// numbered returns an object with a number, a twin and a list, for selections.
func numbered(n int) *Object {
	return &Object{Type: "Number", Is: []string{"Node"}, Fields: Fields{
		"n":    Value(n),
		"twin": func(Args) (any, error) { return numbered(n), nil },
		"none": func(Args) (any, error) { var o *Object; return o, nil },
		"up":   func(args Args) (any, error) { return numbered(n + args.Int("by", 1)), nil },
		"list": func(args Args) (any, error) {
			return Connection("Number", args, []int{1, 2, 3, 4, 5}, numbered)
		},
		"many": func(Args) (any, error) { return []*Object{numbered(1), numbered(2)}, nil },
		"sure": func(Args) (any, error) {
			o := numbered(n)
			o.Sure = []string{"fail"}
			return o, nil
		},
		"fail": func(Args) (any, error) { return nil, &Error{Type: "NO", Message: "no"} },
		"echo": func(args Args) (any, error) {
			return fmt.Sprint(args.Text("text"), args.Bool("yes"), args.Texts("texts"), len(args.Objects("objects")),
				args.Object("object").Text("a"), args.Optional("absent") == nil), nil
		},
	}}
}

func run(t *testing.T, query string, variables map[string]any) string {
	t.Helper()
	answer := Execute(Request{Query: query, Variables: variables}, Roots{Query: numbered(0), Mutation: numbered(100)})
	text, err := json.Marshal(answer)
	require.NoError(t, err)
	return string(text)
}

func TestAnswersFollowTheDocument(t *testing.T) {
	for name, test := range map[string]struct {
		query     string
		variables map[string]any
		want      string
	}{
		"order and aliases": {`{ b: n a: n __typename }`, nil, `{"data":{"b":0,"a":0,"__typename":"Number"}}`},
		"merged fields": {
			`{ twin { n } twin { __typename } }`, nil, `{"data":{"twin":{"n":0,"__typename":"Number"}}}`,
		},
		"fragments": {
			`{ ...f ... on Node { x: n } ... on Other { y: n } } fragment f on Number { n }`, nil, `{"data":{"n":0,"x":0}}`,
		},
		"include and skip": {
			`query($no: Boolean!) { n @include(if: $no) a: n @skip(if: $no) }`, map[string]any{"no": false}, `{"data":{"a":0}}`,
		},
		"variables": {`query($by: Int = 5) { up(by: $by) { n } }`, nil, `{"data":{"up":{"n":5}}}`},
		"given variables": {
			`query($by: Int = 5) { up(by: $by) { n } }`, map[string]any{"by": float64(7)}, `{"data":{"up":{"n":7}}}`,
		},
		"a null that may not be": {
			`{ sure { n m: fail } a: n }`, nil,
			`{"data":{"sure":null,"a":0},"errors":[{"type":"NO","path":["sure","m"],"locations":[{"line":1,"column":12}],` +
				`"message":"no"}]}`,
		},
		"null objects": {`{ none { n } }`, nil, `{"data":{"none":null}}`},
		"lists":        {`{ many { n } }`, nil, `{"data":{"many":[{"n":1},{"n":2}]}}`},
		"errors keep the rest": {
			"{ n\n  fail }", nil,
			`{"data":{"n":0,"fail":null},"errors":[{"type":"NO","path":["fail"],"locations":[{"line":2,"column":3}],` +
				`"message":"no"}]}`,
		},
		"paths into lists": {
			`{ many { fail } }`, nil,
			`{"data":{"many":[{"fail":null},{"fail":null}]},"errors":[{"type":"NO","path":["many",0,"fail"],` +
				`"locations":[{"line":1,"column":10}],"message":"no"},{"type":"NO","path":["many",1,"fail"],` +
				`"locations":[{"line":1,"column":10}],"message":"no"}]}`,
		},
		"arguments": {
			`{ echo(text: "t", yes: true, texts: ["a", "b"], objects: [{a: "x"}], object: {a: "y"}) }`, nil,
			`{"data":{"echo":"ttrue [a b] 1ytrue"}}`,
		},
		"mutations": {`mutation { n }`, nil, `{"data":{"n":100}}`},
		"no parse":  {`{`, nil, `{"errors":[{"message":"Parse error: input:1:2: Expected Name, found \u003cEOF\u003e"}]}`},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, run(t, test.query, test.variables)) })
	}
}

func TestConnectionsPageForwardAndBackward(t *testing.T) {
	page := func(args string) string {
		return run(t, `{ list(`+args+`) { nodes { n } pageInfo { hasNextPage hasPreviousPage } } }`, nil)
	}
	result := func(nodes string, next, previous bool) string {
		return fmt.Sprintf(`{"data":{"list":{"nodes":[%s],"pageInfo":{"hasNextPage":%t,"hasPreviousPage":%t}}}}`, nodes,
			next, previous)
	}
	require.Equal(t, result(`{"n":1},{"n":2}`, true, false), page(`first: 2`))
	require.Equal(t, result(`{"n":3},{"n":4}`, true, true), page(fmt.Sprintf(`first: 2, after: %q`, cursor(1))))
	require.Equal(t, result(`{"n":4},{"n":5}`, false, true), page(`last: 2`))
	require.Equal(t, result(`{"n":2}`, true, true), page(fmt.Sprintf(`last: 1, before: %q`, cursor(2))))
	require.Equal(t, result(``, false, true), page(fmt.Sprintf(`first: 2, after: %q`, cursor(4))))
	require.Contains(t, page(`after: "x"`), "MISSING_PAGINATION_BOUNDARIES")
	require.Contains(t, page(`first: 101`), "EXCESSIVE_PAGINATION")
}

func TestAMissingFieldIsToldApartFromARefusal(t *testing.T) {
	answer := Execute(Request{Query: `{ n nothing }`}, Roots{Query: numbered(0)})
	require.Len(t, answer.Unsupported, 1)
	require.EqualError(t, answer.Unsupported[0], "no field nothing on Number")
	require.Len(t, answer.Errors, 1)
}
