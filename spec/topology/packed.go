package topology

import (
	"bytes"
	"compress/gzip"
	"io"
)

// unpacked returns up to most bytes of a text, unpacked if it is gzipped, and one more byte
// if there are more.
func unpacked(text []byte, most int) ([]byte, error) {
	if !bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
		return text, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(z, int64(most)+1))
}
