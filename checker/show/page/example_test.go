package page_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/seed-105a2da2/unknot/checker"
	"github.com/seed-105a2da2/unknot/checker/show/page"
	"github.com/seed-105a2da2/unknot/models"
	"github.com/seed-105a2da2/unknot/spec/routing"
)

// Decide a network and write the page that shows why.
func ExampleWrite() {
	ctx := context.Background()
	ring, _ := models.Find("ring")
	def, err := ring.Define(map[string]string{"n": "6"})
	if err != nil {
		log.Fatal(err)
	}
	n, err := routing.Compile(ctx, def, routing.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	report, err := checker.Check(ctx, n, checker.Question{})
	if err != nil {
		log.Fatal(err)
	}
	var b bytes.Buffer // or a file
	if err := page.Write(ctx, &b, report, page.Options{Command: "unknot check ring --set n=6"}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Len() <= page.MostBytes)
	// Output: true
}
