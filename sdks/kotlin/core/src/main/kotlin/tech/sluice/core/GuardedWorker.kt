package tech.sluice.core

/** A worker whose work may throw anything: [failed] gets the error, and the next work runs. */
internal class GuardedWorker(private val worker: Worker, private val failed: (Throwable) -> Unit) : Worker by worker {
    override fun execute(work: () -> Unit) {
        worker.execute { guarded(work) }
    }

    override fun later(ms: Long, work: () -> Unit): Cancellation = worker.later(ms) { guarded(work) }

    private fun guarded(work: () -> Unit) {
        try {
            work()
        } catch (error: Throwable) {
            attempt { failed(error) }
        }
    }
}
