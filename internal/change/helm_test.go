package change

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

func TestWhatIsNoVersionOfAChartIsRefused(t *testing.T) {
	for _, good := range []string{"1.4.2", "v1.4.2", "1", "1.4", "0.0.0-0123456", "1.4.2-rc.1+abc", "0.0.142"} {
		require.Empty(t, Refuse(promotion.ChangeHelm, DependencyKey("api"), good), good)
	}
	for _, bad := range []string{"", "latest", "^1.4", "~1", ">=1 <2", "1.x", "01.2.3", "1.4.2-", "1.4.2 ", "api#142"} {
		require.Equal(t, "the version of a chart is written as 1.4.2 or 1.4.2-rc.1",
			Refuse(promotion.ChangeHelm, DependencyKey("api"), bad), bad)
	}
}

func TestADependencyThatIsNotThereIsAProblem(t *testing.T) {
	s := stageOf(t, promotion.ChangeHelm, map[string]string{DependencyKey("api"): "1.0.${api.number}"})
	for file, want := range map[string]string{
		"dependencies:\n- {name: web, version: 1.0.0}\n": "set " +
			"dependencies[name=api].version: dependencies has no element [name=api]",
		"dependencies:\n- {name: api}\n": `set dependencies[name=api].version: dependencies[name=api] has no key "version"`,
		"dependencies:\n- {name: api, version: 1.0.0}\n- {name: api, version: 1.0.0, alias: b}\n": "set " +
			"dependencies[name=api].version: dependencies has 2 elements [name=api], and only one can be meant",
		"name: shop\n": `set dependencies[name=api].version: the file has no key "dependencies"`,
	} {
		r := Work(s, api142, reading(map[string]string{"file": file}), nil)
		require.Equal(t, promotion.Because(promotion.Unreadable, "file").With(want), r.Problem)
	}
}
