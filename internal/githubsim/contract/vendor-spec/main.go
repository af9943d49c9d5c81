// Vendor-spec cuts the part of GitHub's published descriptions that Waybill's
// simulator is held to out of the npm packages that carry them.
//
// It reads a folder in which both packages were fetched with npm pack, and
// writes the files that package contract embeds: the OpenAPI subset named in
// subset.txt, the GraphQL schema without its prose, and the licences.
//
// Usage, from the root of the module:
//
//	npm pack @octokit/openapi@23.0.2 @octokit/graphql-schema@15.26.1
//	go run ./internal/githubsim/contract/vendor-spec -from . -to internal/githubsim/contract/spec
//
// The output depends only on the packages and on subset.txt, so that a second
// run changes nothing.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// The packages read, as npm pack names their files.
const (
	openapiPackage = "octokit-openapi-23.0.2.tgz"
	graphqlPackage = "octokit-graphql-schema-15.26.1.tgz"
)

//go:embed subset.txt
var subsetText string

func main() {
	from := flag.String("from", ".", "folder that holds "+openapiPackage+" and "+graphqlPackage)
	to := flag.String("to", "internal/githubsim/contract/spec", "folder to write to")
	flag.Parse()
	if err := run(*from, *to); err != nil {
		fmt.Fprintln(os.Stderr, "vendor-spec:", err)
		os.Exit(1)
	}
}

// run writes every vendored file, or returns an error with the file that it could not write.
func run(from, to string) error {
	if err := vendorOpenAPI(filepath.Join(from, openapiPackage), to); err != nil {
		return fmt.Errorf("vendor OpenAPI description: %w", err)
	}
	if err := vendorGraphQL(filepath.Join(from, graphqlPackage), to); err != nil {
		return fmt.Errorf("vendor GraphQL schema: %w", err)
	}
	return nil
}

// vendorOpenAPI writes openapi.json.gz and the licence of its package.
func vendorOpenAPI(pkg, to string) error {
	wanted, err := parseSubset(subsetText)
	if err != nil {
		return err
	}
	files, err := readTarball(pkg, "package/generated/api.github.com.json", "package/LICENSE")
	if err != nil {
		return err
	}
	small, err := cutDescription(files[0], wanted)
	if err != nil {
		return err
	}
	if err := writeGzip(filepath.Join(to, "openapi.json.gz"), small); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, "LICENSE.openapi"), files[1], 0o644)
}

// vendorGraphQL writes schema.graphql.gz and the licence of its package.
func vendorGraphQL(pkg, to string) error {
	files, err := readTarball(pkg, "package/schema.graphql", "package/LICENSE.md")
	if err != nil {
		return err
	}
	small, err := dropProse(files[0])
	if err != nil {
		return err
	}
	if err := writeGzip(filepath.Join(to, "schema.graphql.gz"), small); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, "LICENSE.graphql-schema"), files[1], 0o644)
}
