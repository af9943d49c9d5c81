package change

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

func stage(t *testing.T, changes map[string]map[string]string) *promotion.Stage {
	s := promotion.OnePlace(&promotion.Stage{Name: "dev"}, promotion.Target{})
	for path, keys := range changes {
		c := promotion.Change{Path: path}
		for key, value := range keys {
			v, err := promotion.ParseTemplate(value)
			require.NoError(t, err)
			c.Set = append(c.Set, promotion.Assignment{Kind: promotion.ChangeYAML, Key: key, Value: v})
		}
		s.Targets[0].Changes = append(s.Targets[0].Changes, c)
	}
	return s
}

func reading(files map[string]string) Read {
	return func(path string) ([]byte, string) {
		content, ok := files[path]
		if !ok {
			return nil, "it is not there"
		}
		return []byte(content), ""
	}
}

var api142 = promotion.NewFreight(&promotion.Warehouse{Name: "api", Repo: "acme/api"}, 142, "0123456789abcdef",
	time.Unix(0, 0))

func TestAPromotionSetsTheValuesOfItsFreight(t *testing.T) {
	s := stage(t, map[string]map[string]string{"dev.yaml": {"image.tag": "v-${api.short}-${stage}"}})
	r := Work(s, api142, reading(map[string]string{"dev.yaml": "# tags\nimage: {tag: none} # here\n"}), nil)
	require.True(t, r.Problem.IsZero(), r.Problem)
	require.Equal(t, []string{"dev.yaml"}, r.Paths)
	require.Equal(t, "# tags\nimage: {tag: v-0123456-dev} # here\n", r.Contents["dev.yaml"])
}

func TestTheValueOfAnotherWarehouseIsKept(t *testing.T) {
	s := stage(t, map[string]map[string]string{"dev.yaml": {"api": "${api.number}", "web": "${web.number}"}})
	r := Work(s, api142, reading(map[string]string{"dev.yaml": "api: none\nweb: \"7\"\n"}), nil)
	require.Contains(t, r.Contents["dev.yaml"], "web: \"7\"\n")
	require.Contains(t, r.Contents["dev.yaml"], "142")
}

func TestAFileThatSaysSoAlreadyDoesNotChange(t *testing.T) {
	s := stage(t, map[string]map[string]string{"dev.yaml": {"tag": "${api.short}"}})
	first := Work(s, api142, reading(map[string]string{"dev.yaml": "tag: none\n"}), nil)
	again := Work(s, api142, reading(first.Contents), nil)
	require.Empty(t, again.Paths)
	require.Equal(t, first.Hash, again.Hash)
}

func TestAFileThatIsNotThereIsAProblemWithItsPath(t *testing.T) {
	s := stage(t, map[string]map[string]string{"dev.yaml": {"tag": "${api.short}"}})
	r := Work(s, api142, reading(nil), nil)
	require.Equal(t, promotion.Because(promotion.Unreadable, "dev.yaml").With("it is not there"), r.Problem)
	require.Empty(t, r.Contents)
}

func TestAPathThatIsNotThereIsAProblem(t *testing.T) {
	s := stage(t, map[string]map[string]string{"dev.yaml": {"image.tag": "${api.short}"}})
	r := Work(s, api142, reading(map[string]string{"dev.yaml": "tag: none\n"}), nil)
	require.Equal(t, promotion.Unreadable, r.Problem.Code)
	require.Equal(t, "dev.yaml", r.Problem.Arg(0))
}
