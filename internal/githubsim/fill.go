package githubsim

import "waybill/internal/githubsim/contract"

// fill adds to an answer what GitHub's description requires and the simulator has nothing to say about.
func (s *Server) fill(r route, out reply) (any, error) {
	switch body := out.body.(type) {
	case obj:
		return s.contract.Fill(r.method, r.template, out.status, body)
	case []any:
		objects := make([]map[string]any, 0, len(body))
		for _, one := range body {
			object, isObject := one.(obj)
			if !isObject {
				return body, nil
			}
			objects = append(objects, object)
		}
		return s.contract.FillList(r.method, r.template, out.status, objects)
	}
	return out.body, nil
}

// Used lists the operations of GitHub's description that were used, for tests of coverage; none when the server is unchecked.
func (s *Server) Used() []contract.Use {
	if s.checks == nil {
		return nil
	}
	return s.checks.Used()
}
