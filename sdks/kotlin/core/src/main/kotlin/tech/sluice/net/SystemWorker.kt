package tech.sluice.net

import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.ScheduledThreadPoolExecutor
import java.util.concurrent.TimeUnit
import tech.sluice.InternalSluiceApi
import tech.sluice.core.Cancellation
import tech.sluice.core.Worker

/**
 * A worker on one thread, which does not keep a JVM alive.
 *
 * @param monotonicMs milliseconds that go on while the device sleeps
 */
@InternalSluiceApi
public class SystemWorker(private val monotonicMs: () -> Long = { System.nanoTime() / 1_000_000 }) : Worker {
    private val executor =
        ScheduledThreadPoolExecutor(1) { work -> Thread(work, "sluice").apply { isDaemon = true } }
            .apply { removeOnCancelPolicy = true }

    override fun now(): Long = System.currentTimeMillis()

    override fun monotonic(): Long = monotonicMs()

    override fun execute(work: () -> Unit) {
        try {
            executor.execute(work)
        } catch (_: RejectedExecutionException) {
            // The worker was shut down: nothing is done any more.
        }
    }

    override fun later(ms: Long, work: () -> Unit): Cancellation {
        val future = executor.schedule(work, ms, TimeUnit.MILLISECONDS)
        return Cancellation { future.cancel(false) }
    }
}
