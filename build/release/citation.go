package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"spillway/build/tree"
)

// citation adds CITATION.cff, with where it is published, as far as that is known.
func (b *builder) citation(repository, doi string, all files) error {
	text, err := b.read("CITATION.cff")
	if err != nil {
		return err
	}
	said, err := cited(string(text), repository, doi)
	return errors.Join(err, tree.Add(all, "CITATION.cff", []byte(said)))
}

var (
	isAddress = regexp.MustCompile(`^https?://[^\s"]+$`)
	isDOI     = regexp.MustCompile(`^10\.[0-9.]{4,}/[^\s"#]+$`)
)

// cited puts address and DOI where CITATION.cff has a comment for them.
func cited(text, repository, doi string) (string, error) {
	const address, identifiers = "# repository-code: \"https://REPOSITORY\"\n", "# identifiers:\n#   - type: doi\n#     value: DOI\n"
	_, rest, found := strings.Cut(text, "# Whoever publishes")
	if !found || !strings.Contains(rest, address+identifiers) {
		return "", errors.New("CITATION.cff has no place for an address and a DOI")
	}
	if repository != "" && !isAddress.MatchString(repository) {
		return "", fmt.Errorf("-repository %q: want an address, as https://example.org/spillway", repository)
	}
	if doi != "" && !isDOI.MatchString(doi) {
		return "", fmt.Errorf("-doi %q: want a DOI, as 10.5281/zenodo.1234567", doi)
	}
	if repository != "" {
		text = strings.Replace(text, address, fmt.Sprintf("repository-code: %q\n", repository), 1)
	}
	if doi != "" {
		text = strings.Replace(text, identifiers, fmt.Sprintf("identifiers:\n  - type: doi\n    value: %s\n", doi), 1)
	}
	return text, nil
}
