package githubsim

import (
	"errors"
	"fmt"
	"net/http"
)

// apiError is an answer that says no, as GitHub words it.
type apiError struct {
	status  int
	message string
	errors  []any
}

func (e *apiError) Error() string { return fmt.Sprintf("%d %s", e.status, e.text()) }

// text is the message with the details that GitHub puts into "errors", which is where the real reason often stands.
func (e *apiError) text() string {
	for _, one := range e.errors {
		switch details := one.(type) {
		case string:
			return details
		case obj:
			if details["message"] != nil {
				return fmt.Sprint(details["message"])
			}
		}
	}
	return e.message
}

func (e *apiError) json() obj {
	j := obj{"message": e.message, "documentation_url": "https://docs.github.com/rest", "status": fmt.Sprint(e.status)}
	if len(e.errors) > 0 {
		j["errors"] = e.errors
	}
	return j
}

func refuse(status int, format string, args ...any) error {
	return &apiError{status: status, message: fmt.Sprintf(format, args...)}
}

func notFound() error { return refuse(http.StatusNotFound, "Not Found") }

func invalid(format string, args ...any) error {
	return refuse(http.StatusUnprocessableEntity, format, args...)
}

// validationFailed is GitHub's 422 with one reason. The code "custom" carries a message, the others (missing_field, invalid) a field.
func validationFailed(resource, field, code, message string) error {
	details := obj{"resource": resource, "code": code}
	if field != "" {
		details["field"] = field
	}
	if message != "" {
		details["message"] = message
	}
	return &apiError{status: http.StatusUnprocessableEntity, message: "Validation Failed", errors: []any{details}}
}

// asAPIError turns anything into an answer; what is no apiError is a bug of the simulator and a 500.
func asAPIError(err error) *apiError {
	var e *apiError
	if errors.As(err, &e) {
		return e
	}
	return &apiError{status: http.StatusInternalServerError, message: err.Error()}
}
