package gh

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// presentPerQuery is how many things of a kind one query asks about.
const presentPerQuery = 100

// Present asks which of our things still exist: which of some nodes, and which labels are on some pull requests. One
// query asks about a hundred of each. An unclear answer is an error: nothing is gone because an answer is missing.
func (sf Surfaces) Present(
	ctx context.Context, nodes []string, pulls []int,
) (there map[string]bool, labels map[int][]string, err error) {
	there, labels = map[string]bool{}, map[int][]string{}
	if len(nodes)+len(pulls) == 0 {
		return there, labels, nil
	}
	all := make([]shownThing, max(len(nodes), len(pulls)))
	for i := range all {
		all[i] = shownThing{nodes[min(i, len(nodes)):min(i+1, len(nodes))], pulls[min(i, len(pulls)):min(i+1, len(pulls))]}
	}
	err = inPortions(ctx, sf.c, "Present", presentPerQuery, all, func(some []shownThing) error {
		var nodes []string
		var pulls []int
		for _, one := range some {
			nodes, pulls = append(nodes, one.node...), append(pulls, one.pull...)
		}
		return sf.presentPart(ctx, nodes, pulls, there, labels)
	})
	if err != nil {
		return nil, nil, sf.c.wrong(err, "look for what is shown")
	}
	return there, labels, nil
}

// shownThing is a node and a pull request that a query asks about together, or one of them.
type shownThing struct {
	node []string
	pull []int
}

func (sf Surfaces) presentPart(
	ctx context.Context, nodes []string, pulls []int, there map[string]bool, labels map[int][]string,
) error {
	variables := map[string]any{"owner": sf.c.owner, "name": sf.c.name}
	declared, asked, of := "$owner: String!, $name: String!", "", "id"
	for i, node := range nodes {
		variables[fmt.Sprintf("n%d", i)] = node
		declared += fmt.Sprintf(", $n%d: ID!", i)
		asked += fmt.Sprintf(" n%d: node(id: $n%d) { id }", i, i)
	}
	for i, number := range pulls {
		variables[fmt.Sprintf("p%d", i)] = number
		declared += fmt.Sprintf(", $p%d: Int!", i)
		of += fmt.Sprintf(" p%d: pullRequest(number: $p%d) { labels(first: 100) { nodes { name } } }", i, i)
	}
	document := "query Present(" + declared + ") { repository(owner: $owner, name: $name) { " + of + " }" + asked + " }"
	var answer map[string]json.RawMessage
	failures, err := sf.c.graph.send(ctx, document, variables, &answer)
	if err != nil {
		return err
	}
	gone := map[string]bool{}
	for _, f := range failures {
		alias, _ := append(f.Path, "")[0].(string)
		if f.Type != "NOT_FOUND" || !strings.HasPrefix(alias, "n") {
			return sf.c.graph.failure(ctx, failures)
		}
		gone[alias] = true
	}
	for i, node := range nodes {
		alias := fmt.Sprintf("n%d", i)
		if there[node] = !gone[alias]; there[node] && string(answer[alias]) == "null" {
			return incomplete("a node")
		}
	}
	return labelsIn(answer["repository"], pulls, labels)
}

// labelsIn reads which labels are on pull requests.
func labelsIn(repository json.RawMessage, pulls []int, labels map[int][]string) error {
	var answer map[string]json.RawMessage
	if json.Unmarshal(repository, &answer) != nil {
		return incomplete("the repository")
	}
	for i, number := range pulls {
		var pull *struct {
			Labels struct {
				Nodes []struct {
					Name string `json:"name"`
				} `json:"nodes"`
			} `json:"labels"`
		}
		if json.Unmarshal(answer[fmt.Sprintf("p%d", i)], &pull) != nil || pull == nil {
			return incomplete("a pull request")
		}
		labels[number] = []string{}
		for _, l := range pull.Labels.Nodes {
			labels[number] = append(labels[number], l.Name)
		}
	}
	return nil
}
