package main

import "slices"

// annotations are the keywords that are only for readers. Without them the description is a fifth of its size and loads
// faster.
var annotations = []string{
	"description", "summary", "title", "example", "examples", "externalDocs",
	"tags", "x-github", "x-github-breaking-changes", "x-octokit", "deprecated", "links",
}

// namesBelow are the keywords whose members are named by GitHub rather than by OpenAPI, so that a property called
// description is not removed as prose.
var namesBelow = []string{"properties", "patternProperties", "headers", "content"}

// verbatim are the keywords with data, not description.
var verbatim = []string{"enum", "default", "required", "const"}

// strip returns a copy of an OpenAPI object without its annotations. It also removes links, which lead from a response
// to another operation and are not used.
func strip(value any) any {
	switch v := value.(type) {
	case []any:
		kept := make([]any, len(v))
		for i, element := range v {
			kept[i] = strip(element)
		}
		return kept
	case object:
		kept := object{}
		for key, member := range v {
			switch {
			case slices.Contains(annotations, key):
			case slices.Contains(verbatim, key):
				kept[key] = member
			case key == "responses":
				kept[key] = stripResponses(member.(object))
			case slices.Contains(namesBelow, key):
				kept[key] = stripNames(member)
			default:
				kept[key] = strip(member)
			}
		}
		return kept
	}
	return value
}

// stripNames strips the members of a map whose keys are names.
func stripNames(value any) any {
	kept := object{}
	for name, member := range value.(object) {
		kept[name] = strip(member)
	}
	return kept
}

// stripResponses strips named responses. OpenAPI requires a description of every response that is not a reference, so
// an empty one stays.
func stripResponses(responses object) object {
	kept := object{}
	for name, member := range responses {
		response := strip(member).(object)
		if _, isReference := response["$ref"]; !isReference {
			response["description"] = ""
		}
		kept[name] = response
	}
	return kept
}
