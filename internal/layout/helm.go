package layout

// helm is a file of values for a chart.
type helm struct{}

// Versions implements Layout. Values are no objects of Kubernetes, which have a kind.
func (helm) Versions(f File) []Version {
	if len(f.Docs) != 1 || child(f.Docs[0], "kind") != nil || child(f.Docs[0], "services") != nil {
		return nil
	}
	return images(f.Docs[0], nil)
}
