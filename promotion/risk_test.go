package promotion

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheRiskOfAPullRequestIsReadOffItsFiles(t *testing.T) {
	r := RiskOf(Touched{Files: 4, Lines: 30, Paths: []string{
		"src/b.go", "db/Migrations/004_orders.py", "README.md", "src/a.go", "schema/orders.sql", "docs/migrations.md",
	}})
	require.Equal(t, Risk{
		Files: 4, Lines: 30, Areas: []string{".", "db", "docs", "schema", "src"},
		Migrations: []string{"db/Migrations/004_orders.py", "schema/orders.sql"},
	}, r)
	require.True(t, RiskOf(Touched{Files: 3000, More: true}).More)
	n := Notes{Cargo: []Cargo{{Risk: &r}, {}, {Risk: &Risk{Files: 1, Lines: 2, Areas: []string{"src", "web"}}}}}
	require.Equal(t, 5, n.Risk().Files)
	require.True(t, n.Risk().More, "of one it is not known")
	require.Equal(t, 32, n.Risk().Lines)
	require.Equal(t, []string{".", "db", "docs", "schema", "src", "web"}, n.Risk().Areas)
}
