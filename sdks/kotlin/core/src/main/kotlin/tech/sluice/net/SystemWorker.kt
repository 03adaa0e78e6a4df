package tech.sluice.net

import java.util.concurrent.Future
import java.util.concurrent.ScheduledThreadPoolExecutor
import java.util.concurrent.TimeUnit
import tech.sluice.InternalSluiceApi
import tech.sluice.core.Cancellation
import tech.sluice.core.Worker
import tech.sluice.core.attempt

private const val IDLE_MS = 5_000L

/**
 * A worker on one thread, which does not keep a JVM alive and ends while there is nothing to do.
 *
 * @param monotonicMs milliseconds that continue while the device sleeps
 */
@InternalSluiceApi
public class SystemWorker(private val monotonicMs: () -> Long = { System.nanoTime() / 1_000_000 }) : Worker {
    private val executor =
        ScheduledThreadPoolExecutor(1) { work -> Thread(work, "sluice").apply { isDaemon = true } }
            .apply {
                removeOnCancelPolicy = true
                setKeepAliveTime(IDLE_MS, TimeUnit.MILLISECONDS)
                allowCoreThreadTimeOut(true)
            }

    override fun now(): Long = System.currentTimeMillis()

    override fun monotonic(): Long = monotonicMs()

    override fun execute(work: () -> Unit) {
        // Throws if no thread can be started. The work is queued by then, and the next call tries to start one again.
        attempt { executor.execute(work) }
    }

    override fun later(ms: Long, work: () -> Unit): Cancellation {
        val future: Future<*>? = attempt { executor.schedule(work, ms, TimeUnit.MILLISECONDS) }
        return Cancellation { future?.cancel(false) }
    }
}
