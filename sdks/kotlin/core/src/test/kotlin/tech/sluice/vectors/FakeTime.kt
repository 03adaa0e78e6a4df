package tech.sluice.vectors

import tech.sluice.core.Cancellation
import tech.sluice.core.Worker

/** A clock on which time passes only by [advance], and the work of all workers on it. */
class FakeTime(private var wall: Long) {
    private class Timer(val at: Long, val order: Int, val work: () -> Unit)

    private var elapsed = 0L
    private var order = 0
    private val timers = ArrayList<Timer>()
    private val ready = ArrayDeque<() -> Unit>()

    /** Sets the wall clock, like a user; timers are not affected. */
    fun set(time: Long) {
        wall = time - elapsed
    }

    /** Works until only timers are pending. */
    fun settle() {
        while (true) (ready.removeFirstOrNull() ?: return)()
    }

    fun advance(ms: Long) {
        val end = elapsed + ms
        settle()
        while (true) {
            val timer = timers.filter { it.at <= end }.minWithOrNull(compareBy<Timer> { it.at }.thenBy { it.order }) ?: break
            elapsed = maxOf(elapsed, timer.at)
            timers.remove(timer)
            timer.work()
            settle()
        }
        elapsed = end
    }

    /** A worker that does nothing more once [isAlive] returns false, like that of a process that has ended. */
    fun worker(isAlive: () -> Boolean): Worker =
        object : Worker {
            override fun now(): Long = wall + elapsed

            override fun monotonic(): Long = elapsed

            override fun execute(work: () -> Unit) {
                ready.addLast { if (isAlive()) work() }
            }

            override fun later(ms: Long, work: () -> Unit): Cancellation {
                val timer = Timer(elapsed + maxOf(0, ms), order++) { if (isAlive()) work() }
                timers += timer
                return Cancellation { timers.remove(timer) }
            }
        }
}
