package store

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestABodyOfGitHubTakesAThirdOfItsRoom(t *testing.T) {
	body := strings.Repeat(`"keys_url":"https://api.github.com/repos/acme/deploy/keys{/key_id}",`, 200)
	require.Less(t, len(pack([]byte(body))), len(body)/3)
	require.Error(t, unpacked{new([]byte)}.Scan([]byte("torn")))
}
