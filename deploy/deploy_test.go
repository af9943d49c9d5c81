// Package deploy_test compares the files by which Waybill is installed and released with one another, and with the
// program.
package deploy_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"waybill/config"
)

type object = map[string]any

// text returns a file of the repository.
func text(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", path))
	require.NoError(t, err)
	return string(data)
}

// documents returns what a file of YAML has. A key that stands there twice is an error.
func documents(t *testing.T, path string) (all []object) {
	t.Helper()
	read := yaml.NewDecoder(strings.NewReader(text(t, path)))
	for {
		var one object
		err := read.Decode(&one)
		if errors.Is(err, io.EOF) {
			require.NotEmpty(t, all, path)
			return all
		}
		require.NoError(t, err, path)
		all = append(all, one)
	}
}

// in returns the value at the end of a way through maps and lists, nil if there is none.
func in(value any, way ...any) any {
	for _, step := range way {
		switch at := value.(type) {
		case object:
			name, _ := step.(string)
			value = at[name]
		case []any:
			i, isIndex := step.(int)
			if !isIndex || i >= len(at) {
				return nil
			}
			value = at[i]
		default:
			return nil
		}
	}
	return value
}

// list returns a list of objects.
func list(value any) (all []object) {
	items, _ := value.([]any)
	for _, item := range items {
		if one, is := item.(object); is {
			all = append(all, one)
		}
	}
	return all
}

// texts returns a list of texts.
func texts(value any) (all []string) {
	items, _ := value.([]any)
	for _, item := range items {
		all = append(all, fmt.Sprint(item))
	}
	return all
}

// named returns the one of a list with a name.
func named(t *testing.T, value any, name string) object {
	t.Helper()
	for _, one := range list(value) {
		if one["name"] == name {
			return one
		}
	}
	t.Fatalf("nothing is called %s in %v", name, value)
	return nil
}

// settings are the names of all variables that a server reads.
func settings() map[string]bool {
	names := map[string]bool{}
	_, _ = config.FromEnv(func(name string) string { names[name] = true; return "" })
	return names
}

// find returns the parts of a file that an expression picks, and fails without any.
func find(t *testing.T, path, expression string) []string {
	t.Helper()
	found := regexp.MustCompile("(?m)" + expression).FindStringSubmatch(text(t, path))
	require.NotNil(t, found, "%s: nothing like %s", path, expression)
	return found[1:]
}

// image is what the Dockerfile says of the image.
type image struct{ port, user, health string }

func ofImage(t *testing.T) image {
	t.Helper()
	return image{
		port:   find(t, "Dockerfile", `^EXPOSE (\d+)$`)[0],
		user:   find(t, "Dockerfile", `^USER (\d+):\d+$`)[0],
		health: find(t, "Dockerfile", `^HEALTHCHECK .* CMD (\[.*\])$`)[0],
	}
}

func TestTheImageIsPinnedAndNobodysAndListensWhereItSays(t *testing.T) {
	froms := regexp.MustCompile(`(?m)^FROM .*`).FindAllString(text(t, "Dockerfile"), -1)
	require.Len(t, froms, 2)
	for _, from := range froms {
		require.Regexp(t, `:[\w.-]+@sha256:[0-9a-f]{64}( AS \w+)?$`, from)
	}
	is := ofImage(t)
	require.NotEqual(t, "0", is.user)
	require.Equal(t, is.port, find(t, "Dockerfile", `^ENV WAYBILL_LISTEN=0\.0\.0\.0:(\d+)$`)[0])
	require.Equal(t, `["/waybill", "health"]`, is.health)
	require.Contains(t, find(t, "Dockerfile", `go build (.*) \./cmd/waybill`)[0], "-tags nosandbox")
	for _, secret := range written(t) {
		require.Contains(t, strings.Fields(text(t, ".dockerignore")), "**/*"+filepath.Ext(secret),
			"%s is not copied", secret)
		require.Contains(t, strings.Fields(text(t, ".gitignore")), "*"+filepath.Ext(secret), "%s is not committed", secret)
	}
}

// written are the files with secrets that setup writes.
func written(t *testing.T) (all []string) {
	t.Helper()
	for _, found := range regexp.MustCompile(`Name\s+= "(waybill\.\w+)"`).FindAllStringSubmatch(
		text(t, "cmd/waybill/setupfiles.go"), -1) {
		all = append(all, found[1])
	}
	require.Len(t, all, 3)
	return all
}

