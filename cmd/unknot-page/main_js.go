package main

import (
	"context"
	"encoding/json"
	"fmt"
	"syscall/js"
)

// main gives the worker a function unknot(request), which takes and returns JSON, and tells it that it is ready.
func main() {
	js.Global().Set("unknot", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return string(respond(args[0].String()))
	}))
	js.Global().Call("ready")
	select {} // the worker ends the program
}

// respond answers a request in JSON. A panic is an answer, too: the page shows it and starts the program again.
func respond(request string) (answer []byte) {
	defer func() {
		if p := recover(); p != nil {
			fault := &Fault{Message: fmt.Sprintf("unknot failed, which is a fault of its own: %v", p)}
			answer, _ = json.Marshal(Answer{Error: fault})
		}
	}()
	var q Request
	if err := json.Unmarshal([]byte(request), &q); err != nil {
		answer, _ = json.Marshal(Answer{Error: &Fault{Message: err.Error()}})
		return answer
	}
	answer, _ = json.Marshal(Respond(context.Background(), q)) // strings and numbers alone
	return answer
}
