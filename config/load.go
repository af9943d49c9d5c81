package config

import (
	"strconv"
	"strings"
	"time"

	"waybill/promotion"
)

// Where the files are in the home repository.
const (
	PipelinePath = ".github/waybill.yml"
	PolicyPath   = ".github/waybill.policy.yml"
)

// Sources are the files that make a pipeline, with the facts about their repository. Both files of the repository must
// come from the same commit of its default branch: a pull request must not be judged by its own changes.
type Sources struct {
	Home         promotion.Repo // empty if unknown, as where a file is checked by itself
	ID           int64          // GitHub's id of the home repository; 0 likewise
	Branch       string         // the home repository's default branch; empty likewise
	PipelineName string         // for messages; empty: PipelinePath
	Pipeline     []byte
	PolicyName   string // for messages; empty: PolicyPath
	Policy       []byte // empty: there is none, and no stage promotes by itself

	// Found is what the repository has that the pipeline file names: what globs find, and inventories.
	Found Found

	// Meter counts what the files cost, beginning with what finding their targets has cost. nil: the budget is InForce,
	// and nothing of it is spent.
	Meter *Meter

	// The server's policy. It stands above the repository's, which can only narrow it.
	ServerPolicyName string // for messages; empty: WAYBILL_POLICY_FILE
	ServerPolicy     []byte
	Resync           time.Duration // for a pipeline that does not say; 0: DefaultResync
}

// Load compiles a pipeline. With errors among the problems there is none, and the one before must stay in force.
func Load(s Sources) (*promotion.Pipeline, Problems) { return load(s, false) }

// Check returns the mistakes in files as far as they can be told without the repository that they are in: of targets
// that a glob finds there only one that is made up is looked at.
func Check(s Sources) Problems {
	_, problems := load(s, true)
	return problems
}

func load(s Sources, alone bool) (*promotion.Pipeline, Problems) {
	if s.Meter == nil {
		s.Meter = &Meter{}
	}
	file, r := readPipeline(s.Meter, or(s.PipelineName, PipelinePath), s.Pipeline, s.Found)
	var levels []level
	if len(s.Policy) > 0 {
		r := newReaderOf(&report{file: or(s.PolicyName, PolicyPath)}, min(maxNodes, s.Meter.budget().Nodes))
		file := read(policyForm, r, s.Policy)
		s.Meter.count(r)
		serversOwn(file, r)
		levels = append(levels, level{file: file, reader: r})
	}
	if len(s.ServerPolicy) > 0 {
		r := newReader(&report{file: or(s.ServerPolicyName, "WAYBILL_POLICY_FILE")})
		file := read(policyForm, r, s.ServerPolicy)
		r.elsewhere = true
		levels = append(levels, level{file: file, reader: r, server: true})
	}
	find := finding{s.Found.Globs, alone, &allowance{meter: s.Meter}}
	pipeline := compilePipeline(s, &file, r, levels, find)
	problems := append(r.report.sorted(), overlooked(s.Found.Overlooked)...)

	var policy statement
	over := policies{pipeline.Stages, find.allowance}
	for _, l := range levels {
		u := over.rule(l.file, l.reader)
		problems = append(problems, l.reader.report.sorted()...)
		if l.server {
			u = over.under(policy, u)
		}
		policy = u
	}
	if problems.Err() != nil {
		return nil, problems
	}
	obey(pipeline, policy)
	pipeline.Values = s.Meter.Spent.Values
	return pipeline, problems
}

// CheckPolicy returns the mistakes in a policy file by itself, with any names of stages.
func CheckPolicy(name string, data []byte) Problems {
	r := newReader(&report{file: name})
	policies{}.rule(read(policyForm, r, data), r)
	return r.report.sorted()
}

// Allowed returns the repositories whose pipelines may use the repository that this pipeline file is in (semantics
// 7.8), with their ids at GitHub, or 0 where the file does not say which. It returns them also when something else in
// the file is wrong, which the problems tell.
func Allowed(name string, data []byte) (map[promotion.Repo]int64, Problems) {
	file, r := readPipeline(&Meter{}, name, data, Found{})
	repos := map[promotion.Repo]int64{}
	for _, one := range file.allow.value {
		if !one.good() || file.allow.slip {
			continue
		}
		repo, id, _ := strings.Cut(one.value, ":")
		n, _ := strconv.ParseInt(id, 10, 64) // the form has let digits through only, or nothing
		repos[promotion.Repo(repo)] = n
	}
	return repos, r.report.sorted()
}

// read reads a file as its form says, as far as that is possible.
func read[V any](f form[V], r *reader, data []byte) (file V) {
	if root := parseDocument(data, r.report); root != nil {
		file = take(r, f, posOf(root), root).value
	}
	return file
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
