package tech.sluice.core

import kotlin.math.max

/** The service's time by the `Date` of its answers. The device's clock proves nothing: users and repairs change it. */
internal class ServiceClock(private val worker: Worker) {
    /** The service's time at the start of the monotonic clock. */
    private var start: Long? = null

    /** Reads the `Date` of an answer of the service. */
    fun hear(answer: HttpAnswer?) {
        answer?.header("date")?.let(::httpDateFrom)?.let { start = it - worker.monotonic() }
    }

    /** The service's time at a moment of the monotonic clock; 0 before the first `Date`. */
    fun at(moment: Long): Long = start?.plus(moment) ?: 0

    /** Age since the first try: the larger one by the service's clock and by this process's monotonic clock. */
    fun measureAge(entry: Entry): Long {
        val now = worker.monotonic()
        val first = entry.batch.firstTry
        val serviceAge = if (first != 0L && start != null) at(now) - first else 0
        return max(serviceAge, entry.triedAt?.let { now - it } ?: 0)
    }
}
