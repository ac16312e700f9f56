package embeddings

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"math"
	"os"
	"path/filepath"
	"sync"
)

// maxStored is how many vectors are kept.
const maxStored = 200_000

type hash [sha256.Size]byte

func textHash(text string) hash { return sha256.Sum256([]byte(text)) }

// A store has vectors by the hash of their text: in memory, and in a file of its own for
// each endpoint and model, to which new ones are appended.
type store struct {
	mu      sync.RWMutex
	vectors map[hash][]float32
	file    *os.File // nil without one
}

// openStore reads what is there. A record that was not written whole ends the file.
func openStore(dir, url, model string) *store {
	s := &store{vectors: map[hash][]float32{}}
	if dir == "" || os.MkdirAll(dir, 0o700) != nil {
		return s
	}
	name := sha256.Sum256([]byte(url + "\n" + model))
	file, err := os.OpenFile(filepath.Join(dir, hex.EncodeToString(name[:8])+".vectors"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return s
	}
	whole := s.read(bufio.NewReader(file))
	if err := file.Truncate(whole); err != nil {
		_ = file.Close()
		return s
	}
	if _, err := file.Seek(whole, io.SeekStart); err != nil {
		_ = file.Close()
		return s
	}
	s.file = file
	return s
}

// read adds the records of a file and returns the size of those that are whole. A record
// is a hash, the number of dimensions and the numbers.
func (s *store) read(r io.Reader) (whole int64) {
	for {
		var head [sha256.Size + 4]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return whole
		}
		n := binary.LittleEndian.Uint32(head[sha256.Size:])
		if n == 0 || n > maxDimensions || len(s.vectors) >= maxStored {
			return whole
		}
		numbers := make([]byte, 4*n)
		if _, err := io.ReadFull(r, numbers); err != nil {
			return whole
		}
		v := make([]float32, n)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(numbers[4*i:]))
		}
		s.vectors[hash(head[:sha256.Size])] = v
		whole += int64(len(head) + len(numbers))
	}
}

func (s *store) get(h hash) []float32 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.vectors[h]
}

// put keeps a vector. Those above the bound are not kept.
func (s *store) put(h hash, v []float32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.vectors) >= maxStored {
		return nil
	}
	s.vectors[h] = v
	if s.file == nil {
		return nil
	}
	record := append([]byte{}, h[:]...)
	record = binary.LittleEndian.AppendUint32(record, uint32(len(v)))
	for _, f := range v {
		record = binary.LittleEndian.AppendUint32(record, math.Float32bits(f))
	}
	_, err := s.file.Write(record)
	return err
}

func (s *store) close() {
	if s.file != nil {
		_ = s.file.Close()
	}
}
