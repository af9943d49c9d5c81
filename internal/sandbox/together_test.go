package sandbox

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/store"
)

// report stores a check run like the first that was delivered, with this number as id and on a commit of its own.
func (s *site) report(n int) {
	s.t.Helper()
	for _, d := range s.github.Deliveries() {
		if d.Event != "check_run" || d.Action != "created" || !strings.Contains(string(d.Payload), `"smoke"`) {
			continue
		}
		var payload map[string]any
		require.NoError(s.t, json.Unmarshal(d.Payload, &payload))
		run := payload["check_run"].(map[string]any)
		run["id"], run["head_sha"] = n, fmt.Sprintf("%040d", n)
		body, err := json.Marshal(payload)
		require.NoError(s.t, err)
		_, err = s.program.store.Accept(s.ctx, store.Delivery{
			Source: "github", GUID: fmt.Sprint("report-", n), Event: d.Event, Action: d.Action,
			Repo: promotion.Repo(home), Installation: d.InstallationID, Body: body,
		})
		require.NoError(s.t, err)
		return
	}
	require.FailNow(s.t, "there is no check run")
}

// TestAReportThatFailsSpoilsNoneOfThoseThatAreRecordedWithIt has reports arrive while their repository is busy, so that
// they are taken together. One of them cannot be recorded.
func TestAReportThatFailsSpoilsNoneOfThoseThatAreRecordedWithIt(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.hearsOnce()
	s.do("merge #1 by ann", "check smoke success on dev")
	busy, free, merged := make(chan struct{}), make(chan struct{}), make(chan struct{})
	s.buggyIf(0, func(r *http.Request) bool {
		if strings.Contains(r.URL.Path, "/pulls/2/files") {
			close(busy)
			<-free
		}
		return false
	})
	db, err := sql.Open("sqlite", "file:"+s.file+"?_pragma=busy_timeout(5000)")
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Exec(`CREATE TRIGGER poison BEFORE INSERT ON signals WHEN NEW.id = 3 BEGIN
			SELECT RAISE(ABORT, 'poison'); END;
		CREATE TABLE leased (n BIGINT);
		CREATE TRIGGER leased AFTER INSERT ON signals BEGIN
			INSERT INTO leased SELECT COUNT(*) FROM deliveries WHERE token <> ''; END`)
	require.NoError(t, err)
	go func() {
		defer close(merged)
		s.do("merge #2 by ann")
	}()
	<-busy
	for n := 1; n <= 5; n++ {
		s.report(n)
	}
	close(free)
	<-merged
	s.quiet()
	read := func(query string) (n int) {
		require.NoError(t, db.QueryRow(query).Scan(&n))
		return n
	}
	require.Equal(t, 5, read(`SELECT MAX(n) FROM leased`), "they are taken together")
	require.Equal(t, 4, read(`SELECT COUNT(*) FROM signals WHERE id BETWEEN 1 AND 5`))
	require.Equal(t, 1, read(`SELECT COUNT(*) FROM deliveries WHERE state = 'waiting' AND error LIKE '%poison%'`))
	require.Equal(t, 1, read(`SELECT COUNT(*) FROM deliveries WHERE state <> 'handled'`))
}
