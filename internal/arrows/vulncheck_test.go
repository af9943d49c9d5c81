package arrows

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAVulnerabilityThatIsReachedFailsTheCheck(t *testing.T) {
	// internal/keypath calls the one function of the package strings, and not the other.
	for name, symbol := range map[string]string{"reached": "ContainsAny", "not reached": "Title"} {
		t.Run(name, func(t *testing.T) {
			database := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(database, "GO-2000-0001.json"), []byte(`{
				"schema_version": "1.3.1", "id": "GO-2000-0001", "modified": "2000-01-01T00:00:00Z",
				"summary": "made up", "affected": [{
					"package": {"name": "stdlib", "ecosystem": "Go"},
					"ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}]}],
					"ecosystem_specific": {"imports": [{"path": "strings", "symbols": ["`+symbol+`"]}]}
				}], "database_specific": {"url": "https://example.invalid"}}`), 0o600))
			said, code := vulncheck(t, "VULNDB="+database)
			if name == "reached" {
				require.Equal(t, 3, code, said)
				require.Contains(t, said, "GO-2000-0001")
			} else {
				require.Zero(t, code, said)
			}
		})
	}
	t.Run("no database", func(t *testing.T) {
		said, code := vulncheck(t, "GOPROXY=off")
		require.Equal(t, 75, code, said)
		require.Contains(t, said, "NOT CHECKED FOR KNOWN VULNERABILITIES")
	})
}

// vulncheck runs the check of one small package, and returns what it says and its code.
func vulncheck(t *testing.T, env ...string) (string, int) {
	cmd := exec.Command("../../.ci/vulncheck", "./internal/keypath")
	cmd.Env = append(os.Environ(), env...)
	said, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	if !errors.As(err, &failed) {
		require.NoError(t, err, "%s", said)
		return string(said), 0
	}
	return string(said), failed.ExitCode()
}

// TestEachModuleIsInTheDecisionAboutDependencies checks that each module that go.mod requires directly
// has a line in docs/decisions/0004-dependencies.md with its version.
func TestEachModuleIsInTheDecisionAboutDependencies(t *testing.T) {
	text, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	decision, err := os.ReadFile("../../docs/decisions/0004-dependencies.md")
	require.NoError(t, err)
	required := regexp.MustCompile(`(?m)^\t(\S+) (v\S+)$`).FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, required)
	for _, module := range required {
		version := module[2]
		if stamp := regexp.MustCompile(`-(\d{4})(\d\d)(\d\d)\d{6}-`).FindStringSubmatch(version); stamp != nil {
			version = stamp[1] + "-" + stamp[2] + "-" + stamp[3]
		}
		require.Contains(t, string(decision), "\n| `"+strings.TrimPrefix(module[1], "github.com/")+"` | "+version+" |")
	}
}
