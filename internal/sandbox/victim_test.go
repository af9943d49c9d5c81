package sandbox

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// build builds the program once for all tests and returns its path.
var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "waybill-bin-")
	if err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "waybill")
	out, err := exec.Command("go", "build", "-o", binary, "waybill/cmd/waybill").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return binary, nil
})

func TestMain(m *testing.M) {
	if os.Getenv(clockFile) != "" {
		if err := serveByClock(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if kind := os.Getenv(doorKind); kind != "" {
		fmt.Fprintln(os.Stderr, serveDoor(kind))
		os.Exit(1)
	}
	code := m.Run()
	if binary, err := build(); err == nil {
		os.RemoveAll(filepath.Dir(binary))
	}
	os.Exit(code)
}

// victim is a `waybill serve` process. A test can kill it and start it again at the same address and on the same
// database.
type victim struct {
	t        testing.TB
	binary   string
	github   *githubsim.Server
	address  string
	database string   // a file; not used where server is set
	server   string   // the URL of a database on a server; empty: it is a file
	hub      string   // the address of GitHub; empty: its own
	env      []string // in addition to the settings of every server
	files    string   // a folder for files with its secrets; empty: the environment has them
	user     uint32   // 0: the user that runs the test

	mu      sync.Mutex
	process *os.Process
	command *exec.Cmd
	ended   chan struct{} // closed when the process has ended
	log     bytes.Buffer  // standard error of the current process
}

// newVictim prepares the process, and has GitHub send its webhooks to it.
func newVictim(t testing.TB, github *githubsim.Server) *victim {
	t.Helper()
	binary, err := build()
	require.NoError(t, err)
	v := &victim{
		t: t, binary: binary, github: github, address: freeAddress(t), database: filepath.Join(t.TempDir(), "waybill.db"),
	}
	github.SetWebhookURL("http://" + v.address + "/api/github/hook")
	t.Cleanup(v.kill)
	return v
}

// lastPort is the port of the newest victim. Victims run in parallel, each on its own port.
var lastPort atomic.Int32

// freeAddress returns an address whose port stays free while the process is down: it is outside the ephemeral range.
func freeAddress(t testing.TB) string {
	t.Helper()
	lastPort.CompareAndSwap(0, int32(20_000+os.Getpid()%10_000))
	for port := lastPort.Add(1); port < 32_000; port = lastPort.Add(1) {
		address := fmt.Sprintf("127.0.0.1:%d", port)
		if listener, err := net.Listen("tcp", address); err == nil {
			require.NoError(t, listener.Close())
			return address
		}
	}
	require.FailNow(t, "no port is free")
	return ""
}

// start starts the process.
func (v *victim) start() {
	v.t.Helper()
	cmd := exec.Command(v.binary, "serve")
	cmd.Env = append(append(os.Environ(), v.env...),
		"GITHUB_WEB_URL="+v.github.URL(), "GITHUB_V3_API_URL="+v.reached(v.github.V3URL()),
		"GITHUB_V4_API_URL="+v.reached(v.github.V4URL()),
		fmt.Sprintf("GITHUB_APP_INTEGRATION_ID=%d", v.github.AppID()), "WAYBILL_LISTEN="+v.address,
	)
	for name, secret := range map[string]string{
		"GITHUB_APP_WEBHOOK_SECRET": v.github.WebhookSecret(), "GITHUB_APP_PRIVATE_KEY": v.github.PrivateKeyPEM(),
		"WAYBILL_DATABASE_URL": cmp.Or(v.server, "sqlite://"+v.database),
	} {
		cmd.Env = append(cmd.Env, v.secret(name, secret))
	}
	v.log.Reset()
	cmd.Stderr = &v.log
	if v.user != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: v.user, Gid: v.user}}
	}
	require.NoError(v.t, cmd.Start())
	ended := make(chan struct{})
	v.mu.Lock()
	v.process, v.command, v.ended = cmd.Process, cmd, ended
	v.mu.Unlock()
	go func() {
		_ = cmd.Wait() // an error, because the process is killed
		close(ended)
	}()
}

// reached is an address of GitHub as the process reaches it.
func (v *victim) reached(address string) string {
	if v.hub == "" {
		return address
	}
	return v.hub + strings.TrimPrefix(address, v.github.URL())
}

// secret returns a variable with a secret, or with the path of a file that holds it.
func (v *victim) secret(name, value string) string {
	if v.files == "" {
		return name + "=" + value
	}
	path := filepath.Join(v.files, name)
	require.NoError(v.t, os.WriteFile(path, []byte(strings.TrimSuffix(value, "\n")+"\n"), 0o600))
	return name + "_FILE=" + path
}

// shoot sends SIGKILL and does not wait.
func (v *victim) shoot() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.process != nil {
		_ = v.process.Kill() // the process may have ended already
	}
}

// kill kills the process, if it runs, and waits for its end.
func (v *victim) kill() {
	v.shoot()
	if v.process != nil {
		<-v.ended
	}
}

// gone reports whether the process has ended.
func (v *victim) gone() bool {
	select {
	case <-v.ended:
		return true
	default:
		return false
	}
}

// as runs the process as another user from its next start on.
func (v *victim) as(user uint32) {
	require.NoError(v.t, os.Chmod(filepath.Dir(v.binary), 0o755)) // so that the user can execute the binary
	v.user = user
}

// pid returns the process id.
func (v *victim) pid() string { return strconv.Itoa(v.process.Pid) }

// trouble returns the process's answer at /readyz, which says why it is not ready.
func (v *victim) trouble() string {
	client := http.Client{Timeout: 20 * time.Second}
	answer, err := client.Get("http://" + v.address + "/readyz")
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(v.t, err)
	return string(text)
}

// exitCode returns the exit code of the process after its end.
func (v *victim) exitCode() int { return v.command.ProcessState.ExitCode() }

// ready reports whether the process answers and has asked GitHub for missed deliveries.
func (v *victim) ready() bool {
	client := http.Client{Timeout: time.Second}
	answer, err := client.Get("http://" + v.address + "/readyz")
	if err != nil {
		return false
	}
	answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}
