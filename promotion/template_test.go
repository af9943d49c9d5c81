package promotion_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

func TestATemplateReplacesWhatItRefersTo(t *testing.T) {
	f := promotion.NewFreight(&promotion.Warehouse{Name: "api"}, 142, "0123456789abcdef", fixture.Noon)
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"plain", "plain"},
		{"${api.short}", "0123456"},
		{"v${api.number}-${stage}", "v142-dev"},
		{"${ api.number }", "142"},
		{"$api {x} }", "$api {x} }"},
		{"$${stage}", "$dev"},
		{"${stage}${stage}", "devdev"},
		{"é${stage}水", "édev水"},
	} {
		tpl, err := promotion.ParseTemplate(c.text)
		require.NoError(t, err, c.text)
		got, err := tpl.Expand(promotion.Values("dev", f))
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, got, c.text)
	}
}

func TestATemplateThatIsNotWhole(t *testing.T) {
	for text, want := range map[string]string{
		"${":         `"${": ${ is not closed by }`,
		"a${b":       `"a${b": ${ is not closed by }`,
		"${x}${":     `"${x}${": ${ is not closed by }`,
		"${}":        `"${}": ${} names no value`,
		"${  }":      `"${  }": ${} names no value`,
		"a${ \t}b":   `"a${ \t}b": ${} names no value`,
		"${x} and $": "",
	} {
		_, err := promotion.ParseTemplate(text)
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, want)
	}
}

func TestAValueThatTheFreightDoesNotHave(t *testing.T) {
	f := promotion.NewFreight(&promotion.Warehouse{Name: "api"}, 142, "0123456789abcdef", fixture.Noon)
	for _, ref := range []string{"api.tag", "web.number", "api", "number", "stages", "api.", ".number"} {
		tpl, err := promotion.ParseTemplate("${" + ref + "}")
		require.NoError(t, err)
		_, err = tpl.Expand(promotion.Values("dev", f))
		require.EqualError(t, err, "${"+ref+"} has no value here")
	}
}

func TestATemplateListsItsReferences(t *testing.T) {
	tpl, err := promotion.ParseTemplate("a${api.short}b${stage}")
	require.NoError(t, err)
	require.Equal(t, []string{"api.short", "stage"}, tpl.References())
	tpl, err = promotion.ParseTemplate("plain")
	require.NoError(t, err)
	require.Empty(t, tpl.References())
}
