package handlers_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

var digest = "sha256:" + strings.Repeat("ab", 32)

// imaged is GitHub's payload for a package: an image with a tag and a label.
var imaged = obj{
	"name": "api", "namespace": "Acme", "package_type": "CONTAINER", "owner": obj{"login": "Acme", "id": 8},
	"package_version": obj{"id": 7, "version": digest, "container_metadata": obj{
		"tag":    obj{"name": "main", "digest": digest},
		"labels": obj{"revision": "", "all_labels": obj{"org.opencontainers.image.revision": "c0ffee"}},
	}},
}

func TestAnImageThatIsPushedTellsItsTagItsDigestAndItsLabel(t *testing.T) {
	want := told(&promotion.Image{Image: "ghcr.io/acme/api", Tag: "main", Digest: digest, Revision: "c0ffee"})
	for _, action := range []string{"published", "updated"} {
		require.Equal(t, want, decode(t, "registry_package", obj{"action": action, "registry_package": imaged}))
		require.Equal(t, want, decode(t, "package", obj{"action": action, "package": imaged}))
	}
}

func TestWhatIsNoImageThatAnybodyDeploysTellsNothing(t *testing.T) {
	version := func(metadata obj) obj {
		return obj{"package_version": obj{"version": digest, "container_metadata": metadata}}
	}
	for name, about := range map[string]obj{
		"a part of an image":        {"action": "published", "package": imaged.with(version(obj{"tag": obj{"name": ""}}))},
		"a package of another kind": {"action": "published", "package": imaged.with(obj{"package_type": "npm"})},
		"no version":                {"action": "published", "package": imaged.with(obj{"package_version": nil})},
		"it is gone":                {"action": "deleted", "package": imaged},
	} {
		require.Equal(t, told(), decode(t, "package", about), name)
	}
}

func TestLabelsThatCannotBeReadTakeNothingFromTheTag(t *testing.T) {
	for _, labels := range []any{
		nil, "x", []string{"x"}, obj{"all_labels": "x"}, obj{"all_labels": obj{"org.opencontainers.image.revision": 1}},
	} {
		got := decode(t, "package", obj{"action": "published", "package": imaged.with(obj{"package_version": obj{
			"version": digest, "container_metadata": obj{"tag": obj{"name": "c0ffee1"}, "labels": labels},
		}})})
		require.Equal(t, told(&promotion.Image{Image: "ghcr.io/acme/api", Tag: "c0ffee1", Digest: digest}), got)
	}
}
