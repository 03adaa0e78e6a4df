package tech.sluice.core

import tech.sluice.ErrorHandler
import tech.sluice.SluiceError

/** Reports errors to the integrator and counts messages that were given up. */
internal class Reporter(
    private val errorHandler: ErrorHandler?,
    private val worker: Worker,
    private val giveUp: (count: Int) -> Unit,
    private val log: ((String) -> Unit)?,
) {
    @Volatile
    private var hasStorageFailed = false

    fun debug(text: () -> String) {
        log?.let { attempt { it(text()) } }
    }

    fun report(
        code: SluiceError.Code,
        message: String,
        count: Int? = null,
        requestId: String? = null,
        cause: Throwable? = null,
    ) {
        debug { "$code: $message" }
        if (count != null && count > 0) giveUp(count)
        handle(SluiceError(code, message, count, requestId, cause))
    }

    /** Reports messages that a denial of consent has erased. They count as nothing lost: the ids are erased as well. */
    fun erased(count: Int) {
        if (count > 0) handle(SluiceError(SluiceError.Code.DENIED, "erased what waited", count))
    }

    private fun handle(error: SluiceError) {
        // A handler that throws must not stop the queue. It runs on the worker, because callers may hold a lock.
        worker.execute { attempt { errorHandler?.onError(error) } }
    }

    /** Runs work of the store. Returns null if it fails, which is reported. */
    fun <T> storing(work: () -> T?): T? =
        try {
            work()
        } catch (error: Throwable) {
            storageFailed(error)
            null
        }

    /** Reports a failing store only once until it works again, because it can fail at every message. */
    fun storageFailed(cause: Throwable?) {
        if (!hasStorageFailed) report(SluiceError.Code.STORAGE, "the store failed", 0, cause = cause)
        hasStorageFailed = true
    }

    fun storageWorks() {
        hasStorageFailed = false
    }
}

/** Returns null if [work] throws. Errors of the platform, such as too little memory, are not reasons to stop either. */
internal fun <T> attempt(work: () -> T): T? =
    try {
        work()
    } catch (_: Throwable) {
        null
    }
