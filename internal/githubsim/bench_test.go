package githubsim

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkStart measures the start of a server, which every test needs.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		server, err := Start(Options{Unchecked: true})
		require.NoError(b, err)
		require.NoError(b, server.Close())
	}
}

// BenchmarkPromotion opens, checks and merges a pull request with its webhooks, with and without the checks against
// GitHub's description.
func BenchmarkPromotion(b *testing.B) {
	for _, unchecked := range []bool{false, true} {
		b.Run(fmt.Sprintf("unchecked=%t", unchecked), func(b *testing.B) {
			server, err := Start(Options{Unchecked: unchecked, WebhookURL: "http://127.0.0.1:1/"})
			require.NoError(b, err)
			defer server.Close()
			require.NoError(b, server.CreateRepo("acme/app", map[string]string{"deploy/dev.yaml": "tag: v0\n"}))
			_, err = server.InstallApp("acme")
			require.NoError(b, err)
			server.FailWebhooks(1_000_000, 500)
			n := 0
			for b.Loop() {
				n++
				number, err := server.OpenPull("acme/app",
					PullSpec{Author: "ann", Files: map[string]*string{"deploy/dev.yaml": Text(fmt.Sprint("tag: v", n))}})
				require.NoError(b, err)
				sha, err := server.MergePull("acme/app", number, "ann", "squash")
				require.NoError(b, err)
				_, err = server.CreateCheckRun("acme/app", CheckSpec{Name: "smoke", SHA: sha, Conclusion: "success"})
				require.NoError(b, err)
			}
		})
	}
}
