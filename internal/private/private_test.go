package private_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/private"
)

func TestAFileIsPrivateIfItsOwnerWritesAndAtMostItsGroupReads(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "secrets"))
	require.NoError(t, err)
	defer f.Close()
	for mode, good := range map[os.FileMode]bool{
		0o600: true, 0o400: true, 0o640: true, 0o440: true, 0o604: false, 0o644: false, 0o620: false, 0o602: false,
		0o601: false, 0o777: false,
	} {
		require.NoError(t, f.Chmod(mode))
		err := private.Check(f)
		require.Equal(t, good, err == nil, "%04o", mode)
		if !good {
			require.ErrorContains(t, err, "run chmod 600 on it")
		}
	}
}
