package play

import (
	"fmt"
	"strings"

	"waybill/internal/story"
	"waybill/promotion"
)

// kindOf maps happenings to the kinds of signals that they report.
var kindOf = map[story.Kind]promotion.SignalKind{
	story.Check: promotion.KindCheck, story.Status: promotion.KindStatus, story.Deployment: promotion.KindDeployment,
}

// report reports a signal of CI on the commit that the story names.
func (s *Script) report(g Ground, h story.Happening) error {
	sha, err := commitAt(g, h.At)
	if err != nil {
		return err
	}
	return g.Report(s.filesAt(h.At), Signal{
		Kind: kindOf[h.Kind], SHA: sha, Name: h.Name, Result: h.Result, Suite: h.Suite, App: h.App,
	})
}

// commitAt returns the commit that a place names.
func commitAt(g Ground, at story.Place) (promotion.SHA, error) {
	switch {
	case at.Stage != "":
		return g.HostedCommit(at.Stage, promotion.TargetName(at.Target))
	case at.Commit.Of == 'c':
		return g.SourceCommit(at.Commit.Number)
	}
	return g.PromotionCommit(promotion.Number(at.Commit.Number))
}

// filesAt returns the branch with the files of a place.
func (s *Script) filesAt(at story.Place) promotion.Branch {
	p := s.Scene.Pipeline
	stage := p.Stage(at.Stage)
	if at.Target != "" && stage != nil {
		if t := stage.Target(promotion.TargetName(at.Target)); t != nil {
			return p.FilesOn(stage, t.Files)
		}
	}
	return p.FilesOf(stage)
}

// reportFreight reports a version of the head of a branch to a warehouse.
func (s *Script) reportFreight(g Ground, h story.Happening) error {
	warehouse := s.Scene.Pipeline.Warehouse(promotion.WarehouseName(h.Name))
	if warehouse == nil || warehouse.Kind != promotion.FromReports {
		return fmt.Errorf("there is no warehouse %s that takes reports", h.Name)
	}
	return g.ReportFreight(warehouse, h.Text)
}

// pushImage pushes an image of the commit of a source pull request.
func (s *Script) pushImage(g Ground, h story.Happening) error {
	image, pull, err := story.ImageOf(h.Name)
	if err != nil {
		return err
	}
	owner, _, _ := strings.Cut(string(story.Home), "/")
	if !strings.HasPrefix(image, promotion.Registry+owner+"/") {
		return fmt.Errorf("%s is not an image of %s", image, owner)
	}
	sha, err := g.SourceCommit(pull)
	if err != nil {
		return err
	}
	return g.PushImage(promotion.Image{Image: image, Tag: story.ImageTag(sha), Digest: story.ImageDigest(sha)})
}

// tag publishes a release of the default branch, or points a tag at it.
func (s *Script) tag(g Ground, h story.Happening) error {
	kind, act := promotion.FromReleases, Ground.Release
	if h.Kind == story.Tag {
		kind, act = promotion.FromTags, Ground.Tag
	}
	repo, tag, err := story.TaggedIn(s.Scene.Pipeline, kind, h.Name)
	if err != nil {
		return err
	}
	return act(g, repo, tag)
}
