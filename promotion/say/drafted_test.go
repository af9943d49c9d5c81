package say

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThePullRequestOfADraftSaysWhatWasGuessedAndWhatIsLeft(t *testing.T) {
	d := Drafted{
		App: "api", Files: [][2]string{{".github/waybill.yml", "the stages"}},
		Found:   []string{"Found in acme/deploy: Helm values", "  dev  deploy/dev.yaml"},
		Guessed: []string{"api is of @acme/team."},
		Steps:   []Step{{"Agree in acme/api", []string{"version: 1", "allow: [acme/deploy]"}}, {Text: "Merge."}},
	}
	require.Equal(t, "`waybill init` has drafted these files for `api`. They change nothing before they are merged and "+
		"the App is installed.\n\n- `.github/waybill.yml`: the stages\n"+
		"\n### Found\n\n```\nFound in acme/deploy: Helm values\n  dev  deploy/dev.yaml\n```\n"+
		"\n### Decided without you\n\n- api is of &#64;\u200bacme/team.\n"+
		"\n### What is left to do\n\n"+
		"1. Agree in acme/api\n   ```\n   version: 1\n   allow: [acme/deploy]\n   ```\n2. Merge.\n", d.Markdown())
	require.NotContains(t, Drafted{App: "api"}.Markdown(), "Decided")
}

// TestNoNameOfARepositoryPingsOrFormatsInTheTextOfADraft has one in each place.
func TestNoNameOfARepositoryPingsOrFormatsInTheTextOfADraft(t *testing.T) {
	const name = "```\n@acme/all <img src=x>\x1b[2J"
	text := Drafted{
		App: name, Files: [][2]string{{name, name}}, Found: []string{name}, Guessed: []string{name},
		Steps: []Step{{name, []string{name}}},
	}.Markdown()
	for _, line := range []string{
		"- ` @acme/all <img src=x>[2J`: ", "\n@acme/all <img src=x>[2J\n```", "\n   @acme/all <img",
	} {
		require.Contains(t, text, line, "as code")
	}
	require.Contains(t, text, "&#64;\u200bacme/all &#60;img src&#61;x&#62;", "or escaped")
	require.NotContains(t, text, "\x1b")
}
