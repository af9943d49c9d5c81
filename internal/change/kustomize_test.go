package change

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

func TestANewTagBesideADigestThatStaysIsRefused(t *testing.T) {
	const file = "images:\n- name: api\n  newTag: v1\n  digest: sha256:00\n"
	_, err := Edit(promotion.ChangeKustomize, []byte(file), "images[name=api].newTag", "v2")
	require.EqualError(t, err, "set images[name=api].newTag: the image has a digest there, which would go on being "+
		"deployed whatever the tag says; promote the digest too, or remove it from the file")

	s := stageOf(t, promotion.ChangeKustomize, map[string]string{
		ImageKey("api", "newTag"): "v2", ImageKey("api", "digest"): "sha256:0123456789abcdef0123456789abcdef",
	})
	r := Work(s, api142, reading(map[string]string{"file": file}), nil)
	require.True(t, r.Problem.IsZero(), r.Problem)
	require.Equal(t, "images:\n- name: api\n  newTag: v2\n  digest: sha256:0123456789abcdef0123456789abcdef\n",
		r.Contents["file"])
}

// stageOf returns a stage that sets values of one kind in one file.
func stageOf(t *testing.T, kind promotion.ChangeKind, values map[string]string) *promotion.Stage {
	s := stage(t, map[string]map[string]string{"file": values})
	for i := range s.Targets[0].Changes[0].Set {
		s.Targets[0].Changes[0].Set[i].Kind = kind
	}
	return s
}

func TestAnImageThatIsNotThereIsAProblem(t *testing.T) {
	s := stageOf(t, promotion.ChangeKustomize, map[string]string{ImageKey("api", "newTag"): "${api.short}"})
	r := Work(s, api142, reading(map[string]string{"file": "images:\n- name: web\n  newTag: v1\n"}), nil)
	require.Equal(t, promotion.Because(promotion.Unreadable, "file").With("set images[name=api].newTag: images has "+
		"no element [name=api]"), r.Problem)
}

func TestAValueThatNoImageCanHaveIsAProblem(t *testing.T) {
	s := stageOf(t, promotion.ChangeKustomize, map[string]string{ImageKey("api", "newTag"): "${api.name}"})
	r := Work(s, api142, reading(map[string]string{"file": "images:\n- name: api\n  newTag: v1\n"}), nil)
	require.Equal(t, promotion.Because(promotion.Unreadable, "file").With(
		`set images[name=api].newTag: "api#142" is no value for it: the tag of an image has letters, digits, _ . and -, `+
			`and at most 128 of them`), r.Problem)
}
