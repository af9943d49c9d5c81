package change

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"waybill/promotion"
)

// copies returns a stage that copies src to dst, and the two folders with the given files.
func copies(from, to map[string]Blob) (*promotion.Stage, Sides) {
	s := promotion.OnePlace(&promotion.Stage{Name: "dev"},
		promotion.Target{Copies: []promotion.Copy{{Path: "dst", From: "src", Warehouse: "api"}}})
	return s, func(promotion.Copy) (is, was Folder, problem promotion.Reason) {
		return Folder{hashOf(from), from}, Folder{hashOf(to), to}, promotion.Reason{}
	}
}

// hashOf returns a hash of a folder's files.
func hashOf(files map[string]Blob) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "%s=%s/%s ", name, files[name].SHA, files[name].Mode)
	}
	return b.String()
}

func file(sha string) Blob { return Blob{sha, "100644"} }

func TestACopyChangesWhatDiffersAndDeletesWhatIsGone(t *testing.T) {
	s, sides := copies(
		map[string]Blob{"same": file("1"), "new/one": file("2"), "other": file("3"), "run": {"5", "100755"}},
		map[string]Blob{"same": file("1"), "other": file("9"), "gone/deep": file("4"), "run": {"6", "100755"}})
	r := Work(s, api142, nil, sides)
	require.True(t, r.Problem.IsZero(), r.Problem)
	require.Equal(t, []string{"dst/gone/deep", "dst/new/one", "dst/other", "dst/run"}, r.Paths)
	require.Equal(
		t, map[string]Blob{"dst/gone/deep": {}, "dst/new/one": file("2"), "dst/other": file("3"), "dst/run": {"5", "100755"}},
		r.Copied,
	)
	require.Empty(t, r.Contents)
}

func TestAFolderThatIsEqualAlreadyDoesNotChange(t *testing.T) {
	files := map[string]Blob{"a": file("1"), "link": {"2", "120000"}}
	s, sides := copies(files, files)
	r := Work(s, api142, nil, sides)
	require.Empty(t, r.Paths)
	require.Equal(t, []promotion.Value{{Path: "dst", Text: hashOf(files)}}, r.Values)
	s, sides = copies(files, map[string]Blob{"link": {"2", "120000"}})
	again := Work(s, api142, nil, sides)
	require.Equal(t, []string{"dst/a"}, again.Paths, "what is the same on both sides is left alone, whatever it is")
	require.Equal(t, r.Hash, again.Hash, "the result is what counts, not the way there")
}

func TestTheFolderOfAnotherWarehouseIsKept(t *testing.T) { // Q15
	s, sides := copies(map[string]Blob{"a": file("1")}, map[string]Blob{"a": file("2")})
	s.Targets[0].Copies[0].Warehouse = "web"
	r := Work(s, api142, nil, sides)
	require.True(t, r.Problem.IsZero())
	require.Empty(t, r.Copied)
	require.Empty(t, r.Values)
}

func TestWhatIsNeitherCopiedNorReplacedT24(t *testing.T) {
	for name, one := range map[string]struct{ is, was Blob }{
		"deep/link":      {is: Blob{"1", "120000"}},
		"link":           {was: Blob{"1", "120000"}},
		"link-to-file":   {is: file("1"), was: Blob{"2", "120000"}},
		"module":         {is: Blob{"1", "160000"}},
		"old-module":     {was: Blob{"1", "160000"}},
		"run":            {is: Blob{"1", "100755"}},
		"runs-now":       {is: Blob{"1", "100755"}, was: file("1")},
		"runs-no-more":   {is: file("1"), was: Blob{"1", "100755"}},
		"odd":            {is: Blob{"1", "100600"}},
		".gitattributes": {is: file("1")},
		"x/.gitmodules":  {was: file("1")},
		"CODEOWNERS":     {is: file("1")},
		"x/codeowners":   {was: file("1")},
		".GIT/config":    {is: file("1")},
		"a\u200bb":       {is: file("1")},
		"a\xffb":         {is: file("1")},
	} {
		t.Run(name, func(t *testing.T) {
			with := func(b Blob) map[string]Blob {
				files := map[string]Blob{"a": file("7")}
				if b != (Blob{}) {
					files[name] = b
				}
				return files
			}
			s, sides := copies(with(one.is), with(one.was))
			r := Work(s, api142, nil, sides)
			require.Equal(t, promotion.Unreadable, r.Problem.Code)
			require.Equal(t, "dst/"+name, r.Problem.Arg(0))
			require.NotEmpty(t, r.Problem.Detail)
			require.Empty(t, r.Copied)
		})
	}
}

func TestAFileIsNotReplacedByAFolderNorTheOtherWayRound(t *testing.T) {
	a, b := map[string]Blob{"x": file("1")}, map[string]Blob{"x/y/z": file("1")}
	for _, sides := range [][2]map[string]Blob{{a, b}, {b, a}} {
		s, both := copies(sides[0], sides[1])
		r := Work(s, api142, nil, both)
		require.Equal(t, promotion.Because(promotion.Unreadable, "dst/x/y/z").With("a folder that it is in is a file on "+
			"the other side; remove one of the two by hand"), r.Problem)
	}
}

func TestAFolderOfTooManyFilesIsNotCopied(t *testing.T) {
	many := map[string]Blob{}
	for i := range maxFiles + 1 {
		many[fmt.Sprint(i)] = file("1")
	}
	s, sides := copies(many, nil)
	require.Equal(t, "dst", Work(s, api142, nil, sides).Problem.Arg(0))
	s, sides = copies(nil, many)
	require.Equal(t, "dst", Work(s, api142, nil, sides).Problem.Arg(0))
}

// TestACopyIsExact checks any two folders: either the copy is refused, or afterwards the destination equals the source
// and every file beside it is unchanged.
func TestACopyIsExact(t *testing.T) {
	names := rapid.StringMatching(`[ab](/[ab]){0,2}`)
	blobs := rapid.Custom(func(t *rapid.T) Blob {
		mode := rapid.SampledFrom([]string{"100644", "100644", "100644", "100644", "100755", "120000"}).Draw(t, "mode")
		return Blob{rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "sha"), mode}
	})
	folder := rapid.MapOf(names, blobs)
	rapid.Check(t, func(t *rapid.T) {
		from, to := folder.Draw(t, "from"), folder.Draw(t, "to")
		repository := map[string]Blob{"dst.txt": file("1"), "dst-2/a": file("2"), "a": file("3")}
		beside := maps.Clone(repository)
		for name, b := range to {
			repository[path.Join("dst", name)] = b
		}
		s, sides := copies(from, to)
		r := Work(s, api142, nil, sides)
		if !r.Problem.IsZero() {
			if len(r.Paths)+len(r.Copied)+len(r.Values) > 0 {
				t.Fatalf("refused and yet worked out: %+v", r)
			}
			return
		}
		for path, b := range r.Copied {
			if repository[path] == b {
				t.Fatalf("%s does not change", path)
			}
			repository[path] = b
			if b == (Blob{}) {
				delete(repository, path)
			}
		}
		for name, b := range from {
			beside[path.Join("dst", name)] = b
		}
		if !maps.Equal(repository, beside) {
			t.Fatalf("became %v and not %v", repository, beside)
		}
	})
}
