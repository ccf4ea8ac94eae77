package llm

import (
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// maxCertBytes limits the size of a client certificate file.
const maxCertBytes = 1 << 20

// ReadClientCert reads a client certificate and its unencrypted key from a PEM
// file. Errors name the file.
func ReadClientCert(path string) (*tls.Certificate, error) {
	text, err := safefile.ReadFile(path, maxCertBytes)
	if reason, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, fmt.Errorf("%s: %w", path, reason.Err)
	}
	if err != nil {
		return nil, err
	}
	var hasCert, hasKey bool
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "ENCRYPTED PRIVATE KEY" || strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED") {
			return nil, fmt.Errorf("%s: the private key is encrypted; decrypt it with \"openssl pkey\"", path)
		}
		hasCert = hasCert || block.Type == "CERTIFICATE"
		hasKey = hasKey || strings.HasSuffix(block.Type, "PRIVATE KEY")
	}
	switch {
	case !hasCert && !hasKey:
		return nil, fmt.Errorf("%s: not a PEM file with a certificate and its private key", path)
	case !hasCert:
		return nil, fmt.Errorf("%s: contains no certificate", path)
	case !hasKey:
		return nil, fmt.Errorf("%s: contains no private key; append it to the certificate", path)
	}
	cert, err := tls.X509KeyPair(text, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &cert, nil
}
