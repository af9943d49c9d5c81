package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// A description with an example of everything that cutDescription handles.
const description = `{
	"openapi": "3.0.3",
	"info": {"title": "GitHub", "version": "1"},
	"paths": {
		"/runs": {
			"post": {
				"operationId": "runs/create", "summary": "Create a run", "tags": ["runs"],
				"parameters": [{"$ref": "#/components/parameters/owner"}],
				"requestBody": {"content": {"application/json": {
					"schema": {"$ref": "#/components/schemas/run"},
					"examples": {"default": {"$ref": "#/components/examples/run"}}}}},
				"responses": {
					"201": {"description": "Created", "content": {"application/json": {"schema": {"$ref":
					"#/components/schemas/run"}}}},
					"404": {"$ref": "#/components/responses/not_found"}}},
			"delete": {"operationId": "runs/delete", "responses": {"204": {"description": "Gone"}}}},
		"/other": {"get": {"operationId": "other", "responses": {"200": {"description": "OK",
			"content": {"application/json": {"schema": {"$ref": "#/components/schemas/unwanted"}}}}}}}
	},
	"x-webhooks": {
		"run-re-requested": {"post": {
			"parameters": [{"name": "X-GitHub-Event", "in": "header", "example": "run"}],
			"requestBody": {"content": {
				"application/json": {"schema": {"$ref": "#/components/schemas/webhook-run"}},
				"application/x-www-form-urlencoded": {"schema": {"$ref": "#/components/schemas/unwanted"}}}}}},
		"push": {"post": {
			"parameters": [{"name": "X-Github-Event", "in": "header", "example": "push"}],
			"requestBody": {"content": {"application/json": {"schema": {"type": "object", "title": "push"}}}}}}
	},
	"components": {
		"parameters": {"owner": {"name": "owner", "in": "query", "description": "the owner", "schema": {"type": "string"}}},
		"responses": {"not_found": {"description": "Not found", "content": {"application/json": {"schema": {"$ref":
		"#/components/schemas/basic-error"}}}}},
		"headers": {},
		"examples": {"run": {"value": {"$ref": "#/components/schemas/unwanted"}}},
		"schemas": {
			"run": {"type": "object", "title": "Run", "required": ["description", "example"], "properties": {
				"description": {"type": "string", "description": "what it is", "example": "a run"},
				"example": {"type": "string"},
				"step": {"$ref": "#/components/schemas/step"}}},
			"step": {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/step"}}},
			"webhook-run": {"type": "object"},
			"unwanted": {"type": "object"},
			"basic-error": {"type": "object"}, "validation-error": {"type": "object"}, "validation-error-simple": {"type":
			"object"}
		}
	}
}`

func cut(t *testing.T, lines string) object {
	t.Helper()
	wanted, err := parseSubset(lines)
	require.NoError(t, err)
	small, err := cutDescription([]byte(description), wanted)
	require.NoError(t, err)
	var doc object
	require.NoError(t, json.Unmarshal(small, &doc))
	return doc
}

func TestOnlyWhatTheSubsetRefersToIsKept(t *testing.T) {
	doc := cut(t, "POST /runs\nEVENT run\nEVENT push")
	paths := doc["paths"].(object)
	require.Len(t, paths, 1)
	require.Contains(t, paths["/runs"], "post")
	require.NotContains(t, paths["/runs"], "delete")

	components := doc["components"].(object)
	require.NotContains(t, components, "examples")
	require.Contains(t, components["parameters"], "owner")
	require.Contains(t, components["responses"], "not_found")
	schemas := components["schemas"].(object)
	require.Contains(t, schemas, "step", "what is referred to through another schema stays")
	require.NotContains(t, schemas, "unwanted")
}

func TestWebhooksAreFiledByEventAndAction(t *testing.T) {
	doc := cut(t, "EVENT run\nEVENT push")
	require.Equal(t, object{"run.re_requested": "webhook-run", "push": "webhook-push"}, doc["x-webhooks"])
	require.Contains(t, doc["components"].(object)["schemas"], "webhook-push", "a payload described in place gets a name")
}

func TestProseGoesAndPropertiesOfThatNameStay(t *testing.T) {
	doc := cut(t, "POST /runs")
	run := doc["components"].(object)["schemas"].(object)["run"].(object)
	require.Equal(t, object{
		"type": "object", "required": []any{"description", "example"}, "properties": object{
			"description": object{"type": "string"},
			"example":     object{"type": "string"},
			"step":        object{"$ref": "#/components/schemas/step"}},
	}, run)
	post := doc["paths"].(object)["/runs"].(object)["post"].(object)
	require.NotContains(t, post, "summary")
	responses := post["responses"].(object)
	require.Equal(t, "", responses["201"].(object)["description"], "OpenAPI wants one on every response")
	require.Equal(t, object{"$ref": "#/components/responses/not_found"}, responses["404"])
}

func TestCuttingTwiceGivesTheSame(t *testing.T) {
	wanted, err := parseSubset("POST /runs\nEVENT run\nEVENT push")
	require.NoError(t, err)
	first, err := cutDescription([]byte(description), wanted)
	require.NoError(t, err)
	for range 10 {
		again, err := cutDescription([]byte(description), wanted)
		require.NoError(t, err)
		require.Equal(t, string(first), string(again))
	}
}

func TestASubsetThatAsksForTooMuchIsRefused(t *testing.T) {
	for line, want := range map[string]string{
		"PATCH /runs": "the description has no operation PATCH /runs",
		"GET /nope":   "the description has no operation GET /nope",
		"EVENT tweet": "the description has no event tweet",
	} {
		wanted, err := parseSubset(line)
		require.NoError(t, err)
		_, err = cutDescription([]byte(description), wanted)
		require.ErrorContains(t, err, want)
	}
}

func TestASubsetIsLinesOfOperationsAndEvents(t *testing.T) {
	wanted, err := parseSubset("# what we use\n\nGET /a/{b}\n  EVENT push  \n")
	require.NoError(t, err)
	require.Equal(t, subset{operations: []operation{{"get", "/a/{b}"}}, events: []string{"push"}}, wanted)

	_, err = parseSubset("# head\nGET\n")
	require.ErrorContains(t, err, "subset.txt:2: want METHOD /path or EVENT name")
	_, err = parseSubset("GET runs")
	require.ErrorContains(t, err, `subset.txt:1: "runs" is no path`)
}

func TestASchemaKeepsItsTypesAndLosesItsProse(t *testing.T) {
	small, err := dropProse([]byte(`"""A user"""
type User { "the login" login: String! login: String! age(in: Unit = YEARS): Int }
enum Unit { YEARS }
type Query { viewer: User! }`))
	require.NoError(t, err)
	require.NotContains(t, string(small), "the login")
	require.Regexp(t, `type User \{\s+login: String!\s+age\(in: Unit = YEARS\): Int\s+\}`, string(small))

	_, err = dropProse([]byte("type {"))
	require.ErrorContains(t, err, "parse schema")
}
