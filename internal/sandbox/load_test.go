package sandbox

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// load posts signed webhooks to a process and records those that the process acknowledges.
type load struct {
	url, secret string
	repo        int64
	install     int64
	client      http.Client
	rest        time.Duration // between two deliveries of a connection
	posting     sync.WaitGroup
	stopped     chan struct{}

	mu      sync.Mutex
	posted  int
	answers map[int]int // by status; 0: no answer
	taken   []int       // the numbers of the acknowledged deliveries
}

// newLoad posts from several connections at once until it is stopped. Each connection waits for the answer, then rests.
// Each delivery is that of a deployment of its own, of a commit that no promotion waits for.
func newLoad(t *testing.T, github *githubsim.Server, v *victim, connections int, rest time.Duration) *load {
	t.Helper()
	l := &load{
		url: "http://" + v.address + "/api/github/hook", secret: github.WebhookSecret(), rest: rest,
		stopped: make(chan struct{}), answers: map[int]int{}, client: http.Client{Timeout: 20 * time.Second},
	}
	db, err := sql.Open("sqlite", v.database)
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, db.QueryRow(`SELECT id, installation FROM pipelines`).Scan(&l.repo, &l.install))
	for range connections {
		l.posting.Go(l.run)
	}
	t.Cleanup(l.stop)
	return l
}

// run posts one delivery after the other.
func (l *load) run() {
	for {
		select {
		case <-l.stopped:
			return
		default:
		}
		l.mu.Lock()
		l.posted++
		n := l.posted
		l.mu.Unlock()
		status := l.post(n)
		l.mu.Lock()
		l.answers[status]++
		if status/100 == 2 {
			l.taken = append(l.taken, n)
		}
		l.mu.Unlock()
		if status/100 != 2 {
			time.Sleep(5 * time.Millisecond) // the process is down or busy
		}
		time.Sleep(l.rest)
	}
}

// post posts one delivery and returns the status of the answer: in turn a deployment and a check run. Check runs that
// wait are handled together.
func (l *load) post(n int) int {
	now := time.Now().UTC().Format(time.RFC3339) // Waybill soon deletes old signals on unknown commits
	id, event := loadIDs+n, "deployment_status"
	told := fmt.Sprintf(`{"action":"created","deployment":{"id":%d,"sha":"%040x","environment":"load","created_at":%q},`+
		`"deployment_status":{"state":"success","created_at":%[3]q,"updated_at":%[3]q}`, id, n, now)
	if n%2 == 0 {
		event = "check_run"
		told = fmt.Sprintf(`{"action":"completed","check_run":{"id":%d,"head_sha":"%040x","name":"dev",`+
			`"status":"completed","conclusion":"success","started_at":%q,"completed_at":%[3]q,`+
			`"app":{"id":9,"slug":"load"},"check_suite":{"id":9,"head_branch":"main"}}`, id, n, now)
	}
	body := fmt.Appendf(nil, `%s,"repository":{"id":%d,"full_name":%q},"sender":{"id":99,"login":"load"},`+
		`"installation":{"id":%d}}`, told, l.repo, home, l.install)
	status, err := postSigned(&l.client, l.url, l.secret, event, fmt.Sprintf("load-%d", n), body)
	if err != nil {
		return 0
	}
	return status
}

// loadIDs is less than the id of every deployment and check run of the load.
const loadIDs = 9_000_000

// postSigned posts a webhook as GitHub does and returns the status of the answer.
func postSigned(client *http.Client, url, secret, event, guid string, body []byte) (status int, err error) {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header = http.Header{
		"Content-Type": {"application/json"}, "X-Github-Event": {event}, "X-Github-Delivery": {guid},
		"X-Hub-Signature-256": {"sha256=" + hex.EncodeToString(mac.Sum(nil))},
	}
	answer, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	return answer.StatusCode, answer.Body.Close()
}

// stop ends the load and waits for deliveries under way.
func (l *load) stop() {
	select {
	case <-l.stopped:
	default:
		close(l.stopped)
	}
	l.posting.Wait()
}

// answered counts the answers with a status so far.
func (l *load) answered(status int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.answers[status]
}

// check requires that each acknowledged delivery waits, or is handled and its signal recorded once. The process must
// have ended.
func (l *load) check(t *testing.T, database string) {
	t.Helper()
	l.stop()
	db, err := sql.Open("sqlite", database)
	require.NoError(t, err)
	defer db.Close()
	states := map[string]string{}
	read(t, db, `SELECT guid, state FROM deliveries WHERE guid LIKE 'load-%'`,
		func(guid, state string) { states[guid] = state })
	told := map[string]string{}
	read(t, db, fmt.Sprintf(`SELECT id, COUNT(*) FROM signals WHERE id > %d GROUP BY id`, loadIDs),
		func(id, times string) { told[id] = times })
	for _, n := range l.taken {
		state := states[fmt.Sprintf("load-%d", n)]
		require.Contains(t, []string{"handled", "waiting"}, state, "delivery load-%d was acknowledged", n)
		if state == "handled" {
			require.Equal(t, "1", told[fmt.Sprint(loadIDs+n)], "what delivery load-%d told", n)
		}
	}
	t.Logf("posted %d, acknowledged %d, answers by status %v", l.posted, len(l.taken), l.answers)
}

// read calls a function with both columns of every row.
func read(t *testing.T, db *sql.DB, query string, with func(a, b string)) {
	t.Helper()
	rows, err := db.Query(query)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var a, b string
		require.NoError(t, rows.Scan(&a, &b))
		with(a, b)
	}
	require.NoError(t, rows.Err())
}
