package tech.sluice

/** Runs calls to the system that some devices throw out of; the SDK does without what they would do. */
internal fun quietly(work: () -> Unit) {
    try {
        work()
    } catch (_: Throwable) {
        return
    }
}
