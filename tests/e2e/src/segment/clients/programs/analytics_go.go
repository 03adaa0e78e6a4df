package main

import (
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/segmentio/analytics-go/v3"
)

type answers struct {
	done   sync.WaitGroup
	errors []error
}

func (a *answers) Success(analytics.Message) { a.done.Done() }
func (a *answers) Failure(_ analytics.Message, err error) {
	a.errors = append(a.errors, err)
	a.done.Done()
}

func main() {
	user := os.Getenv("USER_ID")
	count, _ := strconv.Atoi(os.Getenv("COUNT"))
	answered := &answers{}
	answered.done.Add(count + 5)
	client, err := analytics.NewWithConfig(os.Getenv("WRITE_KEY"), analytics.Config{Endpoint: os.Getenv("HOST"), Callback: answered})
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
	// A client that is closed gives up what it could not send.
	answered.done.Wait()
	client.Close()
	if len(answered.errors) > 0 {
		panic(answered.errors[0])
	}
}
