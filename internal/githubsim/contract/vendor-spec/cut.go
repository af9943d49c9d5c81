package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// object is a JSON object of the description.
type object = map[string]any

// alwaysWanted are schemas that package contract uses by name: it checks error bodies against them if an operation
// documents none.
var alwaysWanted = []string{"basic-error", "validation-error", "validation-error-simple"}

// cutDescription returns the wanted operations and webhooks of an OpenAPI description, with everything that they refer
// to.
//
// The result is an OpenAPI 3.0 document whose x-webhooks extension maps "event" or "event.action" to the name of the
// payload's schema. The original describes webhooks as operations with headers and form-encoded twins; only the schema
// of the JSON payload is useful.
func cutDescription(description []byte, wanted subset) ([]byte, error) {
	var full object
	if err := json.Unmarshal(description, &full); err != nil {
		return nil, fmt.Errorf("decode description: %w", err)
	}
	paths, err := cutPaths(full, wanted.operations)
	if err != nil {
		return nil, err
	}
	components := full["components"].(object)
	webhooks, err := cutWebhooks(full, wanted.events, components["schemas"].(object))
	if err != nil {
		return nil, err
	}
	// Stripped first, because examples refer to components that nothing else needs.
	stripped := stripNames(paths)
	components["responses"] = stripResponses(components["responses"].(object))
	for _, kind := range []string{"schemas", "parameters", "headers"} {
		components[kind] = stripNames(components[kind])
	}
	return json.Marshal(object{
		"openapi":    full["openapi"],
		"info":       full["info"],
		"paths":      stripped,
		"x-webhooks": webhooks,
		"components": keepReferenced(components, stripped, webhooks),
	})
}

// cutPaths returns the path items that hold a wanted operation, with only those.
func cutPaths(full object, operations []operation) (object, error) {
	all := full["paths"].(object)
	kept := object{}
	for _, op := range operations {
		item, _ := all[op.path].(object)
		found, ok := item[op.method]
		if !ok {
			return nil, fmt.Errorf("subset.txt: the description has no operation %s %s", strings.ToUpper(op.method), op.path)
		}
		if kept[op.path] == nil {
			kept[op.path] = object{}
		}
		kept[op.path].(object)[op.method] = found
		if shared, ok := item["parameters"]; ok {
			kept[op.path].(object)["parameters"] = shared
		}
	}
	return kept, nil
}

// cutWebhooks maps "event" or "event.action" to the name of the payload schema.
// A payload described in place becomes a schema of its own.
func cutWebhooks(full object, events []string, schemas object) (map[string]string, error) {
	kept := map[string]string{}
	for _, event := range events {
		before := len(kept)
		for key, item := range full["x-webhooks"].(object) {
			post := item.(object)["post"].(object)
			if headerExample(post, "X-Github-Event") != event {
				continue
			}
			payload := post["requestBody"].(object)["content"].(object)["application/json"].(object)["schema"].(object)
			name, ok := strings.CutPrefix(fmt.Sprint(payload["$ref"]), "#/components/schemas/")
			if !ok {
				name = "webhook-" + key
				schemas[name] = payload
			}
			kept[webhookName(event, key)] = name
		}
		if len(kept) == before {
			return nil, fmt.Errorf("subset.txt: the description has no event %s", event)
		}
	}
	return kept, nil
}

// webhookName converts the description's key, pull-request-review-requested, to the names in deliveries:
// pull_request.review_requested.
func webhookName(event, key string) string {
	action := strings.TrimPrefix(strings.ReplaceAll(key, "-", "_"), event)
	if action == "" {
		return event
	}
	return event + "." + strings.TrimPrefix(action, "_")
}

// headerExample returns the example of a header of a webhook. The description names the event there.
func headerExample(post object, header string) string {
	parameters, _ := post["parameters"].([]any)
	for _, p := range parameters {
		parameter := p.(object)
		if strings.EqualFold(fmt.Sprint(parameter["name"]), header) {
			return fmt.Sprint(parameter["example"])
		}
	}
	return ""
}

// keepReferenced returns the components that the paths and webhooks refer to, directly or indirectly.
func keepReferenced(components object, paths any, webhooks map[string]string) object {
	pending := references(paths)
	for _, name := range slices.Concat(slices.Collect(maps.Values(webhooks)), alwaysWanted) {
		pending = append(pending, "#/components/schemas/"+name)
	}
	kept := object{}
	for len(pending) > 0 {
		last := len(pending) - 1
		ref := pending[last]
		pending = pending[:last]
		kind, name, _ := strings.Cut(strings.TrimPrefix(ref, "#/components/"), "/")
		if kept[kind] == nil {
			kept[kind] = object{}
		}
		if _, done := kept[kind].(object)[name]; done {
			continue
		}
		component := components[kind].(object)[name]
		kept[kind].(object)[name] = component
		pending = append(pending, references(component)...)
	}
	return kept
}

// references lists the targets of every $ref in a value.
func references(value any) []string {
	var refs []string
	switch v := value.(type) {
	case object:
		if ref, ok := v["$ref"].(string); ok {
			refs = append(refs, ref)
		}
		for _, member := range v {
			refs = append(refs, references(member)...)
		}
	case []any:
		for _, element := range v {
			refs = append(refs, references(element)...)
		}
	}
	return refs
}