func TestEachSettingThatTheFilesGiveExists(t *testing.T) {
	known, given := settings(), map[string]string{}
	for _, file := range []string{"deploy/compose.yaml", "deploy/compose.postgres.yaml"} {
		environment, _ := in(documents(t, file)[0], "services", "waybill", "environment").(object)
		require.NotEmpty(t, environment, file)
		for name := range environment {
			given[name] = file
		}
	}
	for file, c := range containers(t) {
		for _, one := range c {
			for _, env := range list(one["env"]) {
				if env["valueFrom"] == nil {
					given[fmt.Sprint(env["name"])] = file
				}
			}
		}
	}
	for _, file := range []string{"deploy/waybill.service", "deploy/waybill-backup.service"} {
		for _, value := range unit(t, file)["Service"]["Environment"] {
			name, _, _ := strings.Cut(value, "=")
			given[name] = file
		}
	}
	require.Greater(t, len(given), 5)
	for name, file := range given {
		require.True(t, known[name], "%s: no server reads %s", file, name)
	}
}

// containers returns the containers of all workloads, by file.
func containers(t *testing.T) map[string][]object {
	t.Helper()
	all := map[string][]object{}
	for _, file := range manifests(t) {
		for _, d := range documents(t, file) {
			for _, way := range [][]any{{"spec", "template"}, {"spec", "jobTemplate", "spec", "template"}} {
				all[file] = append(all[file], list(in(d, append(way, "spec", "containers")...))...)
			}
		}
	}
	return all
}

// manifests are the files for Kubernetes.
func manifests(t *testing.T) (all []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir("kubernetes", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, "deploy/"+path)
		}
		return err
	}))
	require.Greater(t, len(all), 5)
	return all
}

func TestTheComposeFilesFitTogether(t *testing.T) {
	is, base := ofImage(t), documents(t, "deploy/compose.yaml")[0]
	waybill := in(base, "services", "waybill")
	require.Equal(t, in(base, "networks", "front", "ipam", "config", 0, "subnet"),
		in(waybill, "environment", "WAYBILL_TRUSTED_PROXIES"), "the proxy is believed, and nobody else")
	require.Equal(t, is.port, find(t, "deploy/Caddyfile", `reverse_proxy waybill:(\d+)$`)[0])
	require.Equal(t, "{$WAYBILL_HOST} {", find(t, "deploy/Caddyfile", `^(\{.*)$`)[0])
	require.Contains(t, in(base, "services", "caddy", "environment"), "WAYBILL_HOST")
	require.Equal(t, true, in(waybill, "read_only"))
	require.Equal(t, written(t)[0], in(waybill, "env_file"))

	for _, name := range []string{"compose.yaml", "compose.postgres.yaml", "compose.litestream.yaml"} {
		file := "deploy/" + name
		d := documents(t, file)[0]
		services, _ := d["services"].(object)
		for name, service := range services {
			for _, secret := range texts(in(service, "secrets")) {
				require.True(t, defined("secrets", secret, base, d), "%s: %s: secret %s", file, name, secret)
			}
			for _, network := range texts(in(service, "networks")) {
				require.True(t, defined("networks", network, base, d), "%s: %s: network %s", file, name, network)
			}
			for _, mount := range texts(in(service, "volumes")) {
				from, _, _ := strings.Cut(mount, ":")
				if local, is := strings.CutPrefix(from, "./"); is {
					require.FileExists(t, local, file)
				} else {
					require.True(t, defined("volumes", from, base, d), "%s: %s: volume %s", file, name, from)
				}
			}
			environment, _ := in(service, "environment").(object)
			for setting, value := range environment {
				if file, is := strings.CutPrefix(fmt.Sprint(value), "/run/secrets/"); is {
					require.Contains(t, texts(in(service, "secrets")), file, setting)
				}
			}
		}
	}
	stream := documents(t, "deploy/litestream.yml")[0]
	require.Equal(t, "sqlite://"+fmt.Sprint(in(stream, "dbs", 0, "path")),
		in(waybill, "environment", "WAYBILL_DATABASE_URL"), "it copies the server's file")
	require.Equal(t, is.user+":"+is.user,
		in(documents(t, "deploy/compose.litestream.yaml")[0], "services", "litestream", "user"))
}

