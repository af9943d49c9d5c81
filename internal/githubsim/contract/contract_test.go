package contract

import (
	"context"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"
)

// loaded returns the contract or fails the test.
func loaded(t *testing.T) *Contract {
	t.Helper()
	c, err := Load()
	require.NoError(t, err)
	return c
}

func TestTheContractIsLoadedOnce(t *testing.T) {
	require.Same(t, loaded(t), loaded(t))
}

// The checks need a valid description: on an invalid one they are undefined.
func TestTheVendoredDescriptionIsValidOpenAPI(t *testing.T) {
	description, err := unpack("spec/openapi.json.gz")
	require.NoError(t, err)
	doc, err := openapi3.NewLoader().LoadFromData(description)
	require.NoError(t, err)
	require.NoError(t, doc.Validate(context.Background()))
}
