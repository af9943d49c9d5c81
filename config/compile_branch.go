package config

import "waybill/promotion"

// compileWhole compiles a stage that is a branch of the repository of its freight: everything there becomes equal to
// the freight's commit.
func compileWhole(s *compiled, p *promotion.Pipeline) {
	f := &s.file.value
	if !f.branch.given() {
		return
	}
	r := s.reader.key("branch")
	if len(f.from.value) != 1 {
		r.errorf(f.branch.at, "`branch` needs one warehouse under `from`: the branch becomes what one commit holds")
		return
	}
	w := p.Warehouse(promotion.WarehouseName(f.from.value[0].name))
	if w == nil {
		return // reported already
	}
	s.Targets[0].Copies = []promotion.Copy{{Path: promotion.Everything, From: promotion.Everything, Warehouse: w.Name}}
	if f.branch.good() {
		s.Files = promotion.Branch{Repo: w.Repo, Name: f.branch.value}
		fitBranch(r, f.branch.at, s.Files.Name)
	}
	if on := s.Files; on == p.At() || on.Name == w.Branch {
		r.errorf(f.branch.at, "%s is where freight comes from, or where the pipeline lives; name a branch of the stage's own",
			quote(on.Name))
	}
	for name, at := range map[string]pos{"files": f.files.key, "targets": f.targets.key, "copy": f.copy.key} {
		if at.line > 0 {
			s.reader.errorf(at, "`branch` says already where everything is and what becomes of it; remove `%s`", name)
		}
	}
	for _, k := range changeKinds {
		if changed := k.of(f); changed.given() {
			s.reader.errorf(changed.key, "with `branch` everything becomes what it is in the freight's commit; remove `%s`",
				k.kind)
		}
	}
	if f.mergeMethod.value == "rebase" {
		s.reader.key("merge-method").errorf(f.mergeMethod.at,
			"GitHub cannot rebase the commit that joins the branch and the freight; write merge or squash")
	}
}

// undivided reports stages that share a branch with one to which everything there belongs.
func undivided(stages graph) {
	for _, s := range stages.all {
		for _, other := range stages.all {
			if s.Whole() && other != s && stages.together(s, other) && other.Delivery != promotion.DeliveryNone {
				s.reader.key("branch").errorf(s.file.value.branch.at, "stage %s has its files on this branch, too, and each "+
					"promotion would undo the other's; give it another one", other.Name)
			}
		}
	}
}