// defined reports whether one of the files defines something of a kind.
func defined(kind, name string, files ...object) bool {
	return slices.ContainsFunc(files, func(f object) bool {
		all, _ := f[kind].(object)
		_, is := all[name]
		return is
	})
}

func TestTheManifestsFitTheImageAndOneAnother(t *testing.T) {
	is := ofImage(t)
	used := map[string]bool{}
	for _, folder := range []string{"base", "sqlite", "postgres", "restore", "migrate"} {
		file := "deploy/kubernetes/" + folder + "/kustomization.yaml"
		used[file] = true
		k := documents(t, file)[0]
		for _, name := range texts(k["resources"]) {
			used[filepath.Join(filepath.Dir(file), name)] = true
		}
		for _, patch := range list(k["patches"]) {
			used[filepath.Join(filepath.Dir(file), fmt.Sprint(patch["path"]))] = true
		}
	}
	delete(used, "deploy/kubernetes/base")
	require.Equal(t, manifests(t), slices.Sorted(maps.Keys(used)), "each file is used, and each that is used is there")

	server := documents(t, "deploy/kubernetes/base/deployment.yaml")[0]
	require.Equal(t, 1, in(server, "spec", "replicas"), "one server works on a file")
	require.Equal(t, "Recreate", in(server, "spec", "strategy", "type"))
	several := documents(t, "deploy/kubernetes/postgres/database.yaml")[0]
	require.Greater(t, in(several, "spec", "replicas"), 1)
	require.Equal(t, "RollingUpdate", in(several, "spec", "strategy", "type"))
	require.Equal(t, "true", named(t, named(t, in(several, "spec", "template", "spec", "containers"), "waybill")["env"],
		"WAYBILL_REPLICAS")["value"])
	container := named(t, in(server, "spec", "template", "spec", "containers"), "waybill")
	require.Equal(t, is.port, fmt.Sprint(in(container, "ports", 0, "containerPort")))
	require.Equal(t, "0.0.0.0:"+is.port, named(t, container["env"], "WAYBILL_LISTEN")["value"])
	for probe, path := range map[string]string{
		"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz",
	} {
		require.Equal(t, path, in(container, probe, "httpGet", "path"))
		require.Equal(t, in(container, "ports", 0, "name"), in(container, probe, "httpGet", "port"))
		require.Contains(t, text(t, "app/server.go"), `"GET `+path+`"`)
	}
	for file, all := range containers(t) {
		for _, c := range all {
			if c["image"] == nil {
				continue // a patch
			}
			require.Equal(t, true, in(c, "securityContext", "readOnlyRootFilesystem"), file)
			require.Equal(t, false, in(c, "securityContext", "allowPrivilegeEscalation"), file)
		}
	}
	backup := documents(t, "deploy/kubernetes/sqlite/backup.yaml")[0]
	restore := documents(t, "deploy/kubernetes/restore/restore.yaml")[0]
	migrate := documents(t, "deploy/kubernetes/migrate/migrate.yaml")[0]
	for _, pod := range []any{
		in(server, "spec", "template", "spec"), in(backup, "spec", "jobTemplate", "spec", "template", "spec"),
		in(restore, "spec", "template", "spec"), in(migrate, "spec", "template", "spec"),
	} {
		require.Equal(t, is.user, fmt.Sprint(in(pod, "securityContext", "runAsUser")))
		require.Equal(t, true, in(pod, "securityContext", "runAsNonRoot"))
	}
	volume := documents(t, "deploy/kubernetes/sqlite/volume.yaml")[0]
	require.Equal(t, named(t, named(t, in(volume, "spec", "template", "spec", "containers"), "waybill")["env"],
		"WAYBILL_DATABASE_URL"), named(t, named(t, in(backup, "spec", "jobTemplate", "spec", "template", "spec",
		"containers"), "backup")["env"], "WAYBILL_DATABASE_URL"), "the backup is of the server's database")
	database := named(t, named(t, in(volume, "spec", "template", "spec", "containers"), "waybill")["env"],
		"WAYBILL_DATABASE_URL")
	require.Equal(t, database, named(t, named(t, in(restore, "spec", "template", "spec", "containers"),
		"restore")["env"], "WAYBILL_DATABASE_URL"), "the copy takes the place of the server's database")
	require.Contains(t, texts(named(t, in(migrate, "spec", "template", "spec", "containers"), "migrate")["args"]),
		database["value"], "what is moved is the server's database")
	require.Equal(t, in(backup, "spec", "jobTemplate", "spec", "template", "spec", "volumes"),
		in(restore, "spec", "template", "spec", "volumes"))
	require.Equal(t, "", named(t, named(t, in(several, "spec", "template", "spec", "containers"), "waybill")["env"],
		"WAYBILL_DATABASE_URL")["value"], "not the file that setup has named")
	install := text(t, "docs/install.md")
	for _, secret := range []any{
		in(container, "envFrom", 0, "secretRef", "name"),
		in(named(t, in(server, "spec", "template", "spec", "volumes"), "secrets"), "secret", "secretName"),
	} {
		require.Contains(t, install, fmt.Sprintf("kubectl create secret generic %s ", secret))
	}
}

