package pipelines

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/store"
)

func TestWhatWasFoundIsReadAsThisVersionAndTheOneBeforeWriteIt(t *testing.T) {
	globs := map[string][]string{"clusters/*/": {"clusters/a"}, "x/*": nil}
	for text, found := range map[string]config.Found{
		"":  {},
		"{": {},
		`{"clusters/*/":["clusters/a"],"x/*":null}`: {Globs: globs},
		`{"globs":{"clusters/*/":["clusters/a"],"x/*":null},"parts":{"p":"x"},"partsTree":"t"}`: {
			Globs: globs, Parts: map[string]string{"p": "x"}, PartsTree: "t",
		},
		`{"partsTree":"t"}`:                     {PartsTree: "t"},
		`{"partsTree":"t","overlooked":["p/"]}`: {PartsTree: "t", Overlooked: []string{"p/"}},
	} {
		require.Equal(t, found, FoundIn(store.PipelineRow{Found: []byte(text)}), text)
	}
}
