// Package contract embeds GitHub's own description of its API and checks HTTP exchanges, webhook payloads and GraphQL
// documents against it.
//
// The simulator and its clients are written by the same people and could share a mistake; GitHub's description is
// independent. It describes the form of messages, not GitHub's behaviour. The checks are stricter than the description:
// an undocumented route, status, parameter or field is a violation. The exceptions, for real clients and for GitHub
// itself, are listed in quirks.go. The package also fills in required values that a simulator leaves out, so that a
// pull request can be given by the few fields that matter.
package contract

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

//go:embed spec/openapi.json.gz spec/schema.graphql.gz
var spec embed.FS

// Contract is GitHub's description, ready for checks. It is immutable and safe for concurrent use.
type Contract struct {
	routes   []route
	schemas  openapi3.Schemas
	webhooks map[string]*openapi3.Schema // by "event" or "event.action"
	graphql  *ast.Schema
}

// Load returns the vendored contract. The first call takes about half a second;
// later calls return the same Contract at once.
func Load() (*Contract, error) {
	return loadOnce()
}

var loadOnce = sync.OnceValues(parse)

// parse builds the contract from the embedded files.
func parse() (*Contract, error) {
	description, err := unpack("spec/openapi.json.gz")
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(description)
	if err != nil {
		return nil, fmt.Errorf("parse OpenAPI description: %w", err)
	}
	widenConclusions(doc.Components.Schemas["check-run"])
	widenGrants(doc)
	webhooks, err := webhookSchemas(doc)
	if err != nil {
		return nil, err
	}
	sdl, err := unpack("spec/schema.graphql.gz")
	if err != nil {
		return nil, err
	}
	graphql, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphql", Input: string(sdl)})
	if err != nil {
		return nil, fmt.Errorf("parse GraphQL schema: %w", err)
	}
	return &Contract{
		routes:   routesOf(doc),
		schemas:  doc.Components.Schemas,
		webhooks: webhooks,
		graphql:  graphql,
	}, nil
}

// unpack returns the content of an embedded gzip file.
func unpack(name string) ([]byte, error) {
	packed, err := spec.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", name, err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", name, err)
	}
	return content, nil
}

// webhookSchemas resolves the x-webhooks extension that vendor-spec writes.
func webhookSchemas(doc *openapi3.T) (map[string]*openapi3.Schema, error) {
	var names map[string]string
	raw, err := json.Marshal(doc.Extensions["x-webhooks"])
	if err != nil {
		return nil, fmt.Errorf("parse x-webhooks: %w", err)
	}
	if err := json.Unmarshal(raw, &names); err != nil {
		return nil, fmt.Errorf("parse x-webhooks: %w", err)
	}
	webhooks := make(map[string]*openapi3.Schema, len(names))
	for webhook, name := range names {
		schema := doc.Components.Schemas[name]
		if schema == nil {
			return nil, fmt.Errorf("parse x-webhooks: %s wants schema %s, which is missing", webhook, name)
		}
		webhooks[webhook] = schema.Value
	}
	return webhooks, nil
}