// unit reads a unit of systemd: the values of each key, by section.
func unit(t *testing.T, path string) map[string]map[string][]string {
	t.Helper()
	all, section := map[string]map[string][]string{}, ""
	for line := range strings.Lines(text(t, path)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]")
			all[section] = map[string][]string{}
		default:
			key, value, found := strings.Cut(line, "=")
			require.True(t, found && section != "", "%s: %s", path, line)
			all[section][key] = append(all[section][key], value)
		}
	}
	return all
}

func TestTheUnitsOfSystemdAreTightAndFitTogether(t *testing.T) {
	server, backup := unit(t, "deploy/waybill.service")["Service"], unit(t, "deploy/waybill-backup.service")["Service"]
	for directive, value := range map[string]string{
		"DynamicUser": "yes", "NoNewPrivileges": "yes", "ProtectSystem": "strict", "ProtectHome": "yes", "UMask": "0077",
		"CapabilityBoundingSet": "", "PrivateDevices": "yes", "RestrictNamespaces": "yes",
		"SystemCallArchitectures": "native",
	} {
		require.Equal(t, value, server[directive][0], directive)
		require.Equal(t, value, backup[directive][0], directive)
	}
	for _, same := range []string{"User", "WorkingDirectory"} {
		require.Equal(t, server[same], backup[same], same)
	}
	require.Contains(t, server["Environment"], backup["Environment"][0], "the backup is of the server's database")
	var credentials []string
	for _, c := range server["LoadCredential"] {
		name, path, _ := strings.Cut(c, ":")
		require.Equal(t, "/etc/waybill/"+name, path)
		credentials = append(credentials, name)
	}
	require.ElementsMatch(t, written(t), credentials, "systemd hands over what setup has written")
	for _, name := range regexp.MustCompile(`%d/([\w.]+)`).FindAllStringSubmatch(text(t, "deploy/waybill.service"), -1) {
		require.Contains(t, credentials, name[1])
	}
	require.Equal(t, []string{"timers.target"}, unit(t, "deploy/waybill-backup.timer")["Install"]["WantedBy"])

	if analyze, err := exec.LookPath("systemd-analyze"); err == nil {
		out, _ := exec.Command(analyze, "verify", "waybill.service", "waybill-backup.service", "waybill-backup.timer").
			CombinedOutput()
		for line := range strings.Lines(string(out)) {
			require.Contains(t, line, "/usr/local/bin/waybill is not executable", "nothing else is wrong")
		}
	}
}

