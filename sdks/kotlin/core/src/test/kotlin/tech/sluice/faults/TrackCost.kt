package tech.sluice.faults

import java.io.File
import tech.sluice.testing.TestSource
import tech.sluice.testing.testClient

private const val CALLS = 10_000

/** Measures what `track` costs its caller, with an event of 1 KB and no network. Argument: a new folder. */
fun main(args: Array<String>) {
    val client = testClient(TestSource("http://127.0.0.1:1", "k", "Source000001", File(args[0]))) { }
    val properties = mapOf("text" to "x".repeat(800), "total" to 49.9, "items" to listOf(1, 2, 3), "isNew" to true)
    while (client.anonymousId == null) Thread.sleep(5)
    for (round in listOf("first", "second")) {
        val times = LongArray(CALLS) {
            val begin = System.nanoTime()
            client.track("order_completed", properties)
            val took = System.nanoTime() - begin
            // An app does not call in a loop: the worker writes between the calls.
            if (it % 10 == 0) Thread.sleep(1)
            took
        }.sorted()
        println("$round $CALLS calls: p50 ${times[CALLS / 2] / 1_000} µs, p99 ${times[CALLS * 99 / 100] / 1_000} µs")
    }
}
