package jsonata

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Decode reads one JSON text. Key order, big integers and decimals are kept as
// written; of a repeated key the last value counts, as in JavaScript. Text that
// is not JSON, that continues after the value, or that nests deeper than 500 is
// an error which says where.
func Decode(b []byte) (Value, error) { return DecodeContext(context.Background(), b) }

// DecodeContext is Decode that ends when ctx does, with its cause.
func DecodeContext(ctx context.Context, b []byte) (Value, error) {
	return decode(ctx, bytes.NewReader(b), func() string { return string(b) })
}

// decode reads the JSON text that r yields; text is all of it, for an error.
func decode(ctx context.Context, r io.Reader, text func() string) (Value, error) {
	d := decoder{Decoder: jsontext.NewDecoder(r, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)), ctx: ctx}
	v, err := d.value(0)
	if d.ended {
		return nil, err
	}
	if err != nil {
		return nil, decodeError(text(), d.InputOffset(), err)
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, decodeError(text(), d.InputOffset(), errors.New("there is more text after the end of the value"))
	}
	return v, nil
}

func decodeError(text string, at int64, err error) error {
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at, err = syntax.ByteOffset, syntax.Err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the JSON ends too early")
	}
	line, column := position(text, int(at))
	return fmt.Errorf("not JSON at line %d, column %d: %w", line, column, err)
}

// A decoder reads values until its context ends.
type decoder struct {
	*jsontext.Decoder
	ctx   context.Context //nolint:containedctx // of one call of DecodeContext
	read  int             // values so far
	ended bool            // because of ctx
}

// decodedUnchecked is how many values are read between two looks at the context.
const decodedUnchecked = 1024

func (d *decoder) value(depth int) (Value, error) {
	if depth > maxValueDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxValueDepth)
	}
	if d.read++; d.read%decodedUnchecked == 0 && d.ctx.Err() != nil {
		d.ended = true
		return nil, context.Cause(d.ctx)
	}
	switch kind := d.PeekKind(); kind {
	case '{':
		return d.object(depth)
	case '[':
		if _, err := d.ReadToken(); err != nil {
			return nil, err
		}
		var items []any
		for d.PeekKind() != ']' {
			v, err := d.value(depth + 1)
			if err != nil {
				return nil, err
			}
			items = append(items, v)
		}
		if _, err := d.ReadToken(); err != nil {
			return nil, err
		}
		return gathered(items), nil
	default:
		token, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		switch kind {
		case 'n':
			return null{}, nil
		case 't', 'f':
			return token.Bool(), nil
		case '"':
			return token.String(), nil
		default:
			return json.Number(token.String()), nil
		}
	}
}

func (d *decoder) object(depth int) (Value, error) {
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	object := NewObject()
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		key := token.String()
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		object.Set(key, v)
	}
	_, err := d.ReadToken()
	return object, err
}
