package api

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"time"
)

// object is a JSON object of the description.
type object = map[string]any

// openAPI answers with the description of the API (OpenAPI 3.0), which is made of the routes and their types.
func (s *Server) openAPI(*call) (any, error) { return s.described(), nil }

// describeRoutes makes the description of all routes.
func describeRoutes() object {
	paths, types := object{}, object{}
	for _, r := range Routes {
		at, _ := paths[r.Path].(object)
		if at == nil {
			at = object{}
			paths[r.Path] = at
		}
		at[strings.ToLower(r.Method)] = operation(r, types)
	}
	schemaOf(reflect.TypeFor[Problem](), types)
	return object{
		"openapi": "3.0.3",
		"info": object{
			"title": "Waybill", "version": "1",
			"description": "Answers only ever get more fields. Lists go on at `next`, which is the `cursor` of the next page.",
		},
		"paths": paths,
		"components": object{
			"schemas": types,
			"securitySchemes": object{
				"token": object{
					"type": "http", "scheme": "bearer", "description": "of WAYBILL_API_TOKENS_FILE, or of a workflow run",
				},
				"session": object{
					"type": "apiKey", "in": "cookie", "name": "__Host-waybill-session", "description": "after a sign-in",
				},
			},
		},
		"security": []object{{"token": []string{}}, {"session": []string{}}},
	}
}

// operation describes a route, and its types among types.
func operation(r Route, types object) object {
	content := object{"application/json": object{"schema": schemaOf(reflect.TypeOf(r.Answers), types)}}
	if r.stream != nil { // the data of each event is of the type that it answers
		content = object{"text/event-stream": object{"schema": object{"type": "string"}}}
	}
	answer := object{"description": r.Says, "content": content}
	responses := object{
		"200": answer,
		"default": object{"description": "why there is no answer", "content": object{
			"application/problem+json": object{"schema": schemaOf(reflect.TypeFor[Problem](), types)},
		}},
	}
	if r.Makes {
		responses["201"] = answer
	}
	if r.Method == http.MethodGet && r.stream == nil {
		responses["304"] = object{"description": "the caller has this answer: its ETag is in If-None-Match"}
	}
	o := object{"summary": r.Says, "responses": responses, "parameters": parameters(r)}
	if r.Takes != nil {
		o["requestBody"] = object{"required": true, "content": object{
			"application/json": object{"schema": schemaOf(reflect.TypeOf(r.Takes), types)},
		}}
	}
	return o
}

// queries describes the parameters of lists and streams.
var queries = map[string]object{
	"limit":  {"schema": object{"type": "integer", "minimum": 1, "maximum": maxLimit, "default": usualLimit}},
	"cursor": {"schema": object{"type": "string"}, "description": "the next of the page before"},
	"stage":  {"schema": object{"type": "string"}, "description": "of this stage alone"},
	"stages": {"schema": object{"type": "string"},
		"description": "of the stages that this names, as commands do: `checkout-*`, `group:prod`"},
	"most": {"schema": object{"type": "integer", "minimum": 1},
		"description": "how many of the stages are described, from the first of the file on; all of them without it"},
	"state": {"schema": object{"type": "string"}, "description": "parked, waiting or handled"},
	"after": {"schema": object{"type": "integer", "minimum": 0}, "description": "events behind the one with this number"},
	"since": {"schema": object{"type": "string"}, "description": "a time, a day, or a number of days such as 28d"},
}

// parameters describes the parameters of a route: in its path, its query and its header.
func parameters(r Route) []object {
	all := []object{}
	add := func(in, name string, more object) {
		p := object{"in": in, "name": name, "required": in == "path"}
		maps.Copy(p, more)
		all = append(all, p)
	}
	for _, part := range strings.Split(r.Path, "/") {
		if name, is := strings.CutPrefix(part, "{"); is {
			add("path", strings.TrimSuffix(name, "}"), object{"schema": object{"type": "string"}})
		}
	}
	for _, name := range strings.Split(r.Query, ", ") {
		if name != "" {
			add("query", name, queries[name])
		}
	}
	if r.Method == http.MethodGet && r.stream == nil {
		add("header", "If-None-Match", object{"schema": object{"type": "string"},
			"description": "the ETags of answers that the caller has"})
	}
	if r.Method == http.MethodPost && strings.HasSuffix(r.Path, "/commands") {
		add("header", IdempotencyKey, object{"schema": object{"type": "string", "maxLength": maxKey},
			"description": "the same key gives the command once"})
	}
	return all
}

// schemaOf describes a type of Go as JSON has it, and the types of its fields among types.
func schemaOf(t reflect.Type, types object) object {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[json.RawMessage]():
		return object{"description": "any JSON"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem(), types)
	case reflect.Slice:
		return object{"type": "array", "items": schemaOf(t.Elem(), types)}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schemaOf(t.Elem(), types)}
	case reflect.Struct:
		if types[t.Name()] == nil {
			types[t.Name()] = object{} // of a type that refers to itself
			types[t.Name()] = fieldsOf(t, types)
		}
		return object{"$ref": "#/components/schemas/" + t.Name()}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Float64:
		return object{"type": "number"}
	}
	return object{"type": "integer"}
}

// fieldsOf describes the fields of a struct, those that it embeds included.
func fieldsOf(t reflect.Type, types object) object {
	fields, required := object{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		field := schemaOf(f.Type, types)
		if field["$ref"] != nil { // beside a reference nothing counts
			field = object{"allOf": []object{field}}
		}
		field["description"] = f.Tag.Get("doc")
		if fields[name] = field; options != "omitempty" {
			required = append(required, name)
		}
	}
	o := object{"type": "object", "properties": fields}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}
