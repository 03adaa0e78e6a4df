package tech.sluice

import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit

private const val MAX_WAIT_MS = 200L

/** When the app crashes, waits briefly until the workers have written the taken messages, then lets it crash. */
internal object CrashBarrier : Thread.UncaughtExceptionHandler {
    private var previous: Thread.UncaughtExceptionHandler? = null
    private var isSet = false

    /** Puts itself in front of the current handler, once. */
    @Synchronized
    fun set() {
        if (isSet) return
        isSet = true
        previous = Thread.getDefaultUncaughtExceptionHandler()
        Thread.setDefaultUncaughtExceptionHandler(this)
    }

    /** Removes itself, unless another handler has been set in front of it, which may call this one. */
    @Synchronized
    fun remove() {
        if (!isSet || Thread.getDefaultUncaughtExceptionHandler() !== this) return
        Thread.setDefaultUncaughtExceptionHandler(previous)
        isSet = false
    }

    override fun uncaughtException(thread: Thread, error: Throwable) {
        quietly {
            val all = Sluice.open()
            val written = CountDownLatch(all.size)
            all.forEach { it.written(written::countDown) }
            written.await(MAX_WAIT_MS, TimeUnit.MILLISECONDS)
        }
        previous?.uncaughtException(thread, error)
    }
}