// TestEachCommandThatTheFilesRunExists asks the program of the image for the help of each.
func TestEachCommandThatTheFilesRunExists(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "waybill")
	out, err := exec.Command("go", "build", "-tags", "nosandbox", "-o", binary, "../cmd/waybill").CombinedOutput()
	require.NoError(t, err, string(out))
	seen := map[string]bool{}
	run := func(words ...string) {
		t.Helper()
		seen[words[0]] = true
		var said bytes.Buffer
		help := exec.Command(binary, append(words, "--help")...)
		help.Stdout, help.Stderr = &said, &said
		require.NoError(t, help.Run(), said.String())
		require.Contains(t, said.String(), "waybill "+words[0])
	}
	run(find(t, "Dockerfile", `^CMD \["(\w+)"\]$`)[0])
	run(find(t, "Dockerfile", `CMD \["/waybill", "(\w+)"\]$`)[0])
	// A line or a quotation that begins with the program, or a path to it.
	command := regexp.MustCompile("(?m)(?:^(?:sudo )?|`|bin/|exec waybill /)waybill (\\w+)")
	for _, file := range []string{"deploy/waybill.service", "deploy/waybill-backup.service", "docs/install.md"} {
		for _, found := range command.FindAllStringSubmatch(text(t, file), -1) {
			run(found[1])
		}
	}
	for _, all := range containers(t) {
		for _, c := range all {
			if args := texts(c["args"]); len(args) > 0 {
				run(args[0])
			}
		}
	}
	for _, command := range []string{"serve", "health", "backup", "restore", "migrate", "setup", "token", "doctor"} {
		require.True(t, seen[command], command)
	}
}

func TestTheWorkflowsArePinnedAndRunWhatThereIs(t *testing.T) {
	targets := text(t, "Makefile")
	ran := map[string]bool{}
	for _, file := range []string{".github/workflows/ci.yml", ".github/workflows/release.yml"} {
		w := documents(t, file)[0]
		require.Equal(t, object{"contents": "read"}, w["permissions"], "%s: jobs ask for more by themselves", file)
		for _, found := range regexp.MustCompile(`uses: (\S+)(.*)`).FindAllStringSubmatch(text(t, file), -1) {
			if local, is := strings.CutPrefix(found[1], "./"); is {
				require.FileExists(t, filepath.Join("..", local))
				continue
			}
			require.Regexp(t, `^[\w-]+/[\w-]+@[0-9a-f]{40}$`, found[1], file)
			require.Regexp(t, `^ # v\d+\.\d+\.\d+$`, found[2], "%s: the version of %s", file, found[1])
		}
		jobs, _ := w["jobs"].(object)
		for name, job := range jobs {
			require.Contains(t, append(slices.Collect(maps.Keys(jobs)), "<nil>"), fmt.Sprint(in(job, "needs")), name)
			for _, step := range list(in(job, "steps")) {
				words := strings.Fields(fmt.Sprint(step["run"]))
				switch {
				case words[0] == "make":
					require.Regexp(t, `(?m)^`+words[1]+`:`, targets, file)
					ran[words[0]+" "+words[1]] = true
				case strings.HasPrefix(words[0], ".ci/"):
					info, err := os.Stat(filepath.Join("..", words[0]))
					require.NoError(t, err, file)
					require.NotZero(t, info.Mode()&0o100, words[0])
					ran[words[0]] = true
				}
			}
		}
	}
	require.Equal(t, map[string]bool{".ci/run": true, "make release": true}, ran)
	require.Contains(t, text(t, ".ci/run"), " make release\n", "the script of releases is tried with each change")
}

// TestTheModuleHasOnePlaceToChangeItsPath renames the module in a copy, twice, and has Go find
// every package of it.
func TestTheModuleHasOnePlaceToChangeItsPath(t *testing.T) {
	copied := t.TempDir()
	files, err := exec.Command("git", "-C", "..", "ls-files", "-z").Output()
	require.NoError(t, err)
	for _, file := range strings.Split(strings.TrimSuffix(string(files), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join("..", file))
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed, and that is not committed yet
		}
		require.NoError(t, err)
		to := filepath.Join(copied, file)
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
		require.NoError(t, os.WriteFile(to, data, 0o755))
	}
	packages := func() string {
		t.Helper()
		list := exec.Command("go", "list", "-deps", "-test", "./...")
		list.Dir = copied
		out, err := list.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	before, from := packages(), "waybill"
	for _, to := range []string{"github.com/acme/waybill", "git.example.com/Acme/releases"} {
		rename := exec.Command(".ci/module", to)
		rename.Dir = copied
		out, err := rename.CombinedOutput()
		require.NoError(t, err, string(out))
		after := packages()
		require.NotRegexp(t, `(?m)^`+regexp.QuoteMeta(from)+`/`, after)
		require.Equal(t, strings.Count(before, "\n"), strings.Count(after, "\n"), "the same packages")
		require.Contains(t, after, "\n"+to+"/cmd/waybill\n")
		from = to
	}
}
