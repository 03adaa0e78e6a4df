package tech.sluice.faults

import java.io.File
import java.util.Random
import java.util.concurrent.TimeUnit
import kotlin.system.exitProcess
import tech.sluice.core.Cancellation
import tech.sluice.core.Worker
import tech.sluice.net.SystemWorker
import tech.sluice.testing.TestSource
import tech.sluice.testing.testClient

private const val MOST_EVENTS = 250

/**
 * The process that the faults run kills (tools/sdk-faults/src/kotlin). Arguments: host, folder, number of the first
 * event, speed of the clock, its origin, seed, and `track`, `drain` or `rehearse`. Prints the number of each event that
 * `track` took.
 */
fun main(args: Array<String>) {
    val (host, folder, first, speed, origin) = args
    val worker = FastWorker(speed.toLong(), origin.toLong())
    val mode = args[6]
    val client = testClient(TestSource(host, "k", "Source000001", File(folder)), worker) { println("! ${it.code} ${it.count} ${it.message} ${it.cause}") }
    when (mode) {
        "drain" -> drain { client.flush().get(120, TimeUnit.SECONDS).left }
        "rehearse" -> {
            repeat(20) { client.track("e", mapOf("n" to it)) }
            client.identify("u-1", mapOf("n" to 20))
            client.flush().get(120, TimeUnit.SECONDS)
        }
        else -> {
            // Until then calls wait in memory, and a kill finds nothing.
            while (client.anonymousId == null) Thread.sleep(1)
            val random = Random(args[5].toLong())
            var number = first.toLong()
            while (true) {
                // A run on a slow machine kills late; the queue must not be full until then.
                if (number - first.toLong() >= MOST_EVENTS) Thread.sleep(Long.MAX_VALUE)
                val isTaken =
                    when (random.nextInt(20)) {
                        0 -> client.identify("u-${random.nextInt(3)}", mapOf("n" to number))
                        else -> client.track("e", mapOf("n" to number, "text" to "x".repeat(random.nextInt(400))))
                    }
                if (isTaken) println(number)
                number++
                if (random.nextInt(30) == 0) client.reset()
                if (random.nextBoolean()) Thread.sleep(random.nextInt(6).toLong())
            }
        }
    }
    exitProcess(0)
}

/** Flushes until nothing is left: batches wait for their next try, and the fast clock brings it soon. */
private fun drain(flush: () -> Int) {
    while (flush() > 0) Thread.sleep(20)
    println("drained")
}

/** A worker on a clock that is faster than the real one. All processes of a device share its origin. */
private class FastWorker(private val speed: Long, private val origin: Long) : Worker {
    private val real = SystemWorker()

    override fun now(): Long = origin + (System.currentTimeMillis() - origin) * speed

    override fun monotonic(): Long = real.monotonic() * speed

    override fun execute(work: () -> Unit) {
        real.execute(work)
    }

    override fun later(ms: Long, work: () -> Unit): Cancellation = real.later(ms / speed, work)
}
