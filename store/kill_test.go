package store_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/store"
)

// victim names the database that a child process writes to until the test kills it.
const victim = "WAYBILL_TEST_VICTIM"

func TestMain(m *testing.M) {
	if path := os.Getenv(victim); path != "" {
		acceptForEver(path)
		return
	}
	os.Exit(m.Run())
}

// acceptForEver accepts deliveries on eight goroutines and prints each one when it is durable.
func acceptForEver(path string) {
	s, err := store.Open(context.Background(), "sqlite://"+path, store.Options{})
	if err != nil {
		panic(err)
	}
	for g := range 8 {
		go func() {
			for i := 0; ; i++ {
				guid := fmt.Sprintf("%d-%d", g, i)
				if _, err := s.Accept(context.Background(), store.Delivery{
					Source: "github", GUID: guid, Body: []byte(guid),
				}); err != nil {
					panic(err)
				}
				fmt.Println(guid)
			}
		}()
	}
	select {}
}

func TestNothingThatWasAcknowledgedIsLostWhenTheProcessIsKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "waybill.db")
	self, err := os.Executable()
	require.NoError(t, err)
	for round := range 3 {
		var acknowledged []string
		child := exec.Command(self)
		child.Env = append(os.Environ(), fmt.Sprintf("%s=%s", victim, path))
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			acknowledged = append(acknowledged, strings.TrimSpace(lines.Text()))
			if len(acknowledged) == 200 {
				require.NoError(t, child.Process.Kill())
			}
		}
		require.Error(t, child.Wait(), "it was killed")
		require.GreaterOrEqual(t, len(acknowledged), 200)

		s := openFile(t, path, store.Options{})
		require.NoError(t, s.View(t.Context(), func(tx *store.Tx) error {
			for _, guid := range acknowledged[:len(acknowledged)-1] { // the last line may be cut short
				d, err := tx.Inbox.Delivery("github:" + guid)
				require.NoError(t, err, "round %d", round)
				require.Equal(t, guid, string(d.Body))
			}
			return nil
		}))
		require.NoError(t, s.Close())
		path = filepath.Join(t.TempDir(), "next.db")
	}
}
