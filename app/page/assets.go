package page

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"sync"
)

//go:embed assets
var files embed.FS

// kinds are the media types of the assets.
var kinds = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// versions has the beginning of the hash of each asset. It is part of the address, so that browsers keep the asset
// until it changes.
var versions = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	entries, _ := fs.ReadDir(files, "assets") // embedded: it is there
	for _, e := range entries {
		text, _ := files.ReadFile("assets/" + e.Name())
		sum := sha256.Sum256(text)
		all[e.Name()] = hex.EncodeToString(sum[:4])
	}
	return all
})

// asset is the address of an asset as it is now.
func asset(name string) string { return "/assets/" + name + "?v=" + versions()[name] }

// assets answers with the style, the script and the icon of the pages. Everybody may have them.
func assets() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("file")
		text, err := files.ReadFile("assets/" + name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", kinds[path.Ext(name)])
		w.Header().Set("Cache-Control", "no-cache")
		if r.URL.Query().Get("v") == versions()[name] {
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		_, _ = w.Write(text)
	})
}
