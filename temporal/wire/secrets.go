package wire

import (
	"bytes"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/proto"
)

// Named returns a converter whose JSON has the names of secrets in place of their values:
// refer writes the names, and restore the values that they have now. Clients and workers
// need the same.
func Named(refer, restore func([]byte) []byte) converter.DataConverter {
	return converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), names{refer, restore})
}

// Failures returns a converter of errors, whose texts are written by another converter.
func Failures(c converter.DataConverter) converter.FailureConverter {
	return temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{DataConverter: c, EncodeCommonAttributes: true})
}

// names is a codec.
type names struct{ refer, restore func([]byte) []byte }

// Encode implements [converter.PayloadCodec].
func (n names) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	return changed(payloads, n.refer), nil
}

// Decode implements [converter.PayloadCodec].
func (n names) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	return changed(payloads, n.restore), nil
}

func changed(payloads []*commonpb.Payload, change func([]byte) []byte) []*commonpb.Payload {
	list := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		list[i] = p
		if string(p.GetMetadata()[converter.MetadataEncoding]) != converter.MetadataEncodingJSON {
			continue
		}
		if b := change(p.GetData()); !bytes.Equal(b, p.GetData()) {
			list[i] = proto.CloneOf(p)
			list[i].Data = b
		}
	}
	return list
}
