package main

import (
	"os"
	"strconv"
	"time"

	"github.com/segmentio/analytics-go/v3"
)

type failures struct{ errors []error }

func (f *failures) Success(analytics.Message)              {}
func (f *failures) Failure(_ analytics.Message, err error) { f.errors = append(f.errors, err) }

func main() {
	user := os.Getenv("USER_ID")
	count, _ := strconv.Atoi(os.Getenv("COUNT"))
	failed := &failures{}
	client, err := analytics.NewWithConfig(os.Getenv("WRITE_KEY"), analytics.Config{Endpoint: os.Getenv("HOST"), Callback: failed})
	if err != nil {
		panic(err)
	}
	client.Enqueue(analytics.Identify{UserId: user, Traits: analytics.NewTraits().Set("plan", "pro")})
	client.Enqueue(analytics.Page{UserId: user, Name: "Home"})
	client.Enqueue(analytics.Screen{UserId: user, Name: "Cart"})
	client.Enqueue(analytics.Group{UserId: user, GroupId: "g-1", Traits: analytics.NewTraits().Set("seats", 3)})
	client.Enqueue(analytics.Alias{UserId: user, PreviousId: user + "-before"})
	for n := 0; n < count; n++ {
		client.Enqueue(analytics.Track{UserId: user, Event: "Order Completed", Properties: analytics.NewProperties().Set("n", n)})
		time.Sleep(10 * time.Millisecond)
	}
	client.Close()
	if len(failed.errors) > 0 {
		panic(failed.errors[0])
	}
}
