package jsonata_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

func ExampleCompile() {
	x, err := jsonata.Compile(`$sum(items[price > 10].price)`)
	if err != nil {
		fmt.Println(err)
		return
	}
	input, _ := jsonata.Decode([]byte(`{"items": [{"price": 5}, {"price": 12.5}, {"price": 30}]}`))
	v, err := x.Eval(context.Background(), input)
	fmt.Println(v, err)
	// Output: 42.5 <nil>
}

func ExampleEnv_Add() {
	env := jsonata.NewEnv()
	err := env.Add("shout", "<s-:s>", func(_ context.Context, args []jsonata.Value) (jsonata.Value, error) {
		return strings.ToUpper(args[0].(string)) + "!", nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	x, fault := env.Compile(`names.$shout()`)
	if fault != nil {
		fmt.Println(fault)
		return
	}
	input, _ := jsonata.Decode([]byte(`{"names": ["ada", "grace"]}`))
	v, _ := x.Eval(context.Background(), input)
	b, _ := jsonata.Encode(v)
	fmt.Println(string(b))
	// Output: ["ADA!","GRACE!"]
}

func ExampleError() {
	src := `{"total": price * count}`
	x, _ := jsonata.Compile(src)
	input, _ := jsonata.Decode([]byte(`{"price": 4, "count": "three"}`))
	_, err := x.Eval(context.Background(), input)
	fault, ok := errors.AsType[*jsonata.Error](err)
	if !ok {
		return
	}
	fmt.Println(fault.Code, fault.Message)
	line, column := fault.Position(src)
	fmt.Println(line, column, src[fault.Start:fault.End])
	// Output:
	// T2002 the right operand of the "*" operator must evaluate to a number, got a string
	// 1 19 count
}

func ExampleExpr_Refs() {
	x, _ := jsonata.Compile(`$.orders.items[price > $$.entry.min].id`)
	for _, ref := range x.Refs().Nodes {
		fmt.Println(ref.Node)
	}
	// Output:
	// orders
	// entry
}
