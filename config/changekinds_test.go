package config

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"waybill/internal/change"
)

func TestEveryKindOfChangeOfThePipelineFileCanBeMade(t *testing.T) {
	for _, k := range changeKinds {
		_, err := change.Key(k.kind, "a.b")
		assert.NoError(t, err, "internal/change/kind.go has no row for %s", k.kind)
	}
}
