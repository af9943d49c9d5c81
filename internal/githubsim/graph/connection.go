package graph

import (
	"encoding/base64"
	"fmt"
)

// Connection returns the object that pages through items: nodes, edges, totalCount and pageInfo, by first, after, last
// and before. It renders only the items of the page.
func Connection[T any](typeName string, args Args, items []T, render func(T) *Object) (*Object, error) {
	from, to, err := window(args, len(items))
	if err != nil {
		return nil, err
	}
	var nodes, edges []*Object
	for i := from; i < to; i++ {
		node := render(items[i])
		nodes = append(nodes, node)
		edges = append(edges, &Object{
			Type: typeName + "Edge", Fields: Fields{"node": Value(node), "cursor": Value(cursor(i))},
		})
	}
	info := &Object{Type: "PageInfo", Fields: Fields{
		"hasNextPage": Value(to < len(items)), "hasPreviousPage": Value(from > 0),
		"startCursor": Value(edge(from, from < to)), "endCursor": Value(edge(to-1, from < to)),
	}}
	return &Object{Type: typeName + "Connection", Fields: Fields{
		"nodes": Value(nodes), "edges": Value(edges),
		"totalCount": Value(len(items)), "pageInfo": Value(info),
	}}, nil
}

// window computes which items a page shows. GitHub requires first or last, of at most 100.
func window(args Args, count int) (from, to int, err error) {
	first, last := args.Int("first", -1), args.Int("last", -1)
	if first < 0 && last < 0 {
		return 0, 0, &Error{
			Type:    "MISSING_PAGINATION_BOUNDARIES",
			Message: "You must provide a `first` or `last` value to properly paginate the connection.",
		}
	}
	if first > 100 || last > 100 {
		return 0, 0, &Error{
			Type: "EXCESSIVE_PAGINATION",
			Message: fmt.Sprintf("Requesting %d records on the connection exceeds the `first` limit of 100 records.",
				max(first, last)),
		}
	}
	to = count
	if after, found := position(args.Text("after")); found {
		from = min(after+1, count)
	}
	if before, found := position(args.Text("before")); found {
		to = max(from, min(before, count))
	}
	if first >= 0 {
		to = min(to, from+first)
	} else {
		from = max(from, to-last)
	}
	return from, to, nil
}

func cursor(i int) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "cursor:v2:%d", i))
}

// edge returns a cursor, or null on an empty page.
func edge(i int, exists bool) any {
	if !exists {
		return nil
	}
	return cursor(i)
}

func position(text string) (int, bool) {
	decoded, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return 0, false
	}
	var i int
	_, err = fmt.Sscanf(string(decoded), "cursor:v2:%d", &i)
	return i, err == nil
}
