package tech.sluice.faults

import java.io.File
import java.util.Random
import java.util.concurrent.TimeUnit
import kotlin.system.exitProcess
import tech.sluice.core.Batch
import tech.sluice.core.BatchStore
import tech.sluice.core.Cancellation
import tech.sluice.core.Worker
import tech.sluice.net.SystemWorker
import tech.sluice.testing.TestSource
import tech.sluice.testing.testClient

private const val MAX_EVENTS = 250

/**
 * The process that the faults run kills (tests/sdk-faults/src/kotlin). Arguments: host, folder, number of the first
 * event, speed of the clock, its origin, seed, `track`, `drain` or `rehearse`, number of events after which it is quiet,
 * and a mutant, or nothing. Prints `taken`, number and time of each event that `track` took, and `written` and number
 * of each that the worker has written.
 */
fun main(args: Array<String>) {
    val (host, folder, first, speed, origin) = args
    val mutant = Mutant.values().find { it.text == args.getOrNull(8) }
    val worker = FastWorker(speed.toLong(), origin.toLong(), mutant)
    val mode = args[6]
    val source = TestSource(host, "k", "Source000001", File(folder))
    val wrapped = { queue: BatchStore -> AnnouncingQueue(forgetting(queue, mutant)) }
    val client =
        testClient(source, worker, queue = wrapped, transport = { rekeying(it, mutant) }) {
            println("! ${it.code} ${it.count} ${it.message} ${it.cause}")
        }
    when (mode) {
        "drain" -> drain { client.flush().get(120, TimeUnit.SECONDS).left }
        "rehearse" -> {
            repeat(20) { client.track("e", mapOf("n" to it)) }
            client.identify("u-1", mapOf("n" to 20))
            client.flush().get(120, TimeUnit.SECONDS)
        }
        else -> {
            // Until the ids have been read, calls wait in memory, and a kill finds no files.
            while (client.anonymousId == null) Thread.sleep(1)
            val random = Random(args[5].toLong())
            var number = first.toLong()
            while (true) {
                // A run on a slow machine kills late; the queue must not be full before that.
                if (number - first.toLong() >= minOf(MAX_EVENTS, args[7].toInt())) Thread.sleep(Long.MAX_VALUE)
                val isTaken =
                    when (random.nextInt(20)) {
                        0 -> client.identify("u-${random.nextInt(3)}", mapOf("n" to number))
                        else -> client.track("e", mapOf("n" to number, "text" to "x".repeat(random.nextInt(400))))
                    }
                if (isTaken) println("taken $number ${System.currentTimeMillis()}")
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

private val numberIn = Regex(""""n":(\d+)""")

/** Prints the number of each message that is in a file. */
private class AnnouncingQueue(private val files: BatchStore) : BatchStore by files {
    override fun append(batch: Batch, index: Int, text: String): Boolean {
        val isStored = files.append(batch, index, text)
        if (isStored) numberIn.find(text)?.let { println("written ${it.groupValues[1]}") }
        return isStored
    }
}

/** A worker on a clock that is faster than the real one. All processes of a device share its origin. */
private class FastWorker(private val speed: Long, private val origin: Long, private val mutant: Mutant?) : Worker {
    private val real = SystemWorker()
    private var messages = 0

    override fun now(): Long = origin + (System.currentTimeMillis() - origin) * speed

    override fun monotonic(): Long = real.monotonic() * speed

    override fun execute(work: () -> Unit) {
        if (mutant == Mutant.HALF && isOfMessage() && messages++ % 2 == 0) return
        if (mutant == Mutant.LATE && isOfMessage()) real.later(LATE_MS, work) else real.execute(work)
    }

    override fun later(ms: Long, work: () -> Unit): Cancellation = real.later(ms / speed, work)
}
